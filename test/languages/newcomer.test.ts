// The newcomer's agents of examples/agent, in Python and in TypeScript: at most 30 lines beside
// blank ones, comments and closing brackets, and a run beside a real server. A stand-in for the
// model calls the tools, and refuses what an API refuses.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { ROOT } from "../../tools/process.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { build, isMissing } from "./build.ts";

const MINUTES = 60_000;
const LINES = 30;
const FACT = "Ana lives in Berlin.";

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

const callOf = (id: string, name: string, args: object) => ({
  ...{ id, type: "function", function: { name, arguments: JSON.stringify(args) } },
});

let calls = 0;

/** Answers as a model would; what it is told may not have a result apart from its call. */
function answerOf(messages: readonly Message[]): Message {
  const open = new Set<string>();
  for (const { role, tool_calls = [], tool_call_id = "" } of messages) {
    if (role !== "tool" && open.size > 0) throw new Error("a call has no result");
    if (role === "tool" && !open.delete(tool_call_id)) throw new Error("a result has no call");
    for (const { id } of tool_calls) open.add(id);
  }
  const last = messages.at(-1);
  if (last?.role === "tool") return { role: "assistant", content: `Done: ${last.content}` };
  calls += 1;
  if (last?.content?.startsWith("Remember")) {
    const tool_calls = [
      callOf(`a${calls}`, "remember", { content: FACT }),
      callOf(`b${calls}`, "recall", { query: "the home of Ana" }),
    ];
    return { role: "assistant", content: null, tool_calls };
  }
  if (last?.content?.startsWith("Recall")) {
    const call = callOf(`c${calls}`, "recall", { query: "Where does Ana live?" });
    return { role: "assistant", content: null, tool_calls: [call] };
  }
  return { role: "assistant", content: `I read ${messages.length} messages.` };
}

/** A stand-in for the API of a model; gives its address. */
async function startModel(): Promise<string> {
  const model = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    try {
      const { messages, tools } = JSON.parse(body);
      if (tools.length !== 3) throw new Error("there are three tools");
      response.end(JSON.stringify({ choices: [{ message: answerOf(messages) }] }));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  onTestFinished(() => {
    model.close();
  });
  return `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
}

interface Program {
  readonly program: string;
  readonly args: readonly string[];
}

/** Runs an agent with lines of its user; gives what it printed. */
async function run({ program, args }: Program, address: string, model: string, said: string[]) {
  const env = { ...process.env, OPENAI_BASE_URL: model, OPENAI_API_KEY: "none" };
  const child = spawn(program, [...args, address], { cwd: ROOT, env });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdin.end(`${said.join("\n")}\n`);
  const [code] = await once(child, "close");
  return { code, errors, lines: output.trim().split("\n") };
}

async function check(agent: Program): Promise<void> {
  await using directory = await makeTempDir();
  const server = await startServer({ dataDir: directory.path });
  const client = connect(server.address);
  const model = await startModel();
  const long = Array.from({ length: 12 }, (_, at) => `Day ${at}: ${"sun and wind, ".repeat(20)}`);
  const first = await run(agent, server.address, model, ["Remember my home.", ...long, "Bye."]);
  expect(first.code).toBe(0);
  // The first answer has two lines.
  expect(first.lines).toHaveLength(15);
  expect(first.errors).toContain("left:");
  // A new process finds the fact, and the window that it left.
  const second = await run(agent, server.address, model, ["Recall my home.", "Bye."]);
  expect(second.code).toBe(0);
  expect(second.lines.slice(0, 2).join("\n")).toContain(FACT);
  const { messages, outsideTotals } = await client.window("chat");
  expect(outsideTotals?.messageCount).toBeGreaterThan(10);
  expect(messages.at(-1)?.role).toBe("ROLE_ASSISTANT");
  const memories = [];
  for await (const { text } of client.listMemories({ filter: { userId: "ana" } })) {
    memories.push(text);
  }
  expect(memories).toEqual([FACT]);
  client.close();
  await server.stop();
}

test.each(["agent.py", "agent.ts"])("%s has at most 30 lines of code", (name) => {
  const text = readFileSync(join(ROOT, "examples/agent", name), "utf8");
  const code = text.split("\n").filter((line) => !/^\s*($|#|\/\/|"""|[)\]};]+$)/.test(line));
  expect(code.length).toBeLessThanOrEqual(LINES);
});

describe("the newcomer's agent", () => {
  test("runs in TypeScript", { timeout: 2 * MINUTES }, async () => {
    await build(process.execPath, ["tools/build.ts", "client"]);
    await check({ program: process.execPath, args: ["examples/agent/agent.ts"] });
  });

  test.skipIf(isMissing("Python", "python3"))(
    "runs in Python",
    { timeout: 5 * MINUTES },
    async () => {
      await build("sh", ["clients/python/setup.sh"]);
      const program = join(ROOT, "clients/python/.venv/bin/python");
      await check({ program, args: ["examples/agent/agent.py"] });
    },
  );
});
