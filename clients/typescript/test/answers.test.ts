// Goal: every answer is friendly, complete, and prints as the JSON form of the contract. The
// runtime of protobuf itself, with the contract's own descriptors, says what is right.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  equals,
  fromBinary,
  type Message,
  ScalarType,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventType } from "../src/gen/memorysidecar/v1/event.ts";
import { ListEventsResponse } from "../src/gen/memorysidecar/v1/event_service.ts";
import { Message as Said } from "../src/gen/memorysidecar/v1/message.ts";
import { Session } from "../src/gen/memorysidecar/v1/session.ts";
import { toDate, toMs } from "../src/time.ts";
import { timeText, toTimestamp } from "../src/wire.ts";

const ROOT = join(import.meta.dirname, "../../..");
const GENERATED = join(import.meta.dirname, "../src/gen");
const IMAGE = fromBinary(FileDescriptorSetSchema, readFileSync(join(ROOT, "proto/image.binpb")));
const REGISTRY = createFileRegistry(IMAGE);

interface Codec {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
}

/** The codecs of the client by the names of their messages. */
async function codecs(): Promise<[DescMessage, Codec][]> {
  const found: [DescMessage, Codec][] = [];
  for (const file of REGISTRY.files) {
    if (!/^memorysidecar\/(v1|hook)\//.test(file.name) || file.name.endsWith("/rules")) continue;
    const module = await import(join(GENERATED, `${file.name}.ts`));
    for (const message of file.messages) {
      const codec = module[message.name];
      if (codec === undefined) throw new Error(`there is no code for ${message.typeName}`);
      found.push([message, codec]);
    }
  }
  return found;
}

const WHOLE = { min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n };
const POSITIVE = { min: 0n, max: WHOLE.max };

const FINITE = { noNaN: true, noDefaultInfinity: true };

/** JSON has no minus 0. */
function withoutMinus(value: number): number {
  return value === 0 ? 0 : value;
}

function scalarOf(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ maxLength: 6 });
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 6 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
      return fc.double(FINITE).map(withoutMinus);
    case ScalarType.FLOAT:
      return fc.float(FINITE).map(withoutMinus);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat(2 ** 32 - 1);
    case ScalarType.INT32:
    case ScalarType.SINT32:
      return fc.integer();
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt(POSITIVE);
    default:
      return fc.bigInt(WHOLE);
  }
}

const STRUCT = fc.dictionary(
  fc.constantFrom("a", "b c", "ü"),
  fc.constantFrom("x", 1, 0.5, true, null),
  { noNullPrototype: true },
);

function randomOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.message?.typeName === "google.protobuf.Struct") return STRUCT;
  if (field.enum !== undefined) {
    // A number that no value has is one of a newer server.
    return fc.constantFrom(...field.enum.values.map(({ number }) => number), 77);
  }
  if (field.message !== undefined) return messageOf(field.message, depth - 1);
  return scalarOf(field.scalar as ScalarType);
}

const VALUE = fc.constantFrom(
  { kind: { case: "stringValue", value: "x" } },
  { kind: { case: "numberValue", value: 0.5 } },
  { kind: { case: "boolValue", value: false } },
);

const SPECIAL: Readonly<Record<string, fc.Arbitrary<object>>> = {
  "google.protobuf.Timestamp": fc.record({
    seconds: fc.bigInt({ min: -60_000_000_000n, max: 250_000_000_000n }),
    nanos: fc.oneof(fc.constantFrom(0, 5e8, 1e6, 1000), fc.nat(999_999_999)),
  }),
  "google.protobuf.Duration": fc.record({
    seconds: fc.bigInt({ min: 0n, max: 300_000_000_000n }),
    nanos: fc.oneof(fc.constantFrom(0, 5e8, 1e6), fc.nat(999_999_999)),
  }),
  "google.protobuf.FieldMask": fc.constant({ paths: ["text", "metadata"] }),
  "google.protobuf.Value": VALUE,
  "google.protobuf.ListValue": fc.array(VALUE, { maxLength: 2 }).map((values) => ({ values })),
};

/** The fields of a random message, as the runtime takes them. */
function messageOf(desc: DescMessage, depth: number): fc.Arbitrary<object> {
  const special = SPECIAL[desc.typeName];
  if (special !== undefined)
    return special.map((fields) => create(desc, fields as Record<string, unknown>));
  const members = desc.members.map((member) => {
    const fields = member.kind === "oneof" ? member.fields : [member];
    const open = fields.filter((field) => depth > 0 || field.message === undefined);
    const values = open.map((field) => {
      const value = fieldOf(field, depth);
      return member.kind === "field"
        ? value
        : value.map((one) => ({ case: field.localName, value: one }));
    });
    const value = fc.option(fc.oneof(fc.constant(undefined), ...values), { nil: undefined });
    return value.map((one) => [member.localName, one] as const);
  });
  return fc
    .tuple(...members)
    .map((set) => create(desc, Object.fromEntries(set.filter(([, one]) => one !== undefined))));
}

function fieldOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.fieldKind === "list") return fc.array(randomOf(field, depth), { maxLength: 2 });
  if (field.fieldKind !== "map") return randomOf(field, depth);
  const keys = fc.string({ minLength: 1, maxLength: 4 }).filter((key) => key !== "__proto__");
  return fc.dictionary(keys, randomOf(field, depth), { maxKeys: 2, noNullPrototype: true });
}

/** The JSON form, with numbers in place of the texts that it has for 64-bit integers. */
function friendly(desc: DescMessage, message: Message): unknown {
  return numbered(desc, toJson(desc, message, { registry: REGISTRY }));
}

function numbered(desc: DescMessage, json: unknown): unknown {
  if (desc.file.name.startsWith("google/")) return json;
  const entries = Object.entries(json as object).map(([name, value]) => {
    const field = desc.fields.find(({ jsonName }) => jsonName === name) as DescField;
    return [name, numberedField(field, value)];
  });
  return Object.fromEntries(entries);
}

const LONG: ReadonlySet<unknown> = new Set([
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64],
  ...[ScalarType.FIXED64, ScalarType.SFIXED64],
]);

function numberedField(field: DescField, value: unknown): unknown {
  const one = (item: unknown): unknown => {
    if (field.message !== undefined) return numbered(field.message, item);
    return LONG.has(field.scalar) ? Number(item) : item;
  };
  if (field.fieldKind === "list") return (value as unknown[]).map(one);
  if (field.fieldKind !== "map") return one(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, one(item)]));
}

describe("every message of the contract", async () => {
  test.each(await codecs())("$typeName is read without loss, and prints as JSON", (desc, codec) => {
    const property = fc.property(messageOf(desc, 2), (fields) => {
      const message = fields as Message;
      const read = codec.decode(toBinary(desc, message));
      const back = fromBinary(desc, codec.encode(read).finish());
      expect(equals(desc, back, message)).toBe(true);
      expect(JSON.parse(JSON.stringify(read))).toEqual(friendly(desc, message));
    });
    fc.assert(property, { numRuns: 20 });
  });
});

describe("answers", () => {
  const wire = Said.encode(Said.fromPartial({ role: "ROLE_USER", seq: 7, text: "hi" })).finish();
  const said = Said.decode(wire);

  test("are plain data with names, numbers and dates", () => {
    expect(said).toMatchObject({ role: "ROLE_USER", seq: 7, text: "hi", labels: {} });
    expect(JSON.stringify(said)).toBe('{"seq":7,"role":"ROLE_USER","text":"hi"}');
    // Inside something else it is printed alike.
    expect(JSON.stringify({ newest: [said] })).toBe(`{"newest":[${JSON.stringify(said)}]}`);
    expect(Object.keys(said)).not.toContain("toJSON");
    expect({ ...said }).toEqual({ ...Said.fromPartial({ role: "ROLE_USER", seq: 7, text: "hi" }) });
  });

  test("keep an enum value that only a newer server knows", () => {
    const event = { type: "UNKNOWN_999" } as const;
    const bytes = ListEventsResponse.encode(ListEventsResponse.fromPartial({ events: [event] }));
    const { events } = ListEventsResponse.decode(bytes.finish());
    expect(events[0]?.type).toBe("UNKNOWN_999");
    expect(JSON.stringify(events[0])).toBe('{"type":999}');
    const wrong = { type: "EVENT_TYPE_NONE" as typeof EventType.MESSAGES_TRIMMED };
    expect(() =>
      ListEventsResponse.encode(ListEventsResponse.fromPartial({ events: [wrong] })),
    ).toThrow('EventType has no value "EVENT_TYPE_NONE"');
  });

  test("refuse a number that JavaScript would round", () => {
    const desc = REGISTRY.getMessage("memorysidecar.v1.Session") as DescMessage;
    const bytes = toBinary(desc, create(desc, { lastSeq: 2n ** 53n } as Record<string, unknown>));
    expect(() => Session.decode(bytes)).toThrow("the answer has the number 9007199254740992");
  });

  test("have times to the nanosecond", () => {
    const fine = { seconds: 1_777_609_800, nanos: 250_000_001 };
    const date = toDate(fine);
    expect(date).toEqual(new Date("2026-05-01T04:30:00.250Z"));
    expect(toTimestamp(date)).toEqual(fine);
    expect(timeText(date)).toBe("2026-05-01T04:30:00.250000001Z");
    expect(toTimestamp(toDate(timeText(date)))).toEqual(fine);
    date.setUTCFullYear(2027);
    expect(toTimestamp(date).nanos).toBe(250_000_000);
    expect(toMs({ seconds: 1, nanos: 500_000_000 })).toBe(1500);
  });
});
