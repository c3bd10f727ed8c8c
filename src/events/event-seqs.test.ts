import { expect, test } from "vitest";
import { ROLE, type WindowEntry } from "../window/rules/types.ts";
import { EVENT_TYPE, type EventDetail } from "./rules/event.ts";
import { encodeEvent, readEventErases, readEventSeqs } from "./wire.ts";

const TOTALS = { messageCount: 2, tokenCount: 9 };

function bodyOf(detail: EventDetail): Uint8Array {
  const event = { revision: 9, index: 1, namespace: "n", sessionId: "s", userId: "u" };
  const rest = { agentId: "a", createMs: 1_700_000_000_000, requestId: "r", continued: false };
  return encodeEvent({ ...event, ...rest, detail });
}

function seqsOf(detail: EventDetail): ReturnType<typeof readEventSeqs> {
  return readEventSeqs(bodyOf(detail));
}

function erases(detail: EventDetail): boolean {
  return readEventErases({ type: detail.type, body: bodyOf(detail) });
}

const removedAt = (seq: number): WindowEntry => ({
  seq,
  messageId: `m${seq}`,
  role: ROLE.user,
  callIds: [],
  answers: [],
  isResult: false,
  tokenCount: 1,
  createMs: 0,
  byteCount: 1,
});

/** A trim of messages, and of an insert, whose position is no seq. */
function trimmed(discarded: boolean, seqs: readonly number[] = []): EventDetail {
  const removed = [...seqs.map(removedAt), removedAt(0.5)];
  const trim = { stage: "", reason: "ceiling", removed, before: TOTALS, after: TOTALS } as const;
  return { type: EVENT_TYPE.messagesTrimmed, trim: { ...trim, discarded } };
}

test("texts go with deletions, replaced documents and trims that discard", () => {
  const upserted = { type: EVENT_TYPE.documentsUpserted, collectionId: "c", documentIds: ["a"] };
  expect(erases({ ...upserted, createdCount: 1 })).toBe(false);
  expect(erases({ ...upserted, createdCount: 0 })).toBe(true);
  expect(erases(trimmed(false))).toBe(false);
  expect(erases(trimmed(true))).toBe(true);
  const deleted = { messageId: "m", seq: 7, tokenCount: 4, wasInWindow: true };
  expect(erases({ type: EVENT_TYPE.messageDeleted, ...deleted })).toBe(true);
  expect(erases({ type: EVENT_TYPE.memoriesReinforced, memoryIds: ["m"] })).toBe(false);
});

test("an append gives its run, with ids before it", () => {
  const detail: EventDetail = {
    type: EVENT_TYPE.messagesAppended,
    messageIds: ["a", "b".repeat(200)],
    seqs: { first: 300, last: 301 },
    appended: TOTALS,
    window: TOTALS,
  };
  expect(seqsOf(detail)).toEqual([{ first: 300, last: 301 }]);
});

test("a change and a deletion give the message", () => {
  const named = { messageId: "m", seq: 70_000, tokenCount: 4 };
  expect(seqsOf({ type: EVENT_TYPE.messageUpdated, ...named, paths: ["text"] })).toEqual([
    { first: 70_000, last: 70_000 },
  ]);
  expect(seqsOf({ type: EVENT_TYPE.messageDeleted, ...named, wasInWindow: true })).toEqual([
    { first: 70_000, last: 70_000 },
  ]);
});

test("a trim gives the runs that it discards, and none when the log keeps them", () => {
  const runs = [
    { first: 3, last: 4 },
    { first: 70_000, last: 70_000 },
  ];
  expect(seqsOf(trimmed(true, [3, 4, 70_000]))).toEqual(runs);
  expect(seqsOf(trimmed(false, [3, 4, 70_000]))).toEqual([]);
});

test("other events give nothing", () => {
  expect(seqsOf({ type: EVENT_TYPE.sessionCreated })).toBeUndefined();
  expect(seqsOf({ type: EVENT_TYPE.turnEnded, window: TOTALS })).toBeUndefined();
});
