// Carries messages of the Model Context Protocol between HTTP and the standard streams of `cutaway mcp`, unchanged: one
// process a session. Takes the binary's path, prints its address.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const binary = process.argv[2];
const sessions = new Map();

function begin() {
  const child = spawn(binary, ["mcp"], { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(JSON.stringify(message.id))?.(line);
  });
  return { child, waiting };
}

async function body(request) {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
}

const server = createServer(async (request, response) => {
  let id = request.headers["mcp-session-id"];
  if (request.method === "DELETE") {
    sessions.get(id)?.child.kill();
    sessions.delete(id);
    return response.writeHead(204).end();
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  const text = await body(request);
  const message = JSON.parse(text);
  if (message.method === "initialize") sessions.set((id = randomUUID()), begin());
  const session = sessions.get(id);
  if (!session) return response.writeHead(404).end();
  const key = JSON.stringify(message.id);
  const answer = message.method && message.id !== undefined && new Promise((done) => session.waiting.set(key, done));
  session.child.stdin.write(`${JSON.stringify(message)}\n`);
  if (!answer) return response.writeHead(202).end();
  const line = await answer;
  session.waiting.delete(key);
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": id }).end(line);
});

process.on("SIGTERM", () => {
  for (const { child } of sessions.values()) child.kill();
  process.exit(0);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
