import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../kit/limits.ts";
import { rangesOf } from "../../window/rules/ranges.ts";
import type { WindowEntry } from "../../window/rules/types.ts";
import { EVENT_TYPE, type EventDetail } from "./event.ts";
import { type EventPart, splitEvent } from "./event-split.ts";

const totals = (messageCount: number) => ({ messageCount, tokenCount: 7 });

function appended(messageIds: readonly string[], first = 1): EventDetail {
  return {
    type: EVENT_TYPE.messagesAppended,
    messageIds,
    seqs: { first, last: first + messageIds.length - 1 },
    appended: totals(messageIds.length),
    window: totals(5),
  };
}

function trimmed(
  ids: readonly { readonly seq: number; readonly messageId: string }[],
): EventDetail {
  const removed: WindowEntry[] = ids.map((id) => ({
    ...id,
    role: 1,
    callIds: [],
    answers: [],
    isResult: false,
    tokenCount: 1,
    createMs: 0,
    byteCount: 1,
  }));
  const before = totals(removed.length);
  const after = totals(0);
  const cause = { stage: "s", reason: "message-limit", discarded: false } as const;
  return { type: EVENT_TYPE.messagesTrimmed, trim: { ...cause, removed, before, after } };
}

/** The same messages, come back. */
function restored(detail: EventDetail): EventDetail {
  if (detail.type !== EVENT_TYPE.messagesTrimmed) throw new Error("not a trim");
  const total = detail.trim.before;
  const { removed } = detail.trim;
  return { type: EVENT_TYPE.messagesRestored, restored: removed, total, window: totals(9) };
}

function filled(toolCallIds: readonly string[]): EventDetail {
  return { type: EVENT_TYPE.toolResultsFilled, toolCallIds, window: totals(9) };
}

function upserted(documentIds: readonly string[]): EventDetail {
  const createdCount = documentIds.length;
  return { type: EVENT_TYPE.documentsUpserted, collectionId: "c", documentIds, createdCount };
}

function removed(documentIds: readonly string[]): EventDetail {
  return { type: EVENT_TYPE.documentsDeleted, collectionId: "c", documentIds };
}

function remembered(
  memoryIds: readonly string[],
  updatedIds: readonly string[],
  contradictingIds: readonly string[] = [],
): EventDetail {
  const type = EVENT_TYPE.memoriesRemembered;
  return { type, memoryIds, updatedIds, contradictingIds, origin: "caller" };
}

function deleted(memoryIds: readonly string[]): EventDetail {
  return { type: EVENT_TYPE.memoriesDeleted, memoryIds, reason: "forgotten" };
}

function entriesOf(detail: EventDetail): readonly WindowEntry[] {
  if (detail.type === EVENT_TYPE.messagesRestored) return detail.restored;
  return detail.type === EVENT_TYPE.messagesTrimmed ? detail.trim.removed : [];
}

function idsOf({ detail }: EventPart): readonly string[] {
  if (detail.type === EVENT_TYPE.messagesAppended) return detail.messageIds;
  if (detail.type === EVENT_TYPE.toolResultsFilled) return detail.toolCallIds;
  if ("documentIds" in detail) return detail.documentIds;
  if ("updatedIds" in detail) return [...detail.memoryIds, ...detail.updatedIds];
  if ("memoryIds" in detail) return detail.memoryIds;
  return entriesOf(detail).map((entry) => entry.messageId);
}

/** The bytes of the lists of a part in wire form, runs at their largest. */
function listBytes(part: EventPart): number {
  const ids = idsOf(part).map((id) => Buffer.byteLength(id) + 3);
  const runs = rangesOf(entriesOf(part.detail));
  return ids.reduce((sum, bytes) => sum + bytes, 0) + runs.length * 20;
}

const isWhole = (parts: readonly EventPart[]): void => {
  const flags = parts.map((part) => part.continued);
  expect(flags).toEqual([...parts.slice(1).map(() => true), false]);
};

describe("appended messages", () => {
  test("of a few stay in one event", () => {
    const detail = appended(["a", "b"]);
    expect(splitEvent(detail)).toEqual([{ detail, continued: false }]);
  });

  test("of long ids are split, each part with its own ids and seqs", () => {
    const ids = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(256, "x"));
    const parts = splitEvent(appended(ids, 41));
    expect(parts).toHaveLength(3);
    isWhole(parts);
    expect(parts.flatMap(idsOf)).toEqual(ids);
    let next = 41;
    for (const { detail } of parts) {
      if (detail.type !== EVENT_TYPE.messagesAppended) throw new Error("another type");
      expect(detail.seqs).toEqual({ first: next, last: next + detail.messageIds.length - 1 });
      expect(detail.appended).toEqual(totals(300));
      next = detail.seqs.last + 1;
    }
    expect(next).toBe(341);
  });
});

