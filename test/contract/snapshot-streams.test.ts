// ExportSession beside changes of the session, and random sessions through ExportSession and
// ImportSession.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  METHODS,
  requestBytes,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import { keepStage, message, policy, session, toolCall } from "../support/contract/samples.ts";
import {
  bringSnapshot,
  comparable,
  exportBytes,
  exportChunks,
  takeSnapshot,
} from "../support/contract/snapshots.ts";
import { testSeed } from "../support/kit/random.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = () => `stream-${count++}`;

/** A session of several pieces. */
async function large(): Promise<string> {
  const sessionId = fresh();
  for (let n = 0; n < 40; n++) {
    const text = { text: "x".repeat(100_000), tokenCount: 1 };
    const messages = [1, 2].map((part) => message({ messageId: `m${n}-${part}`, ...text }));
    await server.client.call("appendMessages", { sessionId, messages, createSession: true });
  }
  return sessionId;
}

describe("an export beside changes", () => {
  test("does not see appends, and fails when a message is changed", async () => {
    const sessionId = await large();
    const appended = server.client.call("appendMessages", {
      sessionId,
      messages: [message({ text: "later" })],
    });
    const [whole] = await Promise.all([takeSnapshot(server.client, sessionId), appended]);
    expect(Number(whole.header.session?.lastSeq)).toBe(whole.messages.length);
    let changed = 0;
    for (let attempt = 0; attempt < 10 && changed === 0; attempt++) {
      const exporting = server.client.export({ sessionId });
      const edit = message({ messageId: `m39-${1 + (attempt % 2)}`, text: `new ${attempt}` });
      await server.client.call("updateMessage", { sessionId, message: edit });
      const { chunks, failure } = await exporting;
      if (failure === undefined) continue;
      changed += 1;
      expect([failure.code, failure.reason]).toEqual(["ABORTED", "SESSION_CHANGED"]);
      expect(chunks.length).toBeLessThan(40);
    }
    expect(changed).toBeGreaterThan(0);
  });

  test("can be left by its reader, and gives its place back", async () => {
    const sessionId = await large();
    const leave = () =>
      new Promise<void>((resolve) => {
        const stream = server.client.channel.makeServerStreamRequest(
          "/memorysidecar.v1.SessionService/ExportSession",
          (value: Buffer) => value,
          (value: Buffer) => value,
          // `session_id`, by hand.
          Buffer.concat([Buffer.from([0x12, sessionId.length]), Buffer.from(sessionId)]),
        );
        stream.on("error", () => resolve());
        stream.once("data", () => stream.cancel());
      });
    for (let n = 0; n < LIMITS.exports * 2; n++) await leave();
    const { messages } = await takeSnapshot(server.client, sessionId);
    expect(messages.length).toBe(80);
  });
});

type Step =
  | { readonly do: "append"; readonly kind: number; readonly text: string }
  | { readonly do: "erase" | "change"; readonly at: number }
  | { readonly do: "reset" | "fill" | "summary" | "place" | "turn-end" | "restore" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      kind: fc.nat(6),
      text: fc.string({ unit: "grapheme" }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("erase", "change"), at: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("reset", "fill", "summary", "place", "turn-end", "restore"),
    }),
  },
) as fc.Arbitrary<Step>;

const drafts = (kind: number, text: string) => {
  switch (kind) {
    case 0:
      return [message({ role: Role.SYSTEM, text })];
    case 1:
      return [message({ role: Role.ASSISTANT, text, toolCalls: [toolCall("c"), toolCall("d")] })];
    case 2:
      return [message({ role: Role.TOOL, toolCallId: "c", text, toolError: true })];
    case 3:
      return [message({ role: Role.ASSISTANT, text }), message({ text: "and" })];
    default:
      return [message({ text, tokenCount: kind === 4 ? 7 : undefined })];
  }
};

async function run(sessionId: string, one: Step): Promise<void> {
  const { client } = server;
  const { messages } = await client.call("listMessages", { sessionId });
  const newest = messages.at(-1)?.messageId ?? "none";
  const outcome = [{ tool: "search", error: true }];
  switch (one.do) {
    case "append": {
      const toolOutcomes = one.kind === 3 ? outcome : [];
      const request = { sessionId, messages: drafts(one.kind, one.text), toolOutcomes };
      await client.raw("appendMessages", requestBytes("appendMessages", request));
      return;
    }
    case "erase":
    case "change": {
      const messageId = messages[one.at % Math.max(1, messages.length)]?.messageId ?? "none";
      const changed = { sessionId, message: message({ messageId, name: "n" }) };
      if (one.do === "change")
        await client.raw("updateMessage", requestBytes("updateMessage", changed));
      else
        await client.raw("deleteMessage", requestBytes("deleteMessage", { sessionId, messageId }));
      return;
    }
    case "reset":
      await client.call("resetSession", { sessionId, keepSystemMessages: true });
      return;
    case "fill":
      await client.call("fillToolResults", { sessionId });
      return;
    case "summary":
      await client.call("setSummary", { sessionId, text: "S" });
      return;
    case "place": {
      const placed = { sessionId, text: "P", replacedMessageIds: [newest], placement: 2 as const };
      await client.raw("setSummary", requestBytes("setSummary", placed));
      return;
    }
    case "turn-end":
      await client.call("appendMessages", { sessionId, turnEnd: true, toolOutcomes: outcome });
      return;
    default:
      await client.raw(
        "restoreMessages",
        requestBytes("restoreMessages", { sessionId, messageIds: [newest] }),
      );
  }
}

