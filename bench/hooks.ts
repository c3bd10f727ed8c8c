// Cost of hooks for callers that append: the same appends over sessions whose windows overflow into
// the log, and over sessions whose windows overflow into a hook that works, fails, hangs or drips.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ListTasksRequest, ListTasksResponse } from "../src/gen/memorysidecar/v1/task_service.ts";
import { DEFAULT_POLICY_PARTS, DEFAULT_STAGE, type Policy } from "../src/window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "../src/window/policy/summary-spec.ts";
import { make } from "./bodies.ts";
import { Caller } from "./caller.ts";
import { createSessions } from "./policies.ts";
import { freePort, startReal } from "./processes.ts";
import { seed } from "./seed.ts";
import { append, type Bench, core, type Found, inDirectory, rounds } from "./workloads.ts";

const SESSIONS = 64;
const IN_FLIGHT = 32;
const WINDOW = 40;
const OVER = 50;
const DRIP_MS = 1_000;
const DRAIN_MS = 50;

/** Answer of an endpoint that works. */
const ANSWER = JSON.stringify({
  choices: [{ message: { role: "assistant", content: "In short." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 3 },
});

/** Behaviours of the endpoint, by the path in its URL. */
const ENDPOINTS = ["working", "refused", "silent", "drips", "broken"] as const;

/** A window of 40 to 50 messages; messages that leave go to the log, or to a hook at once. */
function policyOf(hook: string | undefined): Policy {
  const summarize = {
    ...DEFAULT_SUMMARY_SPEC,
    keep: "append",
    leave: "at-once",
    onFailure: "drop",
  } as const;
  return {
    ...DEFAULT_POLICY_PARTS,
    stages: [
      {
        ...DEFAULT_STAGE,
        name: "oldest",
        unit: "message",
        anyOf: [{ kind: "message-count-over", limit: OVER }],
        select: {
          kind: "drop-oldest",
          maxMessages: WINDOW,
          stopAtProtected: false,
          stopAtFree: false,
        },
        ...(hook === undefined
          ? {}
          : { removedTo: "summarize", summarize: { ...summarize, hook } as const }),
      },
    ],
  };
}

/** An endpoint that works, never answers, sends a byte a second, or breaks off its answer. */
async function startEndpoint(): Promise<{ readonly port: number; stop(): void }> {
  const server: Server = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith("/silent")) return;
    if (request.url?.startsWith("/working")) {
      response.setHeader("content-type", "application/json");
      response.end(ANSWER);
      return;
    }
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    if (request.url?.startsWith("/broken")) {
      response.write("{");
      setTimeout(() => response.destroy(), 10);
      return;
    }
    const drip = setInterval(() => response.write(" "), DRIP_MS);
    response.once("close", () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port, stop };
}

/** Writes a hooks file with a hook for each endpoint. */
async function writeHooks(directory: string, port: number): Promise<string> {
  const nobody = await freePort();
  const hooks = Object.fromEntries(
    ENDPOINTS.map((name) => {
      const at = name === "refused" ? nobody : port;
      const url = `http://127.0.0.1:${at}/${name}`;
      return [name, { kind: "openai", url, model: "none", timeout_ms: 5_000 }];
    }),
  );
  const path = join(directory, "hooks.json");
  writeFileSync(path, JSON.stringify({ hooks: { ...hooks, nobody: { kind: "poll" } } }));
  return path;
}

/** Waits until a working hook is idle, as its work would count for the next measurement. */
async function drained(port: number, hook: string): Promise<void> {
  const caller = new Caller(port);
  const value = make(ListTasksRequest, { hook, pageSize: 1 });
  for (let left = 1; left > 0; ) {
    const path = "/memorysidecar.v1.TaskService/ListTasks";
    const answer = await caller.call(path, { codec: ListTasksRequest, value }, ListTasksResponse);
    left = answer.tasks.length;
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  }
  caller.close();
}

/** Appends while hooks work, and while they fail in each way. */
export function hooks(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const endpoint = await startEndpoint();
    const flags = ["--hooks-file", await writeHooks(directory, endpoint.port)];
    const server = await startReal(join(directory, "data"), { core: core(bench), flags });
    try {
      const { port } = server;
      const names = ["no hook", ...ENDPOINTS, "nobody", "builtin"];
      const settle = async (): Promise<void> => {
        for (const hook of ["working", "builtin"]) await drained(port, hook);
      };
      const steps = [];
      for (const name of names) {
        const prefix = `${name.replace(" ", "-")}-`;
        const policy = policyOf(name === "no hook" ? undefined : name);
        await createSessions(port, { prefix, sessions: SESSIONS, policy });
        await seed(port, { prefix, sessions: SESSIONS, messages: OVER });
        const job = append(prefix, SESSIONS, IN_FLIGHT);
        const what = name === "no hook" || name === "builtin" ? name : `${name} hook`;
        steps.push({ name: `append, ${what}`, server, job, settle });
      }
      return { rounds: await rounds(bench, steps), figures: new Map() };
    } finally {
      await server.stop();
      endpoint.stop();
    }
  });
}
