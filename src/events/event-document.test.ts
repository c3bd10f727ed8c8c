// Goal: events about documents carry all that the domain says of them.

import { describe, expect, test } from "vitest";
import * as wire from "../gen/memorysidecar/v1/event.ts";
import { EVENT_TYPE, type EventDetail } from "./rules/event.ts";
import { encodeEvent } from "./wire.ts";

function overTheWire(detail: EventDetail): wire.Event {
  const bytes = encodeEvent({
    revision: 7,
    index: 1,
    namespace: "n",
    sessionId: "",
    userId: "",
    agentId: "",
    createMs: 1_000,
    requestId: "r",
    continued: true,
    detail,
  });
  return wire.Event.decode(bytes);
}

describe("an event", () => {
  test("tells which documents were written", () => {
    const detail = { collectionId: "c", documentIds: ["a", "b#0"], createdCount: 1 };
    const event = overTheWire({ type: EVENT_TYPE.documentsUpserted, ...detail });
    expect(event).toMatchObject({
      type: wire.EventType.DOCUMENTS_UPSERTED,
      namespace: "n",
      sessionId: "",
      requestId: "r",
      continued: true,
      detail: { $case: "documentsUpserted", value: detail },
    });
  });

  test("tells which documents were deleted", () => {
    const detail = { collectionId: "c", documentIds: ["a", "b"] };
    const event = overTheWire({ type: EVENT_TYPE.documentsDeleted, ...detail });
    expect(event.type).toBe(wire.EventType.DOCUMENTS_DELETED);
    expect(event.detail).toEqual({
      $case: "documentsDeleted",
      value: { ...detail, expired: false },
    });
    const expired = { type: EVENT_TYPE.documentsDeleted, ...detail, expired: true };
    expect(overTheWire(expired).detail).toMatchObject({ value: { expired: true } });
  });

  test("tells that a collection was cleared", () => {
    const detail = { collectionId: "c", documentCount: 12 };
    const event = overTheWire({ type: EVENT_TYPE.collectionCleared, ...detail });
    expect(event.type).toBe(wire.EventType.COLLECTION_CLEARED);
    expect(event.detail).toEqual({
      $case: "collectionCleared",
      value: { collectionId: "c", documentCount: 12n },
    });
  });
});