describe("an export", () => {
  test("goes into an import byte for byte", async () => {
    const sessionId = await large();
    const copy = fresh();
    const answers = await exportBytes(server.client, { sessionId });
    expect(answers.length).toBeGreaterThan(2);
    let uploadId = "";
    for (const [chunkIndex, answer] of answers.entries()) {
      const more = chunkIndex < answers.length - 1;
      const rest = requestBytes("importSession", { sessionId: copy, uploadId, chunkIndex, more });
      // The chunk is field 1 of the answer and field 8 of the request.
      expect(answer[0]).toBe((1 << 3) | 2);
      const request = Buffer.concat([rest, Buffer.from([(8 << 3) | 2]), answer.subarray(1)]);
      const outcome = await server.client.raw("importSession", request);
      if ("failure" in outcome) throw new Error(outcome.failure.message);
      ({ uploadId } = METHODS.importSession.responseDeserialize(outcome.bytes));
    }
    const [before, after] = await Promise.all(
      [sessionId, copy].map((id) => takeSnapshot(server.client, id)),
    );
    expect(after && comparable(after)).toEqual(before && comparable(before));
  });

  test("of a session that is not there fails", async () => {
    const { failure } = await server.client.export({ sessionId: "nobody" });
    expect(failure?.reason).toBe("SESSION_NOT_FOUND");
    const bad = await server.client.export({ sessionId: "" });
    expect(bad.failure?.fields).toEqual(["session_id"]);
  });

  test("gives chunks of at most 1 MiB, and large messages each on its own", async () => {
    const sessionId = fresh();
    const big = message({ text: "x".repeat(700_000), tokenCount: 1 });
    for (let n = 0; n < 3; n++) {
      const messages = [big, message({ text: "small" })];
      await server.client.call("appendMessages", { sessionId, messages, createSession: true });
    }
    const chunks = await exportChunks(server.client, { sessionId });
    const sizes = chunks.map(({ messages }) =>
      messages.reduce((sum, { text }) => sum + text.length, 0),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2_100_015);
    for (const size of sizes) expect(size).toBeLessThanOrEqual(LIMITS.snapshotChunkBytes);
  });
});

describe("random sessions", () => {
  test("come back as they were", { timeout: 120_000 }, async () => {
    const stages = [
      keepStage({
        anyOf: [{ condition: { $case: "toolError", value: { names: ["search"] } } }],
        name: "told",
        on: 3,
      }),
      keepStage({
        anyOf: [{ condition: { $case: "newMessagesAtLeast", value: 3 } }],
        select: {
          $case: "dropOldest",
          value: {
            maxMessages: 5,
            maxAge: undefined,
            stopAtProtected: false,
            stopAtZeroTokens: false,
          },
        },
      }),
    ];
    const reached = new Set<string>();
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const sessionId = fresh();
      const kept = policy({
        stages,
        ...{ tokenRule: TokenRule.PRESET, tokenPreset: "chars_sum_4" },
      });
      await server.client.call("createSession", { session: session({ sessionId, policy: kept }) });
      for (const one of steps) await run(sessionId, one);
      const before = await takeSnapshot(server.client, sessionId);
      const { header, messages: log } = before;
      if (header.inserts.some(({ summary }) => summary)) reached.add("a placed summary");
      if (header.inserts.some(({ summary }) => !summary)) reached.add("a filled result");
      if (header.outcomes.length > 0) reached.add("an outcome");
      if ((header.session?.stageStates.length ?? 0) > 0) reached.add("a stage that acted");
      if (header.firstSeq > 1n) reached.add("a reset");
      if (header.windowSeqRanges.length > 1) reached.add("a window with gaps");
      const whole = log.reduce((sum, { tokenCount = 0 }) => sum + BigInt(tokenCount), 0n);
      if ((header.session?.logTotals?.tokenCount ?? 0n) > whole) reached.add("quarters");
      if (log.some((one, index) => one.seq > BigInt(index + 1))) reached.add("a hole");
      const copy = `${sessionId}-copy`;
      await bringSnapshot(server.client, before, { sessionId: copy, chunk: 7 });
      const after = await takeSnapshot(server.client, copy);
      expect(comparable(after)).toEqual(comparable(before));
      const windows = [sessionId, copy].map((id) =>
        server.client.call("getWindow", { sessionId: id }),
      );
      const [source, target] = await Promise.all(windows);
      expect(target?.windowTotals).toEqual(source?.windowTotals);
      expect(target?.messages.map(({ messageId }) => messageId)).toEqual(
        source?.messages.map(({ messageId }) => messageId),
      );
    });
    const all = [
      ...["a filled result", "a hole", "a placed summary", "a reset", "a stage that acted"],
      ...["a window with gaps", "an outcome", "quarters"],
    ];
    const seed = testSeed("snapshots");
    // A rare outcome may need several attempts.
    for (let go = 0; go < 5 && reached.size < all.length; go++) {
      await fc.assert(property, { seed: seed + go, numRuns: 150 });
    }
    expect([...reached].sort()).toEqual(all);
  });
});
