// Random messages in wire form, of every kind in the contract.

import fc from "fast-check";
import { type ContentPart, Message } from "../../../src/gen/memorysidecar/v1/message.ts";
import { structOfSize } from "./samples.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const id = fc.string({ minLength: 1, maxLength: 300 });
const STRUCTS = [40, 200].map(structOfSize);

const plainPart: fc.Arbitrary<ContentPart> = fc.oneof(
  text.map((value) => ({ part: { $case: "text", value } }) as const),
  fc.constantFrom(...STRUCTS).map((value) => ({ part: { $case: "data", value } }) as const),
  fc.json().map((value) => ({ part: { $case: "json", value: Buffer.from(value) } }) as const),
  fc
    .record({
      source: text.map((value) => ({ $case: "url", value }) as const),
      mediaType: text,
      detail: text,
    })
    .map((value) => ({ part: { $case: "image", value } }) as const),
);

const spokenPart: fc.Arbitrary<ContentPart> = fc.oneof(
  fc
    .record({ toolCallId: id, name: text, arguments: text })
    .map((value) => ({ part: { $case: "toolCall", value } }) as const),
  fc
    .record({
      ...{ text, summaries: fc.array(text, { maxLength: 2 }), signature: text },
      ...{ reasoningId: text, redacted: fc.boolean() },
    })
    .map((value) => ({ part: { $case: "reasoning", value } }) as const),
);

const resultPart: fc.Arbitrary<ContentPart> = fc
  .record({
    toolCallId: id,
    text,
    parts: fc.array(plainPart, { maxLength: 3 }),
    error: fc.boolean(),
  })
  .map((value) => ({ part: { $case: "toolResult", value } }) as const);

const parts = fc.oneof(
  fc.constant<ContentPart[]>([]),
  fc.array(resultPart, { maxLength: 4 }),
  fc.array(fc.oneof(plainPart, resultPart, spokenPart), { maxLength: 5 }),
);
const time = fc.record({
  seconds: fc.oneof(fc.nat(4_000_000_000), fc.constant(253_402_300_799)).map(BigInt),
  nanos: fc.nat(999).map((ms) => ms * 1_000_000),
});

/** Messages as the server stores them, and some that it would not store. */
export const wireMessages: fc.Arbitrary<Message> = fc
  .record({
    messageId: id,
    seq: fc.bigInt({ min: 0n, max: 9_000_000_000_000_000n }),
    role: fc.constantFrom(1, 2, 3, 4),
    name: text,
    text: fc.oneof(fc.constant(""), text),
    parts,
    toolCalls: fc.array(fc.record({ toolCallId: id, name: text, arguments: text }), {
      maxLength: 3,
    }),
    agentCalls: fc.array(fc.record({ agentCallId: id, agentName: text, request: text }), {
      maxLength: 2,
    }),
    toolCallId: fc.oneof(fc.constant(""), id),
    toolError: fc.boolean(),
    tokenCount: fc.nat(2_000_000_000),
    sentTime: fc.option(time, { nil: undefined }),
    createTime: time,
    updateTime: time,
    writer: text,
    etag: text,
    providerRole: text,
    structuredJson: fc.option(fc.json(), { nil: "" }).map((value) => Buffer.from(value)),
  })
  .map((fields) => ({ ...Message.decode(new Uint8Array(0)), ...fields }) as Message);
