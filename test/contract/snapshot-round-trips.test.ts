// Random documents and random sessions: a document comes out of a session as it went in, to the
// last digit of a number, and a session comes out of a document as far as the format can say.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Struct } from "../../src/gen/google/protobuf/struct.ts";
import type { Timestamp } from "../../src/gen/google/protobuf/timestamp.ts";
import {
  type ContentPart,
  type Message,
  Role,
  type ToolCall,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { ToolPairing } from "../../src/gen/memorysidecar/v1/policy.ts";
import { structToJson } from "../../src/grpc/struct.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message, policy, session } from "../support/contract/samples.ts";
import { exportChunks, importChunk } from "../support/contract/snapshots.ts";
import { TEST_DEPTH, testSeed } from "../support/kit/random.ts";

const seed = testSeed("snapshot round trips");
const RUNS = 60 * TEST_DEPTH;
const TIMEOUT_MS = 60_000 * TEST_DEPTH;

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

type Value = fc.Arbitrary<unknown>;

async function load(format: string, text: string): Promise<string> {
  const sessionId = `round-${count++}`;
  await importChunk(server.client, { sessionId, format, document: Buffer.from(text) });
  return sessionId;
}

async function save(format: string, sessionId: string): Promise<string> {
  const chunks = await exportChunks(server.client, { sessionId, format });
  return Buffer.concat(chunks.map(({ document }) => document)).toString();
}

const raw = (digits: string): unknown => JSON.rawJSON(digits);
const NUMBERS = ["0", "1", "1.0", "-0", "-0.0", "1e5", "1E+2", "0.10", "1.5e-7", "1e400", "-7"];
const number = fc
  .oneof(fc.constantFrom(...NUMBERS), fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }))
  .map((value) => JSON.rawJSON(String(value)));
const text = fc.oneof(
  fc.constantFrom("", "a", "1.0", "null", "\u0000", "\ud800", "e\u0301\u202e\u200b", "🧠\n"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const key = fc.oneof(fc.constantFrom("", "__proto__", "constructor", "2", "1", "a.b"), text);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((all) => Object.fromEntries(all)),
  ),
}));
const object = fc
  .array(fc.tuple(key, json), { maxLength: 3 })
  .map((all) => Object.fromEntries(all));
const base64 = fc.constantFrom("aGFsbG8=", "AAAA", "aGFsbG9=", "x");

/** An object with all keys of `needed`, and any of `maybe`, which may be null as well. */
function some(needed: Record<string, Value>, maybe: Record<string, Value> = {}): Value {
  const optional = Object.entries(maybe).map(([name, value]) => [name, fc.option(value)]);
  const extra = fc.dictionary(fc.constantFrom("x_custom", "__proto__", "constructor"), json, {
    maxKeys: 1,
  });
  return fc
    .tuple(
      fc.record({ ...needed, ...Object.fromEntries(optional) } as Record<string, Value>, {
        requiredKeys: Object.keys(needed),
      }),
      extra,
    )
    .map(([fields, others]) =>
      Object.fromEntries([...Object.entries(fields), ...Object.entries(others)]),
    );
}

const role = fc.constantFrom("user", "assistant", "system", "tool");
const is = fc.constant;

/** Calls of which the ids, if there are any, differ. */
function calls(one: (id: Value) => Value): Value {
  const ids = ["c0", "call-1", "call-0"];
  const id = (index: number) => fc.oneof(is(ids[index]), is(null), is(""));
  return fc
    .tuple(fc.integer({ min: 0, max: 3 }), ...ids.map((_, index) => one(id(index))))
    .map(([length, ...all]) => all.slice(0, length));
}

const plainCall = (id: Value) =>
  some({}, { id, name: text, parameters: fc.oneof(object, text), thought_signature: text });
const functionCall = (id: Value) =>
  some({}, { id, type: is("function"), function: some({}, { name: text, arguments: text }) });

const selectoolsPart = fc.oneof(
  some({ type: is("text") }, { text }),
  some({ type: is("image_url") }, { image_url: fc.constantFrom("a.png", "data:,x", "") }),
  some({ type: is("image_base64") }, { image_base64: base64, media_type: text }),
  some({ type: is("sound"), data: json }),
);
const selectools = fc
  .tuple(
    some({ role: fc.constantFrom("user", "system"), content: text }),
    fc.array(
      some(
        { role },
        {
          content: text,
          image_path: text,
          image_base64: base64,
          tool_name: text,
          name: text,
          tool_result: json,
          tool_calls: calls(plainCall),
          tool_call_id: text,
          content_parts: fc.array(selectoolsPart, { maxLength: 3 }),
        },
      ),
      { maxLength: 4 },
    ),
    some(
      { max_messages: fc.constantFrom("30", "30.0", "3e1").map(raw) },
      { max_tokens: fc.constantFrom("900", "900.0").map(raw), summary: text, version: json },
    ),
  )
  .map(([first, rest, fields]) => ({ ...(fields as object), messages: [first, ...rest] }));

