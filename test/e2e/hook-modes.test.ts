// Long conversations with a small window under every mode of summaries: what left the window is in
// the summaries, each message once, and every text was made from what its summary says.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connect,
  dropOldest,
  type MemorySidecar,
  makePolicy,
  type SummarizeOptions,
  summarize,
  summaryView,
} from "../../clients/typescript/src/index.ts";
import { answerCover, coverOfCall, writeHooks } from "../support/hooks/cover-hook.ts";
import {
  answerOutput,
  type ScriptedGrpcHook,
  startScriptedGrpcHook,
} from "../support/hooks/scripted-grpc.ts";
import { TEST_DEPTH } from "../support/kit/random.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { numbered, numbersIn } from "../support/process/cover.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { checkAccount, seqsOf } from "../support/process/summary-account.ts";
import { drained, eventually, readAccount } from "../support/process/summary-reader.ts";

const MESSAGES = 2_000 * TEST_DEPTH;
const BATCH = 100;
const SLOW_APPENDS = 100;

let directory: TempDir;
let hook: ScriptedGrpcHook;
let slow: ScriptedGrpcHook;
let server: RunningServer;
let client: MemorySidecar;

beforeAll(async () => {
  directory = await makeTempDir();
  hook = await startScriptedGrpcHook([answerCover]);
  slow = await startScriptedGrpcHook([answerCover]);
  const hooks = await writeHooks(directory.path, {
    cover: { kind: "grpc", target: hook.target, concurrency: 8, max_input_tokens: 100_000 },
    slow: { kind: "grpc", target: slow.target },
  });
  server = await startServer({ dataDir: `${directory.path}/data`, args: ["--hooks-file", hooks] });
  client = connect(server.address, { timeoutMs: 120_000 });
});

afterAll(async () => {
  client.close();
  await server.stop();
  await hook[Symbol.asyncDispose]();
  await slow[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** A session that keeps 10 to 30 messages and has the others summarized. */
async function openSession(sessionId: string, options: SummarizeOptions): Promise<void> {
  const stage = dropOldest(
    "shrink",
    { maxMessages: 10 },
    { unit: "message", over: { messages: 30 }, summarize: summarize(options) },
  );
  const policy = makePolicy([stage], { summaryView: summaryView({ show: "none" }) });
  await client.createSession({ sessionId, policy });
}

async function converse(sessionId: string, first: number, count: number): Promise<void> {
  for (let next = first; next < first + count; next += BATCH) {
    const length = Math.min(BATCH, first + count - next);
    const texts = Array.from({ length }, (_, index) => numbered(next + index));
    await client.append(sessionId, texts);
  }
}

const MODES: readonly (readonly [string, SummarizeOptions])[] = [
  ["append", { keep: "append", lastChars: 16_000, separator: "\n" }],
  ["append-at-once", { keep: "append", leave: "at-once", lastChars: 16_000, separator: "\n" }],
  ["replace", { keep: "replace" }],
  ["replace-at-once", { keep: "replace", leave: "at-once" }],
  ["in-place", { keep: "in-place" }],
  ["in-place-density", { keep: "in-place", flow: "density", maxLoops: 3 }],
  ["hierarchical", { keep: "hierarchical", fanIn: 3 }],
];

describe("a long conversation and a small window", () => {
  test.concurrent.for(MODES)(
    "%s: the sources add up to what left",
    { timeout: 180_000 },
    async ([mode, options], { expect }) => {
      await openSession(mode, { hook: "cover", ...options });
      await converse(mode, 1, MESSAGES);
      await drained(client, mode);
      const account = await readAccount(client, mode);
      expect(checkAccount(account, { textsCover: true, settled: true }).slice(0, 20)).toEqual([]);
      const current = account.summaries.filter((summary) => summary.current);
      const left = MESSAGES - account.window.length;
      expect(account.log).toHaveLength(MESSAGES);
      expect(account.window.length).toBeLessThanOrEqual(30);
      expect(current.flatMap(({ listed = [] }) => listed)).toHaveLength(left);
      expect(account.summaries.length).toBeGreaterThan(3);
      const count = account.summaries.length;
      console.log(`${mode}: ${count} summaries of ${left} messages`);
    },
  );

  test.concurrent.for([
    ["builtin-in-place", { keep: "in-place" }],
    ["builtin-append", { keep: "append", leave: "at-once" }],
    ["builtin-hierarchical", { keep: "hierarchical" }],
  ] as const)(
    "%s: the sources add up to what left",
    { timeout: 180_000 },
    async ([mode, options], { expect }) => {
      await openSession(mode, { hook: "builtin", maxTokens: 64, ...options });
      await converse(mode, 1, MESSAGES);
      await drained(client, mode, 120_000);
      const account = await readAccount(client, mode);
      expect(checkAccount(account, { settled: true }).slice(0, 20)).toEqual([]);
      console.log(`${mode}: ${account.summaries.length} summaries`);
    },
  );
});

describe("100 appends while a summary takes long", () => {
  test.for([
    ["in-place", "with-summary"],
    ["replace", "with-summary"],
    ["append", "at-once"],
  ] as const)("%s, %s: all are kept, and the summary is right", async ([keep, leave]) => {
    const sessionId = `slow-${keep}`;
    const before = slow.calls.length;
    const answer = Promise.withResolvers<void>();
    slow.script((reply, call) => {
      slow.script(answerCover);
      const act = answerOutput({ text: coverOfCall(call) });
      void answer.promise.then(() => act(reply, call));
    });
    await openSession(sessionId, { hook: "slow", keep, leave });
    await converse(sessionId, 1, 31);
    await eventually("the call", 90_000, async () => slow.calls[before]);
    for (let number = 32; number < 32 + SLOW_APPENDS; number++) {
      await client.append(sessionId, numbered(number));
    }
    const during = await readAccount(client, sessionId);
    expect(during.lastSeq).toBe(31 + SLOW_APPENDS);
    expect(during.summaries).toEqual([]);
    expect(checkAccount(during)).toEqual([]);
    // Until the summary is there, its messages are in the window, or they left at once.
    expect(during.window.includes(1)).toBe(leave === "with-summary");
    answer.resolve();
    await drained(client, sessionId);
    const account = await readAccount(client, sessionId);
    expect(checkAccount(account, { textsCover: keep !== "append", settled: true })).toEqual([]);
    const [first] = account.summaries;
    expect(seqsOf(first?.added ?? [])).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
    expect(numbersIn(first?.text ?? "")).toEqual(seqsOf(first?.added ?? []));
  });
});
