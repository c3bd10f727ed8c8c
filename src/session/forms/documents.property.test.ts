// Random documents: none crashes the reader, and what was read is written back as it was.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import type { Json, JsonObject } from "../../compat/common/json.ts";
import { writeMessage } from "../../compat/common/leftovers.ts";
import { NO_CONTEXT } from "../../compat/common/plain.ts";
import { formatOf } from "../../compat/forms.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { Violations } from "../../grpc/violations.ts";
import { checkWholeMessage } from "../message-checks.ts";
import { fromWire } from "./message.ts";
import { measure, parseDocument } from "./parse.ts";

const seed = testSeed("documents");
const RUNS = 1_500;
const NAMES = ["selectools", "lauren", "definable", "marsys"] as const;

// Text that is no Unicode is replaced on its way through the wire.
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const junk = fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" }) as fc.Arbitrary<Json>;
const id = fc.constantFrom("a", "b", "c1", "", null);
const base64 = fc.constantFrom("aGFsbG8=", "aGFsbG9=", "AAAA", "x", "");

const some = (fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields as Record<string, fc.Arbitrary<Json>>, {
    requiredKeys: [],
  }) as fc.Arbitrary<JsonObject>;

const call = fc.oneof(
  some({ id, name: text, parameters: junk, thought_signature: text }),
  some({ id, type: fc.constant("function"), function: some({ name: text, arguments: text }) }),
  some({ id, name: text, input: junk }),
);
const image = some({
  type: fc.constantFrom("base64", "url"),
  media_type: text,
  data: base64,
  url: text,
});
const block: fc.Arbitrary<Json> = fc.oneof(
  some({ type: fc.constantFrom("text", "image", "thinking", "tool_use", "tool_result"), text }),
  some({ type: fc.constant("tool_use"), id, name: text, input: junk }),
  some({
    type: fc.constant("tool_result"),
    tool_use_id: id,
    content: text,
    is_error: fc.boolean(),
  }),
  some({ type: fc.constant("image"), source: fc.oneof(image, text) }),
  some({
    type: fc.constant("image_url"),
    image_url: fc.oneof(text, some({ url: text, detail: text })),
  }),
  junk,
);
const content = fc.oneof(text, fc.array(block, { maxLength: 4 }), junk);

const message: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record({ role: fc.constantFrom("user", "assistant", "system", "tool") }),
    some({
      content,
      name: text,
      tool_name: text,
      tool_result: text,
      tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), junk),
      agent_calls: fc.array(some({ agent_name: text, request: junk }), { maxLength: 2 }),
      tool_call_id: id,
      content_parts: fc.array(block, { maxLength: 3 }),
      image_base64: base64,
      images: fc.array(text, { maxLength: 2 }),
      structured_data: junk,
      memory_id: fc.uuid(),
      message_data: some({ tool_calls: fc.array(call, { maxLength: 2 }), tool_call_id: id }),
      created_at: fc.oneof(
        fc.integer({ min: -9, max: 2e9 }),
        fc.double({ min: 0, max: 2e9 }),
        junk,
      ),
      is_error: fc.boolean(),
      constructor: junk,
      other: junk,
    }),
  )
  .map(([role, rest]) => ({ ...role, ...rest }));

function documentOf(format: string, messages: readonly Json[]): Json {
  if (format === "definable") return messages;
  return { messages, ...(format === "selectools" ? { max_messages: 9 } : {}) };
}

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The message as it is after the wire, or undefined when it is refused there. */
function writtenBack(format: string, source: JsonObject): JsonObject | undefined {
  const result = parseDocument(formatOf(format), bytesOf(documentOf(format, [source])));
  if (!("parsed" in result)) return undefined;
  const [bytes] = result.parsed.messages;
  if (bytes === undefined) return undefined;
  const wire = Message.decode(bytes);
  const violations = new Violations();
  checkWholeMessage(violations, wire);
  if (violations.error() !== undefined || violations.malformed) return undefined;
  const { leftovers, message: plain } = fromWire(wire, formatOf(format));
  const kept = { leftovers, edited: false };
  const { session_id: _s, user_id: userId } = source;
  const user = typeof userId === "string" ? userId : "default";
  const named = typeof source["message_id"] === "string" || typeof source["id"] === "string";
  const context = { ...NO_CONTEXT, userId: user, named, createSeconds: 77 };
  return writeMessage(formatOf(format), plain, kept, context);
}

describe.each(NAMES)("a message of %s", (format) => {
  test("comes back as it was, if it is taken", () => {
    let taken = 0;
    const property = fc.property(message, (source) => {
      const plain = JSON.parse(JSON.stringify(source)) as JsonObject;
      const back = writtenBack(format, plain);
      if (back === undefined) return;
      taken += 1;
      expect(JSON.parse(JSON.stringify(back))).toEqual(plain);
    });
    fc.assert(property, { seed, numRuns: RUNS });
    expect(taken).toBeGreaterThan(RUNS / 50);
  });
});

describe("any document", () => {
  const wild = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(message, { maxLength: 3 }),
    some({ messages: fc.oneof(fc.array(fc.oneof(message, junk)), junk), summary: junk }),
    some({
      entries: fc.array(fc.oneof(message, junk)),
      max_messages: junk,
      additional_state: junk,
    }),
  );

  test("is read or refused, whatever it holds", () => {
    const property = fc.property(fc.constantFrom(...NAMES), wild, (format, document) => {
      const result = parseDocument(formatOf(format), bytesOf(document));
      if ("violations" in result) expect(result.violations.length).toBeGreaterThan(0);
      else if ("parsed" in result)
        for (const bytes of result.parsed.messages) Message.decode(bytes);
    });
    fc.assert(property, { seed, numRuns: RUNS });
  });

  test("is refused when its bytes are no document", () => {
    const property = fc.property(fc.constantFrom(...NAMES), fc.uint8Array(), (format, bytes) => {
      parseDocument(formatOf(format), bytes);
      const cut = bytesOf({ messages: [{ role: "user", content: "x" }] }).subarray(0, bytes.length);
      if (cut.length < 10)
        expect(parseDocument(formatOf(format), cut)).toHaveProperty("violations");
    });
    fc.assert(property, { seed, numRuns: RUNS });
  });
});

describe("measure", () => {
  test("counts what lies in each other, and nothing in texts", () => {
    const measures: readonly [unknown, number, number][] = [
      [1, 0, 1],
      ["[[{,", 0, 1],
      ['\\"[', 0, 1],
      [[], 1, 2],
      [[[], { a: [1] }], 3, 6],
      [{ "{": "\\", b: 0 }, 1, 3],
    ];
    for (const [value, depth, values] of measures) {
      expect([value, measure(bytesOf(value))]).toEqual([value, { depth, values }]);
    }
  });

  test("keeps what would take too much memory from the parser", () => {
    const many = Buffer.from(`[${"{},".repeat(600_000)}0]`);
    const result = parseDocument(formatOf("lauren"), many);
    expect(result).toMatchObject({ violations: [{ field: "document" }] });
  });
});