describe("trimmed messages", () => {
  test("in one run stay in one event", () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => ({ seq: i + 1, messageId: `m${i}` }));
    expect(splitEvent(trimmed(ids))).toHaveLength(1);
  });

  test("that are scattered are split, because their runs take room as well", () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => ({ seq: 2 * i + 1, messageId: `m${i}` }));
    const detail = trimmed(ids);
    const parts = splitEvent(detail);
    expect(parts.length).toBeGreaterThan(5);
    isWhole(parts);
    expect(parts.flatMap(idsOf)).toEqual(ids.map((id) => id.messageId));
    for (const part of parts) {
      if (part.detail.type !== EVENT_TYPE.messagesTrimmed) throw new Error("another type");
      expect(part.detail.trim.before).toEqual(totals(10_000));
      expect(listBytes(part)).toBeLessThanOrEqual(LIMITS.eventIdBytes);
    }
  });
});

test("no part passes the limit, whatever the ids", () => {
  const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 80, size: "max" });
  const ids = fc.array(fc.tuple(id, fc.integer({ min: 1, max: 2 })), {
    maxLength: 900,
    size: "max",
  });
  const property = fc.property(ids, (list) => {
    let seq = 0;
    const entries = list.map(([messageId, step]) => {
      seq += step;
      return { messageId, seq };
    });
    const given = entries.map((entry) => entry.messageId);
    const details = [appended(given), trimmed(entries), restored(trimmed(entries)), filled(given)];
    details.push(upserted(given), removed(given), deleted(given));
    const half = Math.floor(given.length / 2);
    details.push(remembered(given.slice(0, half), given.slice(half)));
    details.push({ type: EVENT_TYPE.memoriesReinforced, memoryIds: given });
    for (const detail of details) {
      const parts = splitEvent(detail);
      isWhole(parts);
      expect(parts.flatMap(idsOf)).toEqual(given);
      for (const part of parts) expect(listBytes(part)).toBeLessThanOrEqual(LIMITS.eventIdBytes);
    }
  });
  fc.assert(property, { numRuns: 60 });
});

test("parts of written documents tell how many of all are new", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(256, "x"));
  const parts = splitEvent(upserted(ids));
  expect(parts).toHaveLength(3);
  for (const { detail } of parts) expect(detail).toMatchObject({ createdCount: 300 });
});

test("a part of remembered memories keeps new ones and changed ones apart", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(256, "x"));
  const marked = [...ids.slice(0, 2), ...ids.slice(298)];
  const parts = splitEvent(remembered(ids.slice(0, 200), ids.slice(200), marked));
  expect(parts).toHaveLength(3);
  isWhole(parts);
  const told = parts.flatMap(({ detail }) =>
    "contradictingIds" in detail ? detail.contradictingIds : [],
  );
  expect(told).toEqual(marked);
  const lists = parts.map(({ detail }) => ("updatedIds" in detail ? detail : undefined));
  expect(lists.flatMap((list) => list?.memoryIds)).toEqual(ids.slice(0, 200));
  expect(lists.flatMap((list) => list?.updatedIds)).toEqual(ids.slice(200));
  expect(lists[0]?.updatedIds).toEqual([]);
});

describe("summaries and tasks", () => {
  const ranges = Array.from({ length: 5_000 }, (_, i) => ({ first: 2 * i + 1, last: 2 * i + 1 }));
  const task = { taskId: "task-00000000001", stage: "s", hook: "builtin" };
  const placed = { version: 1, placedMessageId: "p", tokenCount: 3, made: undefined };
  const dead = { taskType: "summarize", reason: "timeout", effect: "keep" } as const;
  const details: EventDetail[] = [
    { type: EVENT_TYPE.summarySet, ...placed, ranges },
    {
      ...{ type: EVENT_TYPE.summaryRequested, ...task, triggers: [], ranges },
      ...{ sources: totals(5_000), joined: false },
    },
    {
      ...{ type: EVENT_TYPE.taskDead, ...task, ...dead, ranges },
      ...{ failedAttempts: 5, callCount: 5, durationMs: 1 },
    },
    {
      ...{ type: EVENT_TYPE.taskAttempted, taskId: "t", taskType: "extract", hook: "h", ranges },
      ...{ createdCount: 0, rejectedCount: 0, failure: "timeout" },
    },
  ];

  test.each(details)("of scattered messages join the oldest runs: $type", (detail) => {
    const [part, ...rest] = splitEvent(detail);
    expect(rest).toEqual([]);
    expect(part?.continued).toBe(false);
    const told = part !== undefined && "ranges" in part.detail ? part.detail.ranges : [];
    expect(told).toHaveLength(LIMITS.summaryRanges);
    expect(told[0]).toEqual({ first: 1, last: 2 * (5_000 - 255) - 1 });
    expect(told.slice(1)).toEqual(ranges.slice(-255));
  });
});

test("every other event is one part", () => {
  const detail: EventDetail = { type: EVENT_TYPE.sessionCreated };
  expect(splitEvent(detail)).toEqual([{ detail, continued: false }]);
});
