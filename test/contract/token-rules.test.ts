// The token rules over gRPC: the counts of messages, their quarters, and the totals.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { type Policy, TokenRounding, TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  METHODS,
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { message, policy, session } from "../support/contract/samples.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** A token rule by its name in the enum, or else as a preset. */
function byName(name: string): Pick<Policy, "tokenRule" | "tokenPreset"> {
  const tokenRule = Object.entries(TokenRule).find(([known]) => known === name)?.[1];
  if (tokenRule !== undefined) return { tokenRule, tokenPreset: "" };
  return { tokenRule: TokenRule.PRESET, tokenPreset: name };
}

async function sessionOf(fields: Partial<Policy>): Promise<string> {
  const sessionId = `rules-${count++}`;
  const given = session({ sessionId, policy: policy(fields) });
  await server.client.call("createSession", { session: given });
  return sessionId;
}

async function counts(fields: Partial<Policy>, messages: readonly Message[]) {
  const sessionId = await sessionOf(fields);
  const append = { sessionId, messages: [...messages] };
  const answer = await server.client.call("appendMessages", append);
  return answer.messages.map(({ tokenCount }) => tokenCount);
}

const SEARCH = { toolCallId: "call_1", name: "search", arguments: '{"q":"cats"}' };
const IMAGE = {
  part: {
    $case: "image",
    value: { source: { $case: "url", value: "u" }, mediaType: "", detail: "" },
  },
} as const;

/** One message of each kind. */
const MIXED: readonly Message[] = [
  message({ text: "hello world" }),
  message({ role: Role.ASSISTANT, toolCalls: [SEARCH] }),
  message({ role: Role.TOOL, text: "result text", toolCallId: "call_1", name: "search" }),
  message({ parts: [{ part: { $case: "text", value: "look at this" } }, IMAGE] }),
  message({ role: Role.ASSISTANT, text: "", name: "gpt" }),
  message({ text: "hi" }),
  message({ text: "\u{1f600}".repeat(9) }),
];

