import { expect, test } from "vitest";
import { draftOf, type JsonMessage, jsonCodec } from "../../../test/support/services/json-codec.ts";
import { policyOf, stageOf } from "../../../test/support/window/policies.ts";
import type { Codec } from "../../core/codec.ts";
import type { StoredEntry } from "../../store/store.ts";
import { outcomesOf } from "./append-outcomes.ts";

const policy = policyOf([
  stageOf({
    anyOf: [{ kind: "tool-error", names: ["search", "mail", "given"] }],
  }),
]);

/** A call id `mail-1` is one of the tool `mail`. */
const codec: Codec = {
  ...jsonCodec,
  readDetail: (bytes) => {
    const detail = jsonCodec.readDetail(bytes);
    const toolCalls = detail.toolCalls.map((call) => ({ ...call, name: toolNamed(call.id) }));
    return { ...detail, toolCalls };
  },
};

function toolNamed(callId: string): string {
  return callId.split("-")[0] ?? "";
}

function entriesOf(messages: readonly JsonMessage[], first = 1): StoredEntry[] {
  return messages.map((message, index) => {
    const seq = first + index;
    const bytes = codec.encodeMessage(draftOf(message), {
      messageId: `m${seq}`,
      seq,
      tokenCount: 1,
      tokenRule: "given",
      writer: "",
      createMs: 0,
      updateMs: 0,
      etag: "",
    });
    return { ...codec.readFacts(bytes), seq, byteCount: bytes.length, bytes };
  });
}

/** A window that the outcomes must not need. */
const unread = (): never => expect.unreachable("the window was read");

function outcomes(
  messages: readonly JsonMessage[],
  window?: readonly JsonMessage[],
  given: Parameters<typeof outcomesOf>[1]["given"] = [],
): ReturnType<typeof outcomesOf> {
  return outcomesOf(policy, {
    codec,
    drafts: messages.map(draftOf),
    messages: entriesOf(messages, 100),
    window: window === undefined ? unread : () => entriesOf(window),
    given,
  });
}

const assistant = 2;
const tool = 4;

test("a tool message names its tool itself", () => {
  const message = { role: tool, name: "search", toolCallId: "mail-1", toolError: true } as const;
  expect(outcomes([message])).toEqual([{ tool: "search", error: true }]);
});

test("else the call that it answers does, in the append or in the window", () => {
  const call = { role: assistant, callIds: ["mail-1", "search-1"] } as const;
  const result = { role: tool, toolCallId: "search-1" } as const;
  const found = [{ tool: "search", error: false }];
  expect(outcomes([call, result])).toEqual(found);
  expect(outcomes([result], [call])).toEqual(found);
  expect(outcomes([result], [])).toEqual([]);
});

test("results without an id answer the calls right before them in order", () => {
  const call = { role: assistant, callIds: ["mail-1", "search-1", "mail-2"] } as const;
  const named = { role: tool, toolCallId: "mail-1" } as const;
  const nameless = { role: tool, toolError: true } as const;
  expect(outcomes([call, named, nameless, nameless])).toEqual([
    { tool: "mail", error: false },
    { tool: "search", error: true },
    { tool: "mail", error: true },
  ]);
  expect(outcomes([nameless], [call])).toEqual([{ tool: "mail", error: true }]);
  expect(outcomes([nameless], [{ text: "hi" }])).toEqual([]);
});

test("results among the parts of a user message count, each by its call", () => {
  const call = { role: assistant, callIds: ["mail-1", "search-1"] } as const;
  const results = { role: 1, name: "Ann", results: ["mail-1", "search-1"] } as const;
  expect(outcomes([call, results])).toEqual([
    { tool: "mail", error: false },
    { tool: "search", error: false },
  ]);
});

test("what the caller says comes last; tools that no trigger names are left out", () => {
  const message = { role: tool, name: "search", toolCallId: "x" } as const;
  const other = { role: tool, name: "unknown", toolCallId: "y" } as const;
  expect(outcomes([other, message], undefined, [{ tool: "given", error: true }])).toEqual([
    { tool: "search", error: false },
    { tool: "given", error: true },
  ]);
});

test("a policy without such triggers looks at nothing", () => {
  const result = outcomesOf(policyOf([stageOf()]), {
    codec: { ...codec, readDetail: () => expect.unreachable() },
    drafts: [draftOf({ role: tool, toolCallId: "search-1" })],
    messages: [],
    window: unread,
    given: [{ tool: "search", error: true }],
  });
  expect(result).toEqual([]);
});

test("many results of many calls take no time to speak of", () => {
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  const calls = range(1_000).map(
    (n): JsonMessage => ({
      role: assistant,
      callIds: range(100).map((m) => `mail-${n}-${m}`),
    }),
  );
  const results = range(100).map((n) => ({ results: range(100).map((m) => `mail-${n}-${m}`) }));
  expect(outcomes(results, calls)).toHaveLength(10_000);
});

test("results without an id go on counting behind those of the window", () => {
  const caller = { role: assistant, callIds: ["mail-1", "search-1", "given-1"] } as const;
  const bare = { role: tool } as const;
  const named = { role: tool, toolCallId: "search-1" } as const;
  expect(outcomes([bare], [caller, named, bare])).toEqual([{ tool: "given", error: false }]);
  expect(outcomes([named, bare, bare], [caller])).toEqual([
    { tool: "search", error: false },
    { tool: "mail", error: false },
    { tool: "given", error: false },
  ]);
  expect(outcomes([bare, { text: "so" }, bare], [caller])).toEqual([
    { tool: "mail", error: false },
  ]);
});
