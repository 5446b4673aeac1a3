// Drives `cutaway mcp` as a client of the TypeScript SDK does. Takes the binary's path.
import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const binary = process.argv[2];

async function opened(flags, options = { capabilities: {} }) {
  const client = new Client({ name: "check", version: "1" }, options);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  await client.connect(new StdioClientTransport({ command: binary, args: ["mcp", ...flags], env, stderr: "ignore" }));
  return client;
}

/// What a tool answers; its structure was held against the tool's schema by the SDK already.
async function call(client, name, given = {}, options) {
  const result = await client.callTool({ name, arguments: given }, undefined, options);
  assert(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
}

async function refused(client, name, given, words) {
  const result = await client.callTool({ name, arguments: given });
  assert(result.isError, `${name} was not refused`);
  assert(result.content[0].text.includes(words), `${name}: ${result.content[0].text}`);
}

const client = await opened([]);
assert.equal(client.getServerVersion().name, "cutaway");
assert(client.getInstructions());
const { tools } = await client.listTools();
assert(tools.length >= 38, `${tools.length} tools`);
for (const tool of tools) {
  assert.equal(tool.inputSchema.type, "object", tool.name);
  assert.equal(tool.outputSchema.type, "object", tool.name);
  assert.equal(typeof tool.annotations.readOnlyHint, "boolean", tool.name);
}

const found = await call(client, "search_products", { searchTerm: "wool", limit: 3 });
assert.equal(found.products.length, 3);
await refused(client, "search_products", { limit: 501 }, "limit");
const made = await call(client, "create_project", { name: "By the TypeScript SDK" });
const step = await call(client, "create_step", { projectId: made.id, description: "Welcome" });
const on = [{ text: "On", next: step.name }];
await call(client, "update_step", { stepId: step.id, answers: on });
const shown = await call(client, "get_project", { projectId: made.id });
assert.deepEqual(shown.steps[0].answers, on);

const { resources } = await client.listResources();
const graph = resources.find((one) => one.name === "By the TypeScript SDK: graph");
assert((await client.readResource({ uri: graph.uri })).contents[0].text.startsWith("<svg"));
const { prompts } = await client.listPrompts();
assert.equal(prompts.length, 3);
const asked = await client.getPrompt({ name: "review_project", arguments: { projectId: made.id } });
assert(asked.messages[0].content.text.includes(made.id));
await assert.rejects(client.readResource({ uri: "cutaway://nothing/here" }));
await assert.rejects(client.getPrompt({ name: "nothing" }));

const film = `${process.cwd()}/assets/sample/videos/help-3.mp4`;
const told = [];
const onprogress = (progress) => told.push(progress.progress);
const sent = await call(client, "upload_video", { path: film }, { onprogress });
assert(told.length > 0 && told.every((done, at) => at === 0 || done >= told[at - 1]), String(told));
await call(client, "delete_asset", { videoId: sent.id });

// One that nobody waits for any more stops, and the session goes on.
const stop = new AbortController();
const dropped = client.callTool({ name: "lint", arguments: {} }, undefined, { signal: stop.signal });
stop.abort();
await assert.rejects(dropped);
await call(client, "whoami");
await call(client, "delete_project", { projectId: made.id });
await client.close();

const reader = await opened(["--read-only"]);
const { tools: reads } = await reader.listTools();
assert(reads.length > 0 && reads.length < tools.length && reads.every((tool) => tool.annotations.readOnlyHint));
await reader.close();

console.log(`mcp: ${tools.length} tools listed by the TypeScript SDK, the ways of a project and a video gone`);
