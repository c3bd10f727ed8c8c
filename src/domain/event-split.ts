// Splits the events whose lists of ids may be long, so that no event outgrows its limit.

import { EVENT_TYPE, type EventDetail } from "./event.ts";
import { LIMITS } from "./limits.ts";
import { joinOldest } from "./window/merge-ranges.ts";

/** One event of the several that tell one thing. */
export interface EventPart {
  readonly detail: EventDetail;
  /** The next part goes on with the lists of this one. */
  readonly continued: boolean;
}

// In wire form an id has a tag and a length of at most two bytes before it. A run of seqs has a tag
// and a length, and two numbers with a tag each, of at most 8 bytes for a safe integer.
const ID_FRAME_BYTES = 3;
const RUN_BYTES = 20;

/**
 * Splits the detail of an event into parts whose lists of ids and runs take at most
 * LIMITS.eventIdBytes in wire form each; a single id always fits. Parts hold their own ids and
 * seqs, in order, and the totals of the whole. A detail without lists that may be long is
 * one part; the runs of summaries and tasks are at most LIMITS.summaryRanges, the oldest joined.
 */
export function splitEvent(detail: EventDetail): readonly EventPart[] {
  if (detail.type === EVENT_TYPE.messagesAppended) {
    const costs = detail.messageIds.map((id) => utf8Bytes(id) + ID_FRAME_BYTES);
    return slices(costs).map(({ from, to, continued }) => ({
      detail: {
        ...detail,
        messageIds: detail.messageIds.slice(from, to),
        seqs: continued
          ? { first: detail.seqs.first + from, last: detail.seqs.first + to - 1 }
          : { first: detail.seqs.first + from, last: detail.seqs.last },
      },
      continued,
    }));
  }
  if (detail.type === EVENT_TYPE.messagesTrimmed) {
    const { trim } = detail;
    return slices(entryCosts(trim.removed)).map(({ from, to, continued }) => ({
      detail: { ...detail, trim: { ...trim, removed: trim.removed.slice(from, to) } },
      continued,
    }));
  }
  if (detail.type === EVENT_TYPE.messagesRestored) {
    return slices(entryCosts(detail.restored)).map(({ from, to, continued }) => ({
      detail: { ...detail, restored: detail.restored.slice(from, to) },
      continued,
    }));
  }
  if (detail.type === EVENT_TYPE.toolResultsFilled) {
    return splitIds(detail.toolCallIds, (toolCallIds) => ({ ...detail, toolCallIds }));
  }
  if (detail.type === EVENT_TYPE.documentsUpserted || detail.type === EVENT_TYPE.documentsDeleted) {
    return splitIds(detail.documentIds, (documentIds) => ({ ...detail, documentIds }));
  }
  if (detail.type === EVENT_TYPE.memoriesRemembered) return splitRemembered(detail);
  if (
    detail.type === EVENT_TYPE.memoriesReinforced ||
    detail.type === EVENT_TYPE.memoriesDecayed ||
    detail.type === EVENT_TYPE.memoriesDeleted
  ) {
    return splitIds(detail.memoryIds, (memoryIds) => ({ ...detail, memoryIds }));
  }
  return [{ detail: withFewRuns(detail), continued: false }];
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
  const costs = ids.map((id) => (marked.has(id) ? 2 : 1) * (utf8Bytes(id) + ID_FRAME_BYTES));
  return slices(costs).map(({ from, to, continued }) => ({
    detail: {
      ...detail,
      memoryIds: memoryIds.slice(from, to),
      updatedIds: updatedIds.slice(Math.max(0, from - created), Math.max(0, to - created)),
      contradictingIds: ids.slice(from, to).filter((id) => marked.has(id)),
    },
    continued,
  }));
}

/** Splits a detail by a list of ids alone. */
function splitIds(
  ids: readonly string[],
  detailOf: (ids: readonly string[]) => EventDetail,
): readonly EventPart[] {
  const costs = ids.map((id) => utf8Bytes(id) + ID_FRAME_BYTES);
  return slices(costs).map(({ from, to, continued }) => ({
    detail: detailOf(ids.slice(from, to)),
    continued,
  }));
}

/** Joins the oldest runs of what tells of summaries, tasks and jobs. */
function withFewRuns(detail: EventDetail): EventDetail {
  switch (detail.type) {
    case EVENT_TYPE.summarySet:
    case EVENT_TYPE.summaryRequested:
    case EVENT_TYPE.taskDead:
      return { ...detail, ranges: joinOldest(detail.ranges, LIMITS.summaryRanges) };
    case EVENT_TYPE.taskAttempted:
      return { ...detail, ranges: joinOldest(detail.ranges, LIMITS.memoryJobRanges) };
    default:
      return detail;
  }
}

/** What the ids and the runs of entries take. */
function entryCosts(
  entries: readonly { readonly messageId: string; readonly seq: number }[],
): number[] {
  return entries.map(({ messageId, seq }, index) => {
    const goesOn = index > 0 && entries[index - 1]?.seq === seq - 1;
    return utf8Bytes(messageId) + ID_FRAME_BYTES + (goesOn ? 0 : RUN_BYTES);
  });
}

interface Slice {
  readonly from: number;
  readonly to: number;
  readonly continued: boolean;
}

/** Cuts a list with these costs into slices of at most the limit; at least one slice. */
function slices(costs: readonly number[]): Slice[] {
  const cuts: Slice[] = [];
  let from = 0;
  // A part that starts inside a run of seqs begins a run of its own.
  let sum = RUN_BYTES;
  let index = 0;
  for (const cost of costs) {
    if (index > from && sum + cost > LIMITS.eventIdBytes) {
      cuts.push({ from, to: index, continued: true });
      from = index;
      sum = RUN_BYTES;
    }
    sum += cost;
    index++;
  }
  return [...cuts, { from, to: costs.length, continued: false }];
}

/** The length of text in UTF-8; a lone surrogate counts as the three bytes it is replaced by. */
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // The second half of a pair: the pair takes four bytes, not six.
    const before = i > 0 ? text.charCodeAt(i - 1) : 0;
    if (unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff) bytes -= 2;
  }
  return bytes;
}
