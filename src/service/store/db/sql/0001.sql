-- The tables of a workspace, as SQLite has them: see `store/schema.rs` for what they hold. Whoever writes locks the one
-- row of `turn` first, so that writers follow each other, whichever process they are in. Texts are ordered by their bytes.
CREATE TABLE schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL);
INSERT INTO schema_version (version) VALUES (0);
CREATE TABLE turn (one boolean PRIMARY KEY DEFAULT true CHECK (one));
INSERT INTO turn DEFAULT VALUES;
CREATE TABLE setting (
    name text COLLATE "C",
    value bytea NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE workspace (
    id bigint,
    app_key text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    player_form bigint NOT NULL DEFAULT 0,
    shop_secret text COLLATE "C",
    player_embed text COLLATE "C",
    PRIMARY KEY (id),
    UNIQUE (app_key)
);
CREATE TABLE "user" (
    id text COLLATE "C",
    workspace bigint NOT NULL,
    email text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE api_key (
    hash bytea,
    workspace bigint NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    id text COLLATE "C",
    read_only bigint NOT NULL DEFAULT 0,
    expires_at bigint,
    used_at bigint,
    process text COLLATE "C",
    PRIMARY KEY (hash)
);
CREATE TABLE access_token (
    hash bytea,
    workspace bigint NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    family text COLLATE "C",
    api_key text COLLATE "C",
    PRIMARY KEY (hash)
);
CREATE TABLE store (
    id bigint,
    workspace bigint NOT NULL,
    app_url text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    currency_code text COLLATE "C",
    currency_symbol text COLLATE "C",
    next_number bigint NOT NULL DEFAULT 1,
    products bigint NOT NULL DEFAULT 0,
    published bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (id),
    UNIQUE (workspace, app_url)
);
CREATE TABLE product (
    id bigint,
    store bigint NOT NULL,
    external text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    published bigint NOT NULL,
    inventory bigint NOT NULL,
    created bigint,
    provider_created bigint,
    provider_updated bigint,
    PRIMARY KEY (id),
    UNIQUE (store, external)
);
CREATE TABLE document (
    id bigint,
    head text COLLATE "C" NOT NULL,
    tail text COLLATE "C" NOT NULL,
    found text COLLATE "C" NOT NULL,
    media text COLLATE "C" NOT NULL,
    variants text COLLATE "C" NOT NULL,
    metafields text COLLATE "C" NOT NULL,
    analysis text COLLATE "C",
    PRIMARY KEY (id)
);
CREATE TABLE posting (
    store bigint,
    field bigint,
    chunk bigint,
    term text COLLATE "C",
    bits bytea NOT NULL,
    PRIMARY KEY (store, field, chunk, term)
);
CREATE TABLE lookup (
    store bigint,
    field bigint,
    hash bigint,
    number bigint,
    PRIMARY KEY (store, field, hash, number)
);
CREATE TABLE folder (
    number bigint,
    id text COLLATE "C" NOT NULL,
    workspace bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (id)
);
CREATE TABLE project (
    number bigint,
    id text COLLATE "C" NOT NULL,
    workspace bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    publish_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    folder text COLLATE "C",
    email_notifications text COLLATE "C" NOT NULL DEFAULT '[]',
    steps_order text COLLATE "C" NOT NULL DEFAULT '[]',
    steps_count bigint NOT NULL DEFAULT 0,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL DEFAULT '{}',
    revision text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (number),
    UNIQUE (publish_id),
    UNIQUE (id)
);
CREATE TABLE step (
    number bigint,
    id text COLLATE "C" NOT NULL,
    project bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    answers text COLLATE "C" NOT NULL DEFAULT '[]',
    video text COLLATE "C",
    overlay_text text COLLATE "C",
    answer_time double precision,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    products text COLLATE "C" NOT NULL DEFAULT '[]',
    PRIMARY KEY (number),
    UNIQUE (project, name),
    UNIQUE (id)
);
CREATE TABLE video (
    number bigint,
    id text COLLATE "C" NOT NULL,
    workspace bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    video_url text COLLATE "C",
    poster_url text COLLATE "C",
    content_type text COLLATE "C",
    size bigint,
    sha256 bytea,
    created_at text COLLATE "C" NOT NULL,
    blake3 bytea,
    PRIMARY KEY (number),
    UNIQUE (id)
);
CREATE TABLE webhook (
    number bigint,
    id text COLLATE "C" NOT NULL,
    workspace bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    secret text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    old_secrets text COLLATE "C" NOT NULL DEFAULT '[]',
    failing_since bigint,
    failures bigint NOT NULL DEFAULT 0,
    ended_why text COLLATE "C",
    delivered_at bigint,
    lease_until bigint,
    fence bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (number),
    UNIQUE (id)
);
CREATE TABLE refresh_token (
    hash bytea,
    workspace bigint NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (hash)
);
CREATE TABLE authorization_code (
    hash bytea,
    workspace bigint NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    challenge text COLLATE "C" NOT NULL,
    redirect text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    api_key text COLLATE "C",
    PRIMARY KEY (hash)
);
CREATE TABLE device_code (
    hash bytea,
    user_code bytea NOT NULL,
    decided bigint NOT NULL DEFAULT 0,
    workspace bigint,
    "user" text COLLATE "C",
    "interval" bigint NOT NULL,
    polled_at bigint,
    expires_at bigint NOT NULL,
    client text COLLATE "C" NOT NULL DEFAULT '',
    address text COLLATE "C" NOT NULL DEFAULT '',
    api_key text COLLATE "C",
    PRIMARY KEY (hash),
    UNIQUE (user_code)
);
CREATE TABLE visit (
    number bigint,
    session text COLLATE "C" NOT NULL,
    workspace bigint NOT NULL,
    project text COLLATE "C" NOT NULL,
    publish_id text COLLATE "C" NOT NULL,
    playlist text COLLATE "C" NOT NULL,
    anonymous text COLLATE "C" NOT NULL,
    collected text COLLATE "C",
    begun_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    ended_at bigint,
    begin_key text COLLATE "C",
    player text COLLATE "C",
    version text COLLATE "C",
    PRIMARY KEY (number),
    UNIQUE (session)
);
CREATE TABLE visit_event (
    visit bigint,
    number bigint,
    name text COLLATE "C" NOT NULL,
    step text COLLATE "C",
    video text COLLATE "C",
    text text COLLATE "C",
    at bigint NOT NULL,
    verified bigint,
    PRIMARY KEY (visit, number)
);
CREATE TABLE visit_purchase (
    visit bigint,
    purchase text COLLATE "C",
    PRIMARY KEY (visit, purchase)
);
CREATE TABLE delivery (
    number bigint,
    id text COLLATE "C" NOT NULL,
    webhook text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    state text COLLATE "C" NOT NULL DEFAULT 'pending',
    created_at bigint NOT NULL,
    tried_until bigint NOT NULL,
    next_at bigint,
    attempted_at bigint,
    status bigint,
    error text COLLATE "C",
    answer text COLLATE "C",
    PRIMARY KEY (number),
    UNIQUE (id)
);
CREATE TABLE visitor_use (
    project text COLLATE "C",
    hour bigint,
    visits bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project, hour)
);
CREATE TABLE oauth_grant (
    id text COLLATE "C",
    workspace bigint NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    flow text COLLATE "C",
    api_key text COLLATE "C",
    read_only bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    PRIMARY KEY (id)
);
CREATE TABLE audit (
    number bigint,
    at bigint NOT NULL,
    workspace bigint,
    actor text COLLATE "C" NOT NULL,
    credential text COLLATE "C",
    name text COLLATE "C",
    action text COLLATE "C" NOT NULL,
    record text COLLATE "C",
    status bigint,
    address text COLLATE "C",
    detail text COLLATE "C",
    PRIMARY KEY (number)
);
CREATE TABLE creation (
    workspace bigint,
    operation text COLLATE "C",
    key text COLLATE "C",
    fingerprint bytea NOT NULL,
    answer bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace, operation, key)
);
CREATE TABLE caption (
    number bigint,
    video text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    label text COLLATE "C",
    cues bigint NOT NULL,
    hash bytea NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    vtt text COLLATE "C" NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (video, language)
);
CREATE TABLE funnel_version (
    project text COLLATE "C",
    version text COLLATE "C",
    first_at bigint NOT NULL,
    steps text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, version)
);
CREATE TABLE funnel (
    project text COLLATE "C",
    day bigint,
    version text COLLATE "C",
    step text COLLATE "C",
    kind text COLLATE "C",
    what text COLLATE "C",
    count bigint NOT NULL,
    amount double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (project, day, version, step, kind, what)
);
CREATE TABLE blob (
    id text COLLATE "C",
    place text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    upload_id text COLLATE "C",
    lease_until bigint,
    fence bigint NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX access_token_expiry ON access_token (expires_at);
CREATE INDEX product_inventory_up ON product (store, inventory, id);
CREATE INDEX product_inventory_down ON product (store, inventory DESC, id);
CREATE INDEX product_provider_created_up ON product (store, provider_created, id);
CREATE INDEX product_provider_created_down ON product (store, provider_created DESC, id);
CREATE INDEX product_provider_updated_up ON product (store, provider_updated, id);
CREATE INDEX product_provider_updated_down ON product (store, provider_updated DESC, id);
CREATE INDEX product_created ON product (store, created);
CREATE INDEX folder_name ON folder (workspace, name);
CREATE INDEX project_workspace ON project (workspace);
CREATE INDEX step_video ON step (video) WHERE video IS NOT NULL;
CREATE INDEX video_workspace ON video (workspace);
CREATE INDEX webhook_event ON webhook (workspace, event);
CREATE INDEX access_token_family ON access_token (family) WHERE family IS NOT NULL;
CREATE INDEX refresh_token_family ON refresh_token (family);
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
CREATE INDEX visit_open ON visit (seen_at) WHERE ended_at IS NULL;
CREATE INDEX visit_begun ON visit (begun_at);
CREATE INDEX delivery_due ON delivery (webhook, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX delivery_webhook ON delivery (webhook, number);
CREATE INDEX delivery_created ON delivery (created_at);
CREATE UNIQUE INDEX api_key_id ON api_key (id);
CREATE INDEX access_token_key ON access_token (api_key) WHERE api_key IS NOT NULL;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX creation_created ON creation (created_at);
CREATE UNIQUE INDEX visit_begin_key ON visit (publish_id, begin_key) WHERE begin_key IS NOT NULL;
CREATE INDEX visit_version ON visit (project, version);
CREATE INDEX blob_lease ON blob (lease_until) WHERE state <> 'kept';
ALTER TABLE posting ALTER COLUMN bits SET STORAGE EXTERNAL;