const image = some(
  { type: is("image") },
  {
    source: fc.oneof(
      some({ type: is("base64") }, { media_type: text, data: base64 }),
      some({ type: is("url") }, { url: fc.constantFrom("a.png", "") }),
      fc.constantFrom("x", ""),
    ),
  },
);
const textBlock = some({ type: is("text") }, { text });
const speech = fc.oneof(
  textBlock,
  image,
  some({ type: is("thinking") }, { thinking: text, signature: text }),
  some({}, { type: text, cache_control: json }),
);
const spoken = fc
  .tuple(
    fc.array(speech, { maxLength: 2 }),
    calls((id) => some({ type: is("tool_use") }, { id, name: text, input: json })),
    fc.array(speech, { maxLength: 1 }),
  )
  .map(([before, uses, after]) => [...before, ...(uses as unknown[]), ...after]);
const answers = fc
  .tuple(
    ...["r1", "r2"].map((id) =>
      some(
        { type: is("tool_result") },
        {
          tool_use_id: fc.oneof(is(id), is("")),
          content: fc.oneof(text, fc.array(fc.oneof(textBlock, image), { maxLength: 2 })),
          is_error: fc.boolean(),
        },
      ),
    ),
    speech,
  )
  .chain((all) => fc.subarray(all));
const lauren = fc
  .tuple(
    fc.array(
      some(
        { role },
        {
          content: fc.oneof(text, spoken, answers),
          tool_calls: calls(plainCall),
          tool_call_id: text,
          name: text,
          is_error: fc.boolean(),
        },
      ).filter(isOneHome),
      { maxLength: 4 },
    ),
    fc.option(some({}, { summary: text, tool_exchange: json })),
  )
  .map(([messages, fields]) => (fields === null ? messages : { ...(fields as object), messages }));

/** Calls of a message have one home in that system, and ids differ there. */
function isOneHome(message: unknown): boolean {
  const { content, tool_calls: beside } = message as { content?: unknown; tool_calls?: unknown };
  return !Array.isArray(content) || beside === undefined || beside === null;
}

const seconds = fc.constantFrom("0", "-5", "1.5", "1700000000.0", "1700000001.123456", "1.7e9");
const entry = some(
  { role: fc.oneof(role, is("summary")) },
  {
    session_id: fc.constantFrom("s", "t"),
    user_id: fc.constantFrom("u", "default", "v\ud800"),
    content: fc.oneof(text, object),
    message_data: some(
      {},
      { role, content: text, tool_calls: calls(functionCall), tool_call_id: text, name: text },
    ),
    created_at: seconds.map(raw),
    updated_at: seconds.map(raw),
  },
);
const timeOf = (value: unknown) => {
  const { created_at: at } = value as { created_at?: { rawJSON?: string } | null };
  return Number(at?.rawJSON ?? at ?? 0);
};
const definable = fc
  .tuple(fc.array(entry, { maxLength: 5 }), fc.option(some({}, { version: json })))
  .map(([list, fields]) => {
    const entries = list.map((one, index) => ({ ...(one as object), memory_id: `e${index}` }));
    // It reads them by time.
    entries.sort((a, b) => timeOf(a) - timeOf(b));
    return fields === null ? entries : { ...(fields as object), entries };
  });

const marsysPart = fc.oneof(
  text,
  textBlock,
  some({ type: is("image_url") }, { image_url: some({}, { url: text, detail: text }) }),
  object,
);
const strictCall = (id: string) =>
  some({
    id: is(id),
    type: is("function"),
    function: some({ name: is("f"), arguments: text }),
  });
const marsys = fc
  .tuple(
    fc.array(
      some(
        { role },
        {
          content: fc.oneof(text, object, fc.array(marsysPart, { maxLength: 3 })),
          name: text,
          tool_calls: fc.tuple(strictCall("a"), strictCall("b")).chain((all) => fc.subarray(all)),
          agent_calls: fc.array(some({ agent_name: is("n"), request: json }), { maxLength: 2 }),
          structured_data: object,
          images: fc.subarray(["a.png", "data:image/png;base64,AAAA"]),
          tool_call_id: text,
        },
      ),
      { maxLength: 4 },
    ),
    fc.boolean(),
    some(
      {},
      {
        memory_type: fc.constantFrom("conversation_history", "managed_conversation"),
        additional_state: object,
        format: json,
      },
    ),
  )
  .map(([messages, named, fields]) => ({
    ...(fields as object),
    messages: messages.map((one, index) =>
      named ? { ...(one as object), message_id: `m${index}` } : one,
    ),
  }));

