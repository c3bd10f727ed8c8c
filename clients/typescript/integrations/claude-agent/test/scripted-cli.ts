// Stands in for the command line of the SDK, with a script in the place of a model: it answers each
// prompt with what it heard before, writes its transcript to disk, and mirrors it to the SDK.

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const config = process.env["CLAUDE_CONFIG_DIR"] ?? "";
const [, resumed] = /--resume[= ](\S+)/.exec(process.argv.join(" ")) ?? [];
const sessionId = resumed ?? randomUUID();
const [existing] = globSync(`projects/*/${sessionId}.jsonl`, { cwd: config });
const project = process.cwd().replace(/[^a-zA-Z0-9]/g, "-");
const transcript = join(config, existing ?? join("projects", project, `${sessionId}.jsonl`));
const subagent = transcript.replace(/\.jsonl$/, "/subagents/agent-a1.jsonl");

const say = (message: object): void => console.log(JSON.stringify(message));

/** Writes an entry to a transcript, and mirrors it. */
function write(filePath: string, role: "user" | "assistant", content: unknown): void {
  const entry = {
    ...{ type: role, uuid: randomUUID(), sessionId, timestamp: new Date().toISOString() },
    message: { role, content },
  };
  mkdirSync(dirname(filePath), { recursive: true });
  appendFileSync(filePath, `${JSON.stringify(entry)}\n`);
  say({ type: "transcript_mirror", filePath, entries: [entry] });
}

function answer(prompt: string): void {
  const before = existsSync(transcript) ? readFileSync(transcript, "utf8").trim().split("\n") : [];
  const text = `I had ${before.length} entries, and you said: ${prompt}`;
  const id = randomUUID();
  write(transcript, "user", prompt);
  write(transcript, "assistant", [{ type: "tool_use", id, name: "Task", input: { prompt } }]);
  write(subagent, "user", prompt);
  const message = { role: "assistant", content: [{ type: "text", text }] };
  say({ type: "assistant", uuid: randomUUID(), session_id: sessionId, message });
  write(transcript, "user", [{ type: "tool_result", tool_use_id: id, content: "done" }]);
  write(transcript, "assistant", [{ type: "text", text }]);
  say({
    ...{ type: "result", subtype: "success", is_error: false, result: text, num_turns: 1 },
    ...{ session_id: sessionId, uuid: randomUUID(), duration_ms: 1, duration_api_ms: 1 },
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as {
    type: string;
    request_id?: string;
    message?: { content: string | { text: string }[] };
  };
  if (request.type === "control_request") {
    const { request_id } = request;
    say({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
  } else if (request.type === "user") {
    const content = request.message?.content ?? "";
    answer(typeof content === "string" ? content : content.map(({ text }) => text).join(""));
  }
}
