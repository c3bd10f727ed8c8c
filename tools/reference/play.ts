// Plays a story against its own servers and records their answers. The clock and the random source
// are fixed, so the same story gives the same answers.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DescMethod, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { type App, appSettings, startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { CODEC } from "../../src/edge/codec.ts";
import { createHooks } from "../../src/hooks/registry.ts";
import { createLogs } from "../../src/log.ts";
import type { StoreCopier } from "../../src/store/backup/copier.ts";
import { NO_TOTALS } from "../../src/store/verify/verify.ts";
import { newMemoryState } from "../../test/model/state.ts";
import { openMemoryStore } from "../../test/model/store.ts";
import { type Contract, messageJson, rpcsOf } from "./contract.ts";
import { type ExampleHook, startExampleHook } from "./hook.ts";
import { type Act, type Example, type Past, type Step, withAnswers } from "./story.ts";

/** Result of playing the examples. The examples are complete only without problems. */
export interface Played {
  /** Examples by rpc. */
  readonly examples: ReadonlyMap<string, Example>;
  readonly problems: readonly string[];
}

const CALL_TIMEOUT_MS = 20_000;
const START_MS = Date.UTC(2026, 4, 4, 9);
const STEP_MS = 10_000;

/**
 * Plays every act; reports each example that does not match the contract, and each rpc without one.
 */
export async function playStory(contract: Contract, acts: readonly Act[]): Promise<Played> {
  const examples = new Map<string, Example>();
  const problems: string[] = [];
  for (const act of acts) {
    try {
      await playAct(contract, act, { examples, problems });
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  for (const { name } of rpcsOf(contract)) {
    const isReported = problems.some((problem) => problem.startsWith(`${name}: `));
    if (!examples.has(name) && !isReported) problems.push(`${name}: has no example`);
  }
  return { examples, problems };
}

async function playAct(
  contract: Contract,
  act: Act,
  { examples, problems }: { examples: Map<string, Example>; problems: string[] },
): Promise<void> {
  const world = new StoryWorld();
  await using hook = await startExampleHook(contract, act.answers);
  await using server = await startExampleServer(act, hook, world);
  const past = new Map<string, readonly JsonValue[]>();
  for (const step of act.steps) {
    world.begin(step.rpc);
    try {
      const example = await playStep(contract, step, { client: server.client, past });
      past.set(step.rpc, example.answers);
      if (step.isShown) examples.set(step.rpc, example);
    } catch (error) {
      problems.push(`${step.rpc}: ${(error as Error).message}`);
    }
  }
  for (const [name, call] of hook.calls) examples.set(name, call);
}

interface Scene {
  readonly client: Client;
  /** Answers of earlier steps. */
  readonly past: Past;
}

async function playStep(contract: Contract, step: Step, { client, past }: Scene): Promise<Example> {
  const method = rpcsOf(contract).find((rpc) => rpc.name === step.rpc);
  if (method === undefined) throw new Error("the contract has no such rpc");
  const request = withAnswers(step.request, past);
  const { registry } = contract;
  let bytes: Buffer;
  try {
    bytes = Buffer.from(toBinary(method.input, fromJson(method.input, request, { registry })));
  } catch (error) {
    throw new Error(`the request does not fit the contract: ${(error as Error).message}`);
  }
  const answers = await call(client, method, { bytes, count: step.answerCount });
  const read = (answer: Buffer): JsonValue => messageJson(contract, method.output, answer);
  return { request, answers: answers.map(read) };
}

/** Calls an rpc; returns its answer, or the first answers of a stream. */
function call(
  client: Client,
  method: DescMethod,
  { bytes, count }: { bytes: Buffer; count: number },
): Promise<Buffer[]> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const same = (value: Buffer): Buffer => value;
  const deadline = Date.now() + CALL_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const refuse = (error: ServiceError): void =>
      reject(new Error(`the server refuses it: ${error.message}`));
    if (method.methodKind === "unary") {
      client.makeUnaryRequest(path, same, same, bytes, { deadline }, (error, answer) => {
        if (error === null) resolve([answer ?? Buffer.alloc(0)]);
        else refuse(error);
      });
      return;
    }
    const answers: Buffer[] = [];
    const stream = client.makeServerStreamRequest(path, same, same, bytes, { deadline });
    stream.on("data", (answer: Buffer) => {
      answers.push(answer);
      if (answers.length < count) return;
      resolve(answers);
      stream.cancel();
    });
    stream.on("end", () => resolve(answers));
    stream.on("error", refuse);
  });
}

/** A clock that advances with each step, and randomness that depends only on the step. */
class StoryWorld {
  #nowMs = START_MS;
  #step = "";
  #draws = 0;

  begin(step: string): void {
    this.#nowMs += STEP_MS;
    this.#step = `${step} ${this.#nowMs}`;
    this.#draws = 0;
  }

  readonly nowMs = (): number => this.#nowMs;

  readonly random = (length: number): Uint8Array => {
    const blocks: Buffer[] = [];
    for (let bytes = 0; bytes < length; bytes += 32) {
      this.#draws += 1;
      blocks.push(createHash("sha256").update(`${this.#step} ${this.#draws}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
}

/** Back-ups and compactions of a store that is always the same. */
const EXAMPLE_COPIER: StoreCopier = {
  compact: async ({ onProgress }) => {
    const [before, after] = [9_437_184, 1_310_720];
    onProgress({ step: "copying", bytes: 524_288, totalBytes: after });
    return { bytesBefore: before, bytesAfter: after, pauseMs: 12 };
  },
  stream: () => Promise.reject(new Error("The examples have no file.")),
  directory: {
    newestStartMs: () => undefined,
    make: async (startMs, { onProgress }) => {
      const [bytes, sha256] = [1_310_720, createHash("sha256").update("example").digest("hex")];
      onProgress?.({ step: "copying", bytes: 524_288, totalBytes: bytes });
      const counts = { sessions: 12, messages: 640, events: 702, documents: 30, memories: 8 };
      const totals = { ...NO_TOTALS, ...counts, records: 1_970 };
      const name = "20260105T090000000Z";
      return { name, storeId: "5d41402abc4b2a76", startMs, version: "", bytes, sha256, totals };
    },
  },
};

interface ExampleServer extends AsyncDisposable {
  readonly client: Client;
}

/** Starts a server with the product's defaults and an in-memory store. */
async function startExampleServer(
  act: Act,
  hook: ExampleHook,
  world: StoryWorld,
): Promise<ExampleServer> {
  const folder = mkdtempSync(join(tmpdir(), "memory-sidecar-reference-"));
  const hooksFile = join(folder, "hooks.json");
  writeFileSync(hooksFile, JSON.stringify(act.hooks).replaceAll("HOOK", hook.target));
  const config = readConfig(
    ["--data-dir", folder, "--listen", "127.0.0.1:0", "--hooks-file", hooksFile],
    {},
  );
  const logs = createLogs("silent");
  const app: App = await startApp({
    settings: appSettings(config),
    logs,
    store: await openMemoryStore({
      readFacts: CODEC.readFacts,
      state: newMemoryState("5d41402abc4b2a76"),
    }),
    hooks: await createHooks(config.hooks, { log: logs.hooks }),
    backUps: { copier: EXAMPLE_COPIER, everyMs: 0, bytesPerSecond: 0 },
    world,
  });
  const client = new Client(app.addresses[0] ?? "", credentials.createInsecure());
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await app.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
