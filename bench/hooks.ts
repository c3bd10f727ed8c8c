// What hooks cost those who append: the same appends over sessions whose windows overflow into the
// log, and over sessions whose windows overflow into a hook that works, fails, hangs or drips.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DEFAULT_POLICY_PARTS, DEFAULT_STAGE, type Policy } from "../src/domain/policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "../src/domain/summaries/spec.ts";
import { createSessions } from "./policies.ts";
import { freePort, startReal } from "./processes.ts";
import { seed } from "./seed.ts";
import { append, type Bench, core, type Found, inDirectory, rounds } from "./workloads.ts";

const SESSIONS = 64;
const IN_FLIGHT = 32;
const WINDOW = 40;
const OVER = 50;
const DRIP_MS = 1_000;

/** How the endpoints misbehave, by the path in their URL. */
const ENDPOINTS = ["refused", "silent", "drips", "broken"] as const;

/** A window of 40 to 50 messages; what leaves goes to the log, or to a hook at once. */
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

/** An endpoint that never answers, answers a byte a second, or breaks its answer off. */
async function startEndpoint(): Promise<{ readonly port: number; stop(): void }> {
  const server: Server = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith("/silent")) return;
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

/** Names a hook for every endpoint in a file. */
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

/** Appends while hooks work, and while they fail in their ways. */
export function hooks(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const endpoint = await startEndpoint();
    const flags = ["--hooks-file", await writeHooks(directory, endpoint.port)];
    const server = await startReal(join(directory, "data"), { core: core(bench), flags });
    try {
      const { port } = server;
      const names = ["no hook", ...ENDPOINTS, "nobody", "builtin"];
      const steps = [];
      for (const name of names) {
        const prefix = `${name.replace(" ", "-")}-`;
        const policy = policyOf(name === "no hook" ? undefined : name);
        await createSessions(port, { prefix, sessions: SESSIONS, policy });
        await seed(port, { prefix, sessions: SESSIONS, messages: OVER });
        const job = append(prefix, SESSIONS, IN_FLIGHT);
        const what = name === "no hook" || name === "builtin" ? name : `${name} hook`;
        steps.push({ name: `append, ${what}`, server, job });
      }
      return { rounds: await rounds(bench, steps), figures: new Map() };
    } finally {
      await server.stop();
      endpoint.stop();
    }
  });
}
