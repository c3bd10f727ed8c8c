// Whether a record, as it is in the store, passes a filter. The index has filtered already, but a
// record may have been replaced since: while a hook put hits in order that takes seconds.

import type { RecallFilter } from "../../domain/recall/filter.ts";
import {
  type FilterTimes,
  type MemoryConditions,
  memoryPasses,
  TRUE_MEMORIES,
} from "../../domain/recall/memory-test.ts";
import { hasLabels, passesCondition } from "../../domain/recall/metadata-test.ts";
import type { IndexedRecord } from "../../recall/port.ts";

/** For records that are no memories. */
const TIMELESS: FilterTimes = { nowMs: 0, referenceMs: 0 };

/** What a filter says of a record itself: nothing of its session or its collection. */
export type RecordFilter = Pick<RecallFilter, "labels" | "metadata" | "sourceDocumentId"> &
  Partial<Pick<RecallFilter, "fromMs" | "beforeMs" | "minTrust">> &
  Partial<MemoryConditions>;

/** Whether a filter looks at records themselves. */
export function looksAtRecords(filter: RecordFilter): boolean {
  const { labels, metadata, sourceDocumentId, fromMs, beforeMs, minTrust } = filter;
  if (labels.size > 0 || metadata.length > 0 || sourceDocumentId !== "") return true;
  return fromMs !== undefined || beforeMs !== undefined || minTrust !== undefined;
}

/** Whether a record passes. Its role is not looked at: it never changes. */
export function passes(
  record: IndexedRecord,
  filter: RecordFilter,
  times: FilterTimes = TIMELESS,
): boolean {
  const { memory } = record;
  if (memory !== undefined && !memoryPasses(memory, { ...TRUE_MEMORIES, ...filter }, times)) {
    return false;
  }
  const { fromMs = -Infinity, beforeMs = Infinity, minTrust = 0, sourceDocumentId } = filter;
  const { timeMs, trust, documentId } = record;
  if (timeMs < fromMs || timeMs >= beforeMs || trust < minTrust) return false;
  const isOfSource =
    documentId === sourceDocumentId || record.sourceDocumentId === sourceDocumentId;
  if (sourceDocumentId !== "" && !isOfSource) return false;
  if (!hasLabels(record.labels, filter.labels)) return false;
  return filter.metadata.every((condition) => passesCondition(record.metadata, condition));
}
