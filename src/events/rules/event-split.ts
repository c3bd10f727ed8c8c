// Splits the events whose lists of ids may be long, so that no event outgrows its limit.

import { LIMITS } from "../../kit/limits.ts";
import type { RecordName } from "../../records/rules/record.ts";
import { joinOldest } from "../../window/rules/ranges.ts";
import { EVENT_TYPE, type EventDetail } from "./event.ts";

/** One of the several events that report one change. */
export interface EventPart {
  readonly detail: EventDetail;
  /** The next part goes on with the lists of this one. */
  readonly continued: boolean;
}

// In wire form an id has a tag and a length of at most two bytes before it. A run of seqs has a tag
// and a length, and two numbers with a tag each, of at most 8 bytes for a safe integer.
const ID_FRAME_BYTES = 3;
const RUN_BYTES = 20;
/** A tag, and a safe integer. */
const VERSION_BYTES = 9;

/**
 * Splits the detail of an event into parts whose lists of ids and runs take at most
 * LIMITS.eventIdBytes in wire form each; a single id always fits. Parts hold their own ids and
 * seqs, in order, and the totals of the whole. A detail without lists that may be long is
 * one part; the runs of summaries and tasks are at most LIMITS.summaryRanges, the oldest joined.
 */
export function splitEvent(detail: EventDetail): readonly EventPart[] {
  switch (detail.type) {
    case EVENT_TYPE.messagesAppended: {
      const { first, last } = detail.seqs;
      return split(idCosts(detail.messageIds), (from, to) => ({
        ...detail,
        messageIds: detail.messageIds.slice(from, to),
        seqs: {
          first: first + from,
          last: to < detail.messageIds.length ? first + to - 1 : last,
        },
      }));
    }
    case EVENT_TYPE.messagesTrimmed: {
      const { trim } = detail;
      return split(entryCosts(trim.removed), (from, to) => ({
        ...detail,
        trim: { ...trim, removed: trim.removed.slice(from, to) },
      }));
    }
    case EVENT_TYPE.messagesRestored:
      return splitList(detail, "restored", entryCosts(detail.restored));
    case EVENT_TYPE.toolResultsFilled:
      return splitList(detail, "toolCallIds", idCosts(detail.toolCallIds));
    case EVENT_TYPE.documentsUpserted:
    case EVENT_TYPE.documentsDeleted:
      return splitList(detail, "documentIds", idCosts(detail.documentIds));
    case EVENT_TYPE.memoriesRemembered:
      return splitRemembered(detail);
    case EVENT_TYPE.memoriesReinforced:
    case EVENT_TYPE.memoriesDecayed:
    case EVENT_TYPE.memoriesDeleted:
      return splitList(detail, "memoryIds", idCosts(detail.memoryIds));
    case EVENT_TYPE.recordsWritten:
    case EVENT_TYPE.recordsDeleted:
      return splitList(detail, "records", nameCosts(detail.records));
    case EVENT_TYPE.summarySet:
    case EVENT_TYPE.summaryRequested:
    case EVENT_TYPE.taskDead:
      return [whole({ ...detail, ranges: joinOldest(detail.ranges, LIMITS.summaryRanges) })];
    case EVENT_TYPE.taskAttempted:
      return [whole({ ...detail, ranges: joinOldest(detail.ranges, LIMITS.memoryJobRanges) })];
    default:
      return [whole(detail)];
  }
}

function whole(detail: EventDetail): EventPart {
  return { detail, continued: false };
}

/** Splits a detail by its one long list. */
function splitList<Detail extends EventDetail, List extends keyof Detail>(
  detail: Detail & Readonly<Record<List, readonly unknown[]>>,
  list: List,
  costs: readonly number[],
): readonly EventPart[] {
  return split(costs, (from, to) => ({ ...detail, [list]: detail[list].slice(from, to) }));
}

/** The new memories come first, then those with a new state. */
function splitRemembered(
  detail: Extract<EventDetail, { type: typeof EVENT_TYPE.memoriesRemembered }>,
): readonly EventPart[] {
  const { memoryIds, updatedIds } = detail;
  const created = memoryIds.length;
  const marked = new Set(detail.contradictingIds);
  const ids = [...memoryIds, ...updatedIds];
  // An id that contradicts stands in two lists.
  const costs = idCosts(ids).map((cost, index) => (marked.has(ids[index] ?? "") ? 2 : 1) * cost);
  return split(costs, (from, to) => ({
    ...detail,
    memoryIds: memoryIds.slice(from, to),
    updatedIds: updatedIds.slice(Math.max(0, from - created), Math.max(0, to - created)),
    contradictingIds: ids.slice(from, to).filter((id) => marked.has(id)),
  }));
}

function idCosts(ids: readonly string[]): number[] {
  return ids.map((id) => Buffer.byteLength(id) + ID_FRAME_BYTES);
}

/** The bytes of names, each with a frame of its own and a version. */
function nameCosts(names: readonly RecordName[]): number[] {
  return names.map(({ path, key }) =>
    idCosts([...path, key]).reduce((sum, cost) => sum + cost, ID_FRAME_BYTES + VERSION_BYTES),
  );
}

/** The bytes of the ids and the runs of entries. */
function entryCosts(
  entries: readonly { readonly messageId: string; readonly seq: number }[],
): number[] {
  return entries.map(({ messageId, seq }, index) => {
    const goesOn = index > 0 && entries[index - 1]?.seq === seq - 1;
    return Buffer.byteLength(messageId) + ID_FRAME_BYTES + (goesOn ? 0 : RUN_BYTES);
  });
}

/**
 * Cuts a list whose items cost so many bytes into parts of at most the limit: at least one part,
 * and at least one item in each.
 */
function split(
  costs: readonly number[],
  detailOf: (from: number, to: number) => EventDetail,
): readonly EventPart[] {
  const parts: EventPart[] = [];
  let from = 0;
  // A part that starts inside a run of seqs begins a run of its own.
  let sum = RUN_BYTES;
  let index = 0;
  for (const cost of costs) {
    if (index > from && sum + cost > LIMITS.eventIdBytes) {
      parts.push({ detail: detailOf(from, index), continued: true });
      from = index;
      sum = RUN_BYTES;
    }
    sum += cost;
    index++;
  }
  parts.push(whole(detailOf(from, costs.length)));
  return parts;
}
