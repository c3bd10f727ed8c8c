// The history of a session that begins with summaries already: a fork, an import, a reset that
// keeps the summary. What is not known of how they were made is left open.

import { LIMITS } from "../kit/limits.ts";
import type { Session, SessionFields, SessionRef, WindowInsert } from "../session/rules/session.ts";
import type { Summary, SummaryRecord } from "../summary/rules/summary.ts";
import { joinOldest } from "../window/rules/ranges.ts";
import type { Totals } from "../window/rules/types.ts";
import type { Codec } from "./codec.ts";
import type { ServiceContext } from "./context.ts";

const NO_TOTALS: Totals = { messageCount: 0, tokenCount: 0 };

/** Unknown fields of a summary that came from elsewhere. */
const UNKNOWN = {
  added: [],
  sourceVersions: [],
  model: "",
  taskId: "",
  inputTokens: 0,
  outputTokens: 0,
  callCount: 0,
  durationMs: 0,
  placeholder: false,
} as const;

/** The summaries that a session has in use. */
type InUse = Pick<SessionFields, "summary" | "inserts">;

/** The placed summaries of a session, each once. */
function placedOf({ inserts }: InUse): readonly WindowInsert[] {
  return inserts.filter(({ kind, version }) => kind === "summary" && version > 0);
}

/** The versions of the summaries that a session has in use. */
export function currentVersions(fields: InUse): ReadonlySet<number> {
  const placed = placedOf(fields).map(({ version }) => version);
  return new Set(fields.summary === undefined ? placed : [fields.summary.version, ...placed]);
}

/** Reads the records of the summaries that a session has in use; those without one are missing. */
export async function readCurrentRecords(
  { store }: ServiceContext,
  ref: SessionRef,
  fields: InUse,
): Promise<ReadonlyMap<number, SummaryRecord>> {
  const records = new Map<number, SummaryRecord>();
  for (const version of currentVersions(fields)) {
    const record = await store.readSummary(ref, version);
    if (record !== undefined) records.set(version, record);
  }
  return records;
}

/**
 * The records of the summaries that a session has in use, by rising version. `known` gives those
 * that are there; the others say how much they stand for, as far as that is known.
 */
export function currentRecords(
  fields: InUse,
  codec: Codec,
  known: {
    readonly record?: (version: number) => SummaryRecord | undefined;
    readonly sources?: (version: number) => Totals | undefined;
  },
): readonly SummaryRecord[] {
  const sourcesOf = (version: number): Totals => known.sources?.(version) ?? NO_TOTALS;
  const records = placedOf(fields).map(
    (insert) =>
      known.record?.(insert.version) ?? placedRecord(insert, codec, sourcesOf(insert.version)),
  );
  const { summary } = fields;
  if (summary !== undefined) {
    const { version } = summary;
    records.push(known.record?.(version) ?? sessionRecord(summary, sourcesOf(version)));
  }
  return records.sort((a, b) => a.version - b.version);
}

function placedRecord(insert: WindowInsert, codec: Codec, sources: Totals): SummaryRecord {
  const { version, tokenCount, messageId, ranges, hook, stage, level, trust, createMs } = insert;
  return {
    ...UNKNOWN,
    ...{ version, tokenCount, ranges, sources, hook, stage, level, trust, createMs },
    text: codec.readSpeech(insert.bytes).text,
    placement: "in-place",
    placedMessageId: messageId,
  };
}

function sessionRecord(summary: Summary, sources: Totals): SummaryRecord {
  const { text, tokenCount, version, ranges, hook, stage, level, trust, createMs } = summary;
  return {
    ...UNKNOWN,
    ...{ text, tokenCount, version, ranges, hook, stage, level, trust, createMs, sources },
    placement: "session",
    placedMessageId: "",
  };
}

/** Records read at once: the one that is looked for is mostly among the newest. */
const PAGE = 8;

/**
 * The summary that a session had when a seq was its newest, after all changes made before the next
 * append. One that came from elsewhere is known from the last message on that it stands for.
 */
export async function summaryAt(
  { store }: Pick<ServiceContext, "store">,
  ref: SessionRef,
  { fields, head }: Pick<Session, "fields" | "head">,
  seq: number,
): Promise<Summary | undefined> {
  if (seq >= head.lastSeq) return fields.summary;
  const query = { order: "desc", limit: PAGE, maxBytes: LIMITS.pageBytes } as const;
  let after: number | undefined;
  do {
    const page = await store.listSummaries(ref, after === undefined ? query : { ...query, after });
    const record = page?.summaries.find((one) => isSetBy(one, seq));
    if (record !== undefined) {
      return record.endSeq !== undefined && record.endSeq <= seq ? undefined : summaryOf(record);
    }
    after = page?.next;
  } while (after !== undefined);
  return undefined;
}

function isSetBy({ placement, seq, ranges }: SummaryRecord, by: number): boolean {
  const from = seq ?? ranges.at(-1)?.last;
  return placement === "session" && from !== undefined && from <= by;
}

function summaryOf(record: SummaryRecord): Summary {
  const { text, tokenCount, version, createMs, hook, stage, level, trust } = record;
  const ranges = joinOldest(record.ranges, LIMITS.summaryRanges);
  return { text, tokenCount, version, createMs, ranges, hook, stage, level, trust };
}