describe("a token rule", () => {
  test.each<readonly [string, Partial<Policy>, readonly number[]]>([
    ["chars_floor_4", {}, [2, 0, 2, 803, 0, 0, 2]],
    ["chars_floor_4_min_1", {}, [2, 0, 2, 803, 0, 1, 2]],
    ["chars_sum_4", { imageTokenCount: 0 }, [2, 0, 2, 3, 0, 0, 2]],
    ["structured", {}, [5, 12, 16, 806, 3, 3, 5]],
    ["WORDS", {}, [2, 2, 2, 803, 0, 1, 1]],
    [
      "CUSTOM",
      {
        customTokenRule: {
          charsPerToken: 2,
          rounding: TokenRounding.DOWN,
          perMessage: 1,
          perCall: 10,
          min: 4,
          contentOnly: true,
        },
      },
      [6, 11, 6, 807, 4, 4, 5],
    ],
    ["MODEL", { model: "some-model" }, [3, 5, 3, 803, 0, 1, 9]],
  ])("%s counts as it says", async (name, fields, expected) => {
    expect(await counts({ ...byName(name), ...fields }, MIXED)).toEqual(expected);
  });

  test("of a model counts as the model does, and the message names the rule", async () => {
    const sessionId = await sessionOf({ tokenRule: TokenRule.MODEL, model: "gpt-4o-mini" });
    const messages = [message({ text: "hello world" }), message({ text: "x", tokenCount: 9 })];
    await server.client.call("appendMessages", { sessionId, messages });
    const listed = await server.client.call("listMessages", { sessionId });
    expect(listed.messages.map(({ tokenCount, tokenRule }) => [tokenCount, tokenRule])).toEqual([
      [2, TokenRule.O200K],
      [9, TokenRule.GIVEN],
    ]);
  });

  test("that sums quarters rounds only sums", async () => {
    const sessionId = await sessionOf({
      ...byName("chars_sum_4"),
      imageTokenCount: 0,
    });
    // 4, 2, 5 and 2 characters are 13 in all, which is 3 tokens.
    const result = { toolCallId: "t", text: "12345", parts: [], error: false };
    const answer = await server.client.call("appendMessages", {
      sessionId,
      messages: [
        message({ parts: [{ part: { $case: "text", value: "abcd" } }, IMAGE] }),
        message({
          role: Role.ASSISTANT,
          text: "hi",
          toolCalls: [{ ...SEARCH, toolCallId: "t" }],
        }),
        message({ parts: [{ part: { $case: "toolResult", value: result } }] }),
        message({ text: "12" }),
      ],
    });
    expect(answer.messages.map(({ tokenCount }) => tokenCount)).toEqual([1, 0, 1, 0]);
    expect(answer.windowTotals?.tokenCount).toBe(3n);
    const listed = await server.client.call("listMessages", { sessionId });
    expect(listed.messages.map(({ tokenCount }) => tokenCount)).toEqual([1, 0, 1, 0]);
    const { windowTotals: window } = await server.client.call("getWindow", { sessionId });
    expect(window).toEqual({ messageCount: 4n, tokenCount: 3n });
    const found = await server.client.call("getSession", { sessionId });
    expect(found.session?.logTotals).toEqual({ messageCount: 4n, tokenCount: 3n });
    const more = { sessionId, messages: [message({ text: "123" })] };
    expect((await server.client.call("appendMessages", more)).windowTotals?.tokenCount).toBe(4n);
  });

  test("keeps quarters when a message changes, and when it is read and appended again", async () => {
    const sessionId = await sessionOf(byName("chars_sum_4"));
    const messages = [message({ text: "1" }), message({ messageId: "m", text: "1234567" })];
    await server.client.call("appendMessages", { sessionId, messages });
    const update = async (fields: Partial<Message>, updateMask: string[]) => {
      const changed = message({ messageId: "m", ...fields });
      const request = { sessionId, message: changed, updateMask };
      const { message: after, windowTotals: window } = await server.client.call(
        "updateMessage",
        request,
      );
      return [after?.tokenCount, window?.tokenCount];
    };
    // 1.75 and 0.25 are 2.
    expect(await update({ name: "n" }, ["name"])).toEqual([1, 2n]);
    expect(await update({ text: "12345" }, ["text"])).toEqual([1, 1n]);
    expect(await update({ tokenCount: 5 }, ["token_count"])).toEqual([5, 5n]);
    const { messages: listed } = await server.client.call("listMessages", { sessionId });
    const copy = listed.map((one) => ({ ...one, messageId: "", tokenCount: undefined }));
    const append = { sessionId: await sessionOf(byName("chars_sum_4")) };
    const again = await server.client.call("appendMessages", { ...append, messages: copy });
    expect(again.messages.map(({ tokenCount }) => tokenCount)).toEqual([0, 1]);
    expect(again.windowTotals?.tokenCount).toBe(1n);
  });

  test("that sums quarters shows them in no answer", async () => {
    const sessionId = await sessionOf(byName("chars_sum_4"));
    const text = "a fig"; // 1.25 tokens
    const messages = [message({ messageId: "m", text }), message({ messageId: "n", text })];
    await server.client.call("appendMessages", { sessionId, messages });
    // A field outside the contract is gone once an answer is written again.
    const expectNothingBeside = async <M extends UnaryName>(
      method: M,
      fields: Partial<RequestOf<M>>,
    ) => {
      const outcome = await server.client.raw(method, requestBytes(method, fields));
      if ("failure" in outcome) throw new Error(outcome.failure.message);
      const answer = METHODS[method].responseDeserialize(outcome.bytes);
      const serialize = METHODS[method].responseSerialize as (value: unknown) => Buffer;
      expect(outcome.bytes.includes(text)).toBe(true);
      expect(outcome.bytes).toHaveLength(serialize(answer).length);
    };
    const changed = message({ messageId: "m", name: "n" });
    await expectNothingBeside("updateMessage", { sessionId, message: changed });
    await expectNothingBeside("getMessage", { sessionId, messageId: "m" });
    await expectNothingBeside("listMessages", { sessionId });
    await expectNothingBeside("getWindow", { sessionId });
    const choice = { $case: "keepRecent", value: 0 } as const;
    await expectNothingBeside("listSummaryInputs", { sessionId, choice });
    await expectNothingBeside("recall", { query: text, contextBefore: 1, contextAfter: 1 });
    const watched = await server.client.call("listEvents", { pageSize: 1_000 });
    expect(JSON.stringify(watched, (_, v) => (typeof v === "bigint" ? 0 : v))).not.toContain(text);
  });

  test("of a new policy recounts nothing that is stored", async () => {
    const sessionId = await sessionOf({});
    const append = async () => {
      const request = { sessionId, messages: [message({ text: "12345" })] };
      return (await server.client.call("appendMessages", request)).messages[0]?.tokenCount;
    };
    expect(await append()).toBe(2);
    await server.client.call("updateSession", {
      session: session({ sessionId, policy: policy(byName("chars_floor_4")) }),
      updateMask: ["policy"],
    });
    expect(await append()).toBe(1);
    const listed = await server.client.call("listMessages", { sessionId });
    expect(listed.messages).toMatchObject([
      { tokenRule: TokenRule.BYTES_DIV_4, tokenPreset: "" },
      byName("chars_floor_4"),
    ]);
  });

  test.each<readonly [string, number]>([
    ["BYTES_DIV_4", 5],
    ["CHARS_DIV_4", 2],
    ["GIVEN", 5],
    ["chars_floor_4", 1],
    ["chars_floor_4_min_1", 1],
    ["chars_sum_4", 1],
    ["structured", 4],
    ["WORDS", 1],
  ])("%s counts summaries, too", async (name, tokenCount) => {
    const sessionId = await sessionOf(byName(name));
    const { session: after } = await server.client.call("setSummary", {
      ...{ sessionId, text: "\u{1f600}".repeat(5) },
    });
    expect(after?.summary?.tokenCount).toBe(tokenCount);
  });

  test("never counts more than a message may cost", async () => {
    const parts = Array.from({ length: 64 }, () => IMAGE);
    const results = Array.from({ length: 20 }, (_, index) => ({
      part: {
        $case: "toolResult" as const,
        value: { toolCallId: `${index}`, text: "", parts, error: false },
      },
    }));
    const policyFields = { imageTokenCount: 1_000_000 };
    expect(await counts(policyFields, [message({ parts: results })])).toEqual([1_000_000_000]);
  });
});