/** The same for the same document: the order of keys does not count, the form of numbers does. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, inner]) => [name, canonical(inner)]);
}

const shown = (document: string) =>
  JSON.stringify(canonical(JSON.parse(document, keepNumber as never)), null, 1);

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
}

describe.each<readonly [string, fc.Arbitrary<unknown>]>([
  ["selectools", selectools],
  ["lauren", lauren],
  ["definable", definable],
  ["marsys", marsys],
])("a document of %s", (format, document) => {
  test("comes out of its session as it went in", { timeout: TIMEOUT_MS }, async () => {
    const property = fc.asyncProperty(document, async (made) => {
      const source = JSON.stringify(made);
      // The system itself saves the older list as an object.
      const isOlder = format === "lauren" && Array.isArray(made);
      const saved = isOlder ? JSON.stringify({ messages: made, summary: null }) : source;
      expect(shown(await save(format, await load(format, source)))).toBe(shown(saved));
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  });
});

const wellFormed = text.map((value) => value.toWellFormed());
const data = object.map((value) => Buffer.from(JSON.stringify(value)));
const plainData = fc.dictionary(wellFormed, fc.oneof(wellFormed, fc.integer()), { maxKeys: 3 });
const part = (value: NonNullable<ContentPart["part"]>): ContentPart => ({ part: value });
const textPart = wellFormed.map((value) => part({ $case: "text", value }));
const jsonPart = data.map((value) => part({ $case: "json", value }));
const dataPart = plainData.map((value) => part({ $case: "data", value: structOf(value) }));
const imagePart = fc
  .oneof(
    fc.record({
      source: is({ $case: "data" as const, value: Buffer.from("hallo") }),
      mediaType: fc.constantFrom("", "image/png"),
    }),
    is({ source: { $case: "url" as const, value: "https://example.com/a.png" }, mediaType: "" }),
  )
  .chain((value) =>
    fc
      .constantFrom("", "low")
      .map((detail) => part({ $case: "image", value: { ...value, detail } })),
  );
const toolCalls = fc
  .tuple(
    ...["a", "b"].map((toolCallId) =>
      fc.record({
        toolCallId: is(toolCallId),
        name: fc.constantFrom("f", "search"),
        arguments: fc.oneof(
          wellFormed,
          object.map((value) => JSON.stringify(value)),
        ),
      }),
    ),
  )
  .chain((all) => fc.subarray(all));
const toolResult = (id: string) =>
  fc
    .record({ text: wellFormed, parts: fc.array(fc.oneof(textPart, imagePart), { maxLength: 2 }) })
    .chain(({ parts, text: said }) =>
      fc.boolean().map((error) => {
        const value = { toolCallId: id, text: parts.length > 0 ? "" : said, parts, error };
        return part({ $case: "toolResult", value });
      }),
    );

/** Results without a call stay in the window. */
const KEEP_ALL = policy({ toolPairing: ToolPairing.LOOSE });

/** Messages as callers append them. */
const appended = fc.oneof(
  fc.record({
    role: fc.constantFrom(Role.USER, Role.SYSTEM),
    name: wellFormed,
    text: wellFormed,
    structuredJson: fc.oneof(is(Buffer.alloc(0)), data),
    sentTime: fc.option(fc.integer({ min: 0, max: 10 }).map(sent), { nil: undefined }),
  }),
  fc.record({
    role: is(Role.USER),
    parts: fc.array(fc.oneof(textPart, imagePart, dataPart, jsonPart), { maxLength: 3 }),
  }),
  fc.record({
    role: is(Role.USER),
    parts: fc.tuple(toolResult("a"), toolResult("x")).chain((all) => fc.subarray(all)),
  }),
  fc.record({
    role: is(Role.ASSISTANT),
    text: wellFormed,
    toolCalls,
    agentCalls: fc.array(
      fc.record({ agentCallId: wellFormed, agentName: is("n"), request: wellFormed }),
      { maxLength: 2 },
    ),
  }),
  fc
    .tuple(fc.array(textPart, { maxLength: 1 }), toolCalls, fc.array(textPart, { maxLength: 1 }))
    .map(([before, uses, after]) => {
      const among = uses.map((value) => part({ $case: "toolCall", value }));
      return { role: Role.ASSISTANT, parts: [...before, ...among, ...after] };
    }),
  fc.record({
    role: is(Role.TOOL),
    name: wellFormed,
    text: wellFormed,
    toolCallId: fc.constantFrom("a", "x", ""),
    toolError: fc.boolean(),
  }),
);

function sent(steps: number): Timestamp {
  return { seconds: 1_700_000_000n + BigInt(steps), nanos: steps * 12_345_600 };
}

function structOf(value: object): Buffer {
  return Buffer.from(Struct.encode(Struct.wrap({ ...value })).finish());
}

