// The writer must give the very bytes of the library's own: compared on random messages.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wireMessages } from "../../test/support/contract/wire-messages.ts";
import { memoryArbitrary, memoryPolicyArbitrary } from "../../test/support/memory/arbitraries.ts";
import { policyArbitrary } from "../../test/support/window/policy-arbitraries.ts";
import { Value } from "../gen/google/protobuf/struct.ts";
import { Embedding } from "../gen/memorysidecar/v1/document.ts";
import { Event } from "../gen/memorysidecar/v1/event.ts";
import { Memory, MemoryPolicy } from "../gen/memorysidecar/v1/memory.ts";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { Policy } from "../gen/memorysidecar/v1/policy.ts";
import { AppendMessagesRequest } from "../gen/memorysidecar/v1/session_service.ts";
import { toMemoryPolicy } from "../memory/policy-wire.ts";
import { toMemory } from "../memory/wire.ts";
import { toPolicy } from "../window/policy-wire.ts";
import { encodeWire } from "./fast-writer.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "grapheme", minLength: 100, maxLength: 2_000, size: "max" }),
);
const bytes = fc.uint8Array({ maxLength: 20_000, size: "max" }).map((value) => Buffer.from(value));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int32 = fc.integer();

const timestamp = fc.option(fc.record({ seconds: int64, nanos: int32 }), { nil: undefined });
const part = fc.oneof(
  fc.constant(undefined),
  text.map((value) => ({ $case: "text" as const, value })),
  bytes.map((value) => ({ $case: "data" as const, value })),
);

const message = fc.record({
  messageId: text,
  seq: int64,
  role: fc.constantFrom(0, 1, 2, 3, 4, -1),
  name: text,
  text,
  parts: fc.array(fc.record({ part }), { maxLength: 3 }),
  toolCalls: fc.array(fc.record({ toolCallId: text, name: text, arguments: text }), {
    maxLength: 3,
  }),
  agentCalls: fc.constant([]),
  toolCallId: text,
  toolError: fc.boolean(),
  structuredData: bytes,
  providerPayload: fc.option(fc.record({ provider: text, mediaType: text, data: bytes }), {
    nil: undefined,
  }),
  metadata: bytes,
  labels: fc.array(fc.tuple(text, text), { maxLength: 4 }).map((entries) => new Map(entries)),
  tokenCount: fc.option(int32, { nil: undefined }),
  tokenRule: fc.constantFrom(0, 5),
  tokenPreset: text,
  sentTime: timestamp,
  source: fc.constantFrom(0, 1),
  trust: fc.constantFrom(0, 3),
  writer: text,
  createTime: timestamp,
  updateTime: timestamp,
  etag: text,
  providerRole: text,
  structuredJson: bytes,
});

const check = fc.record({
  record: fc.record({ path: fc.array(text, { maxLength: 2 }), key: text }),
  etag: text,
  precondition: fc.constant(undefined),
});

const operation = check.map((value) => ({ operation: { $case: "check" as const, value } }));

const request = fc.record({
  namespace: text,
  sessionId: text,
  messages: fc.array(message, { maxLength: 3 }),
  expectedLastSeq: fc.option(int64, { nil: undefined }),
  createSession: fc.boolean(),
  requestId: text,
  turnEnd: fc.boolean(),
  modelInputTokens: fc.option(int64, { nil: undefined }),
  toolOutcomes: fc.array(fc.record({ tool: text, error: fc.boolean() }), { maxLength: 2 }),
  recordOperations: fc.array(operation, { maxLength: 2 }),
  onExisting: fc.constantFrom(0, 2),
  form: fc.constantFrom(0, 3),
  formMessages: bytes,
});

describe("encodeWire", () => {
  test("gives the bytes of the library for any message", () => {
    fc.assert(
      fc.property(request, (value) => {
        const typed = value as unknown as AppendMessagesRequest;
        const expected = Buffer.from(AppendMessagesRequest.encode(typed).finish());
        expect(Buffer.from(encodeWire(AppendMessagesRequest, typed)).equals(expected)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("gives the bytes of the library for messages with tool results inside", () => {
    fc.assert(
      fc.property(wireMessages, (value) => {
        const expected = Buffer.from(Message.encode(value).finish());
        expect(Buffer.from(encodeWire(Message, value)).equals(expected)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("gives the bytes of the library for vectors", () => {
    const values = fc.array(fc.float(), { maxLength: 3_000, size: "max" });
    fc.assert(
      fc.property(values, text, (numbers, model) => {
        const vector = { values: numbers, model };
        const expected = Buffer.from(Embedding.encode(vector).finish());
        expect(Buffer.from(encodeWire(Embedding, vector)).equals(expected)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("gives what it gave before a larger message, and takes none of its bytes", () => {
    const small = Event.decode(new Uint8Array(0));
    const before = encodeWire(Event, { ...small, sessionId: "s" });
    encodeWire(Event, { ...small, sessionId: "x".repeat(6_000_000) });
    expect(encodeWire(Event, { ...small, sessionId: "s" })).toEqual(before);
  });

  test("starts anew after an encoder that threw", () => {
    const broken = {
      encode: (_: null, writer: Parameters<typeof Event.encode>[1]) => {
        writer?.uint32(10).fork().string("half");
        throw new Error("half way");
      },
    };
    expect(() => encodeWire(broken, null)).toThrow("half way");
    const empty = Event.decode(new Uint8Array(0));
    expect(encodeWire(Event, empty).length).toBe(0);
  });

  test("gives the bytes of the library for any policy and any plain value", () => {
    fc.assert(
      fc.property(policyArbitrary, fc.jsonValue(), (policy, json) => {
        const wire = toPolicy(policy);
        const bytes = Buffer.from(encodeWire(Policy, wire));
        expect(bytes.equals(Policy.encode(wire).finish())).toBe(true);
        const value = Value.wrap(json);
        const written = Buffer.from(encodeWire(Value, value));
        expect(written.equals(Value.encode(value).finish())).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("gives the bytes of the library for any memory and any memory policy", () => {
    fc.assert(
      fc.property(memoryArbitrary, memoryPolicyArbitrary, (memory, policy) => {
        const wire = toMemory(memory);
        expect(Buffer.from(encodeWire(Memory, wire)).equals(Memory.encode(wire).finish())).toBe(
          true,
        );
        const memoryPolicy = toMemoryPolicy(policy);
        const written = Buffer.from(encodeWire(MemoryPolicy, memoryPolicy));
        expect(written.equals(MemoryPolicy.encode(memoryPolicy).finish())).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("refuses a kind of field that the contract does not use", () => {
    const odd = {
      encode: (_: null, writer: Parameters<typeof Event.encode>[1]) => {
        if (writer === undefined) throw new Error("no writer");
        return writer.uint32(13).fixed32(1);
      },
    };
    expect(() => encodeWire(odd, null)).toThrow("kind of field");
  });
});
