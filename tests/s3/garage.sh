# An S3 server of another make that is distributed (Garage), here with one node, until standard input ends. Its first line says
# where it listens. PROGRAM, ID and SECRET of the key, and two ports that are free, are given.
set -e
program=$1 id=$2 secret=$3 port=$4 inner=$5
dir=$(mktemp -d /tmp/cutaway-garage.XXXXXX)
trap 'kill $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
cat >"$dir/garage.toml" <<EOF
metadata_dir = "$dir/meta"
data_dir = "$dir/data"
db_engine = "sqlite"
replication_factor = 1
metadata_fsync = false
rpc_bind_addr = "127.0.0.1:$inner"
rpc_public_addr = "127.0.0.1:$inner"
rpc_secret = "$(printf '%064d' 7)"

[s3_api]
s3_region = "us-east-1"
api_bind_addr = "127.0.0.1:$port"
EOF
garage() { "$program" -c "$dir/garage.toml" "$@" </dev/null >>"$dir/log" 2>&1; }
"$program" -c "$dir/garage.toml" server </dev/null >>"$dir/server" 2>&1 &
server=$!
for _ in $(seq 300); do
    garage status && break
    kill -0 "$server" || { cat "$dir/server" >&2; exit 1; }
    sleep 0.1
done
node=$("$program" -c "$dir/garage.toml" node id -q </dev/null 2>>"$dir/log")
garage layout assign -z here -c 20G "${node%%@*}"
garage layout apply --version 1
garage key import --yes -n films "$id" "$secret"
garage key allow --create-bucket "$id"
echo "http://127.0.0.1:$port"
cat >/dev/null
