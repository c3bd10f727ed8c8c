// Long-term memory: the cost of a Remember beside an append, and the latency of a context for a
// user with many memories and a full session window.

import { join } from "node:path";
import { Memory } from "../src/gen/memorysidecar/v1/memory.ts";
import { RememberRequest, RememberResponse } from "../src/gen/memorysidecar/v1/memory_service.ts";
import {
  AssembleContextRequest,
  AssembleContextResponse,
} from "../src/gen/memorysidecar/v1/recall_service.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { make, sessionName, turns } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";
import { cpuMs, type Running, startReal } from "./processes.ts";
import { percentile } from "./stats.ts";
import { draw, seeded, textOf } from "./texts.ts";
import {
  append,
  type Bench,
  core,
  type Found,
  inDirectory,
  rounds,
  type Step,
} from "./workloads.ts";

const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";
const REMEMBER = "/memorysidecar.v1.MemoryService/Remember";
const CONTEXT = "/memorysidecar.v1.RecallService/AssembleContext";
const USER = "many";
const BATCH = 256;
const WIDTH = 4;
const SESSIONS = 1_000;
/** Enough texts that none repeats in a run. */
const TEXTS = 9_999_999;
const WINDOW = 100;
const SAMPLES_MIN = 100;

function remember(inFlight: number): Step["job"] {
  const body = { kind: "remember", prefix: `r${inFlight}x` } as const;
  return { path: REMEMBER, body, sessions: TEXTS, inFlight };
}

/** Alternates appends and Remember calls on one server. */
async function writes(bench: Bench, server: Running): Promise<Found["rounds"]> {
  const steps = [1, 32].flatMap((inFlight): Step[] => [
    { name: `append, ${inFlight}`, server, job: append("m", SESSIONS, inFlight) },
    { name: `remember, ${inFlight}`, server, job: remember(inFlight) },
  ]);
  return await rounds(bench, steps);
}

async function fill(port: number, count: number): Promise<void> {
  const caller = new Caller(port);
  const topics = Math.ceil(Math.sqrt(count));
  await inParallel(Math.ceil(count / BATCH), WIDTH, async (index) => {
    const random = seeded(index + 1);
    const length = Math.min(BATCH, count - index * BATCH);
    const memories = Array.from({ length }, () =>
      make(Memory, {
        userId: USER,
        text: textOf(random, Math.floor(random() * topics)),
        importance: random(),
      }),
    );
    const value = make(RememberRequest, { memories });
    await caller.call(REMEMBER, { codec: RememberRequest, value }, RememberResponse);
  });
  const value = make(AppendMessagesRequest, {
    ...{ sessionId: sessionName(USER, 0), messages: turns(WINDOW), createSession: true },
  });
  await caller.call(APPEND, { codec: AppendMessagesRequest, value }, AppendMessagesResponse);
  caller.close();
}

/** Requests contexts one after the other and records their latency. */
async function contexts(bench: Bench, server: Running, note: (name: string, ms: number) => void) {
  const caller = new Caller(server.port);
  const random = seeded(7);
  const topics = Math.ceil(Math.sqrt(bench.plan.memories));
  const ask = async (): Promise<number> => {
    const topic = Math.floor(random() * topics);
    const query = Array.from({ length: 6 }, () => draw(random, topic)).join(" ");
    const value = make(AssembleContextRequest, {
      ...{ sessionId: sessionName(USER, 0), query, maxTokens: 4_000 },
      scope: { userId: USER, agentId: undefined, sessionId: sessionName(USER, 0) },
    });
    const request = { codec: AssembleContextRequest, value };
    const begin = performance.now();
    const answer = await caller.call(CONTEXT, request, AssembleContextResponse);
    if (answer.text === "") throw new Error("a context is empty");
    return performance.now() - begin;
  };
  const begin = performance.now();
  await ask();
  note("first context ms", performance.now() - begin);
  const { warmMs, measureMs } = bench.plan;
  for (const end = performance.now() + warmMs; performance.now() < end; ) await ask();
  const times: number[] = [];
  const cpuBefore = cpuMs(server.pid);
  const end = performance.now() + measureMs;
  while (performance.now() < end || times.length < SAMPLES_MIN) times.push(await ask());
  times.sort((a, b) => a - b);
  note("context CPU ms", (cpuMs(server.pid) - cpuBefore) / times.length);
  note("context p50 ms", percentile(times, 0.5));
  note("context p95 ms", percentile(times, 0.95));
  caller.close();
}

/** Remember beside appends, and the context of a user with many memories. */
export function memories(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const figures = new Map<string, number>();
    const server = await startReal(join(directory, "writes"), { core: core(bench) });
    let found: Found["rounds"];
    try {
      found = await writes(bench, server);
    } finally {
      await server.stop();
    }
    // The index thread must not compete for the server's core.
    const many = await startReal(join(directory, "many"), { core: undefined });
    try {
      await fill(many.port, bench.plan.memories);
      await contexts(bench, many, (name, ms) => {
        figures.set(name, ms);
        bench.say(`  ${name} ${ms.toFixed(2)}`);
      });
    } finally {
      await many.stop();
    }
    return { rounds: found, figures };
  });
}
