// The index's reading of wire bytes against the whole decoded record.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { message } from "../../test/support/contract/samples.ts";
import { wireMessages } from "../../test/support/contract/wire-messages.ts";
import { struct } from "../../test/support/kit/structs.ts";
import { Document } from "../gen/memorysidecar/v1/document.ts";
import { type ContentPart, Message, Trust } from "../gen/memorysidecar/v1/message.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromTimestamp } from "../grpc/time.ts";
import { INDEX_CODEC } from "./indexed-wire.ts";

const { readMessage, readDocument } = INDEX_CODEC;

function textsOf(parts: readonly ContentPart[]): string[] {
  return parts.flatMap(({ part }) => {
    if (part?.$case === "text") return [part.value];
    if (part?.$case === "data") return [structToJson(part.value)];
    if (part?.$case === "json") return [part.value.toString()];
    if (part?.$case !== "toolResult") return [];
    return [part.value.text, ...textsOf(part.value.parts)];
  });
}

function document(fields: Partial<Document> = {}): Document {
  return { ...Document.decode(new Uint8Array(0)), ...fields };
}

const readFields = (fields: Partial<Message>) =>
  readMessage(Message.encode(message(fields)).finish());

describe("readMessage", () => {
  test("agrees with the decoded message", () => {
    fc.assert(
      fc.property(wireMessages, (whole) => {
        const record = readMessage(Message.encode(whole).finish());
        const texts = [whole.text, ...textsOf(whole.parts)].filter((text) => text !== "");
        const said = whole.sentTime ?? whole.createTime;
        expect(record).toEqual({
          text: texts.join("\n"),
          author: whole.name,
          role: whole.role,
          trust: 1,
          timeMs: said === undefined ? 0 : fromTimestamp(said),
          labels: new Map(),
          metadata: new Map(),
          importance: undefined,
          documentId: "",
          sourceDocumentId: "",
          ...(whole.messageId === "" ? {} : { messageId: whole.messageId }),
        });
      }),
    );
  });

  test("reads labels, metadata, trust and times before 1970", () => {
    const labels = new Map([
      ["team", "red"],
      ["empty", ""],
    ]);
    const record = readFields({
      labels,
      metadata: struct({ order: { id: 7 } }),
      trust: Trust.HIGH,
      sentTime: { seconds: -62_135_596_800n, nanos: 1 },
    });
    expect(record.labels).toEqual(labels);
    expect(record.metadata.get("order.id")).toEqual([7]);
    expect(record.trust).toBe(3);
    expect(record.timeMs).toBe(-62_135_596_799_999);
  });

  test("gives what stands before damage, whatever the bytes are", () => {
    const whole = Message.encode(
      message({ text: "one", name: "Ann", metadata: struct({ a: [1, { b: 2 }] }) }),
    ).finish();
    for (let length = 0; length < whole.length; length++) readMessage(whole.subarray(0, length));
    expect(readMessage(whole.subarray(0, whole.length - 1))).toMatchObject({
      text: "one",
      author: "Ann",
    });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof readMessage(bytes).text).toBe("string");
        expect(typeof readDocument(bytes).text).toBe("string");
      }),
    );
  });
});

describe("readDocument", () => {
  test("reads what a document says", () => {
    const bytes = Document.encode(
      document({
        collectionId: "manual",
        documentId: "guide#1",
        text: "Press the button.",
        author: "Bob",
        importance: 0.75,
        labels: new Map([["kind", "page"]]),
        metadata: struct({ page: 3 }),
        documentTime: { seconds: 86_400n, nanos: 0 },
        createTime: { seconds: 1_700_000_000n, nanos: 0 },
        trust: Trust.MEDIUM,
        sourceDocumentId: "guide",
        writer: "local",
        etag: "x",
      }),
    ).finish();
    expect(readDocument(bytes)).toEqual({
      text: "Press the button.",
      author: "Bob",
      role: 0,
      trust: 2,
      timeMs: 86_400_000,
      labels: new Map([["kind", "page"]]),
      metadata: new Map([["page", [3]]]),
      importance: 0.75,
      documentId: "guide#1",
      sourceDocumentId: "guide",
    });
  });

  test("takes the time it was stored when nobody said another", () => {
    const createTime = { seconds: 1_700_000_000n, nanos: 5_000_000 };
    const record = readDocument(Document.encode(document({ createTime })).finish());
    expect(record).toMatchObject({ timeMs: 1_700_000_000_005, importance: undefined, text: "" });
  });
});
