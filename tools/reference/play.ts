// Plays a story against servers of its own and records what they answer. The clock and the
// random source are fixed, so that the same story gives the same answers.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DescMethod, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { type App, appSettings, startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createHooks } from "../../src/hooks/registry.ts";
import { createLogs } from "../../src/log.ts";
import { newMemoryState } from "../../src/storage/memory/state.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { CODEC } from "../../src/transport/convert/message.ts";
import { type Contract, messageJson, rpcsOf } from "./contract.ts";
import { type ExampleHook, startExampleHook } from "./hook.ts";
import { type Act, type Example, type Past, type Step, withAnswers } from "./story.ts";

/** What playing gave. With a problem the examples are not complete. */
export interface Played {
  /** By rpc. */
  readonly examples: ReadonlyMap<string, Example>;
  readonly problems: readonly string[];
}

const CALL_TIMEOUT_MS = 20_000;
const START_MS = Date.UTC(2026, 4, 4, 9);
const STEP_MS = 10_000;

/** Plays every act, and names each example that does not fit and each rpc that has none. */
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
  /** The answers of earlier steps. */
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

/** Calls an rpc: gives its answer, or the first ones of a stream. */
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

/** A clock that each step moves, and randomness that depends on the step alone. */
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

interface ExampleServer extends AsyncDisposable {
  readonly client: Client;
}

/** Starts a server with the defaults of the product, over a store in memory. */
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