/** A message as tests compare it: data and JSON alike, the order of keys apart. */
function compared(message: Message) {
  const json = (bytes: Uint8Array) => canonical(JSON.parse(Buffer.from(bytes).toString(), keep));
  const one = ({ part: inner }: ContentPart): unknown => {
    switch (inner?.$case) {
      case "json":
        return ["data", json(inner.value)];
      case "data":
        return ["data", json(Buffer.from(structToJson(inner.value)))];
      case "toolResult":
        return ["result", { ...inner.value, parts: inner.value.parts.map(one) }];
      case "toolCall":
        return ["call", callOf(inner.value)];
      default:
        return inner;
    }
  };
  const {
    agentCalls,
    messageId,
    name,
    parts,
    role: who,
    sentTime,
    toolCallId,
    toolError,
  } = message;
  const { structuredData, structuredJson } = message;
  return {
    ...{ messageId, name, parts: parts.map(one), role: who, sentTime, toolCallId, toolError },
    text: message.text,
    toolCalls: message.toolCalls.map(callOf),
    agentCalls,
    structured:
      structuredJson.length > 0
        ? json(structuredJson)
        : structuredData.length > 0
          ? json(Buffer.from(structToJson(structuredData)))
          : undefined,
  };
}

type Compared = ReturnType<typeof compared>;

const keep = keepNumber as Parameters<typeof JSON.parse>[1];

/** White space and the order of keys of arguments are not kept. */
function callOf({ toolCallId, name, arguments: given }: ToolCall) {
  try {
    return { toolCallId, name, arguments: canonical(JSON.parse(given, keep)) };
  } catch {
    return { toolCallId, name, arguments: given };
  }
}

type Part = [kind: string, value: unknown] | { readonly $case: string; readonly value: unknown };

const kindOf = (part: unknown): string => {
  const known = part as Part;
  return Array.isArray(known) ? known[0] : known.$case;
};

/** A message without what no document says, or this one does not. */
function without(message: Compared, ...fields: (keyof Compared)[]): Partial<Compared> {
  const left: Partial<Compared> = { ...message };
  for (const field of fields) delete left[field];
  return left;
}

/** Everything but its content, which the format turns into text. */
function said({ parts, text: own, toolCalls, ...rest }: Compared): object {
  const among = parts.flatMap((part) =>
    kindOf(part) === "call" ? [(part as unknown as [string, unknown])[1]] : [],
  );
  const others = parts.filter((part) => kindOf(part) !== "call");
  return {
    ...rest,
    toolCalls: [...toolCalls, ...among],
    hasContent: own !== "" || others.length > 0,
  };
}

/** Fields of our messages that each form carries, as docs/policies.md lists them. */
const CARRIED: Record<string, (message: Compared) => object> = {
  selectools: (message) =>
    said(
      without(
        message,
        "messageId",
        "sentTime",
        "agentCalls",
        "structured",
        "toolError",
      ) as Compared,
    ),
  lauren: (message) =>
    said(without(message, "messageId", "sentTime", "agentCalls", "structured") as Compared),
  definable: (message) => {
    const name = message.role === Role.TOOL ? message.name : "";
    const left = without(message, "sentTime", "agentCalls", "structured", "toolError");
    const { hasContent: _, ...rest } = said({ ...left, name } as Compared) as Record<
      string,
      unknown
    >;
    return rest;
  },
  marsys: (message) => {
    const agentCalls = message.agentCalls.map((call) => ({ ...call, agentCallId: "" }));
    return said({ ...without(message, "sentTime", "toolError"), agentCalls } as Compared);
  },
};

/** A document apart from when it was written. */
function untimed(document: string): string {
  return shown(document).replace(/"timestamp",\s+[\d.]+/, "");
}

describe.each(Object.keys(CARRIED))("a session of ours as a document of %s", (format) => {
  test("comes back as far as its page says", { timeout: TIMEOUT_MS }, async () => {
    const carried = CARRIED[format] as (message: Compared) => object;
    const property = fc.asyncProperty(fc.array(appended, { maxLength: 4 }), async (made) => {
      const sessionId = `ours-${count++}`;
      await server.client.call("createSession", {
        session: session({ sessionId, policy: KEEP_ALL }),
      });
      // That system takes calls and results off the head as it loads.
      const messages = [message({ text: "x" }), ...made.map((fields) => message(fields))];
      await server.client.call("appendMessages", { sessionId, messages });
      const first = await save(format, sessionId);
      const copy = await load(format, first);
      const [before, after] = await Promise.all(
        [sessionId, copy].map(async (id) => {
          const { messages: log } = await server.client.call("listMessages", { sessionId: id });
          return log.map(compared).map(carried);
        }),
      );
      expect(after).toEqual(before);
      expect(untimed(await save(format, copy))).toBe(untimed(first));
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  });
});
