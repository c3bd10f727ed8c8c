// Effect of a new summary on a session, whoever made it: its version, the messages that it stands
// for, the place of its text, and its record in the history.

import type { ServiceContext } from "../core/context.ts";
import { placeBefore, placeInserts } from "../core/insert-places.ts";
import { isInLog } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail, type SummaryMade } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, SessionFields, WindowInsert } from "../session/rules/session.ts";
import type { SessionView, StoredEntry, SummaryPlan } from "../store/store.ts";
import type { SummaryShape } from "../window/policy/summary-spec.ts";
import {
  containsSeq,
  countSeqs,
  joinOldest,
  mergeRanges,
  rangesOf,
} from "../window/rules/ranges.ts";
import { addTotals, totalsOf } from "../window/rules/trim.ts";
import {
  ROLE,
  type SeqRange,
  type Totals,
  type Trim,
  type TrimReason,
} from "../window/rules/types.ts";
import { lowestTrust, type SummaryRecord, TRUST, type Trust } from "./rules/summary.ts";
import { summaryText } from "./summary-view.ts";

/** Totals of no messages. */
export const NOTHING: Totals = { messageCount: 0, tokenCount: 0 };

/** Sources of a summary. */
export interface Origins {
  /** All messages that it stands for. */
  readonly ranges: readonly SeqRange[];
  /** The messages of the log that come with it. */
  readonly added: readonly SeqRange[];
  /** Totals of the added messages. */
  readonly addedTotals: Totals;
  /** Totals of all that it stands for, over all levels. */
  readonly sources: Totals;
  /** Rising. */
  readonly versions: readonly number[];
  readonly level: number;
  readonly trust: Trust;
}

/** An earlier summary that becomes part of a new one. */
export type Ancestor = Pick<SummaryRecord, "version" | "ranges" | "sources" | "level" | "trust">;

/** Messages of the log that become part of a summary. */
export interface Added {
  readonly ranges: readonly SeqRange[];
  readonly totals: Totals;
  readonly trusts: readonly Trust[];
}

/** Combines the sources of a summary. */
export function originsOf(
  added: Added,
  placed: readonly Ancestor[],
  prior: Ancestor | undefined,
): Origins {
  const ancestors = prior === undefined ? placed : [...placed, prior];
  let ranges = added.ranges;
  let sources = added.totals;
  for (const ancestor of ancestors) {
    ranges = mergeRanges(ranges, ancestor.ranges);
    sources = plus(sources, ancestor.sources);
  }
  const trust = lowestTrust([...added.trusts, ...ancestors.map((one) => one.trust)]);
  const versions = [...new Set(ancestors.map(({ version }) => version))];
  return {
    ranges: joinOldest(ranges, LIMITS.summaryHistoryRanges),
    added: joinOldest(added.ranges, LIMITS.summaryHistoryRanges),
    addedTotals: added.totals,
    sources,
    versions: versions
      .filter((version) => version > 0)
      .sort((a, b) => a - b)
      .slice(-LIMITS.summarySourceVersions),
    // Continuing a summary keeps its level; taking up placed summaries goes one level higher.
    level: Math.max(1, prior?.level ?? 0, ...placed.map(({ level }) => level + 1)),
    trust,
  };
}

/** The sum of two totals. */
export function plus(a: Totals, b: Totals): Totals {
  return {
    messageCount: a.messageCount + b.messageCount,
    tokenCount: a.tokenCount + b.tokenCount,
  };
}

/** Origins of a placed summary; one without a record in the history has fewer details. */
function ancestorOfInsert(insert: WindowInsert, record: SummaryRecord | undefined): Ancestor {
  const { version, ranges, level, trust } = insert;
  return record ?? { version, ranges, level, trust, sources: guessed(ranges) };
}

/** Origins of the summary of a session. */
export function ancestorOfSession(
  { summary }: Pick<SessionFields, "summary">,
  record: SummaryRecord | undefined,
): Ancestor | undefined {
  if (summary === undefined) return undefined;
  const { version, ranges, trust, level } = summary;
  if (record?.version === version) return record;
  return { version, ranges, trust, level, sources: guessed(ranges) };
}

function guessed(ranges: readonly SeqRange[]): Totals {
  return { messageCount: countSeqs(ranges), tokenCount: 0 };
}

/**
 * Ranges covered by the summaries that stay beside a new one. A restored message within them has
 * its summary already and gets no second one. `own`: whether the summary of the session stays.
 */
export function standingRanges(
  { summary, inserts }: Pick<SessionFields, "summary" | "inserts">,
  { own }: { readonly own: boolean },
): readonly SeqRange[] {
  let ranges: readonly SeqRange[] = own ? (summary?.ranges ?? []) : [];
  for (const insert of inserts) ranges = mergeRanges(ranges, insert.ranges);
  return ranges;
}

/** Origins of a summary that replaces these entries. */
export function originsOfEntries(
  context: Pick<ServiceContext, "codec">,
  view: Pick<SessionView, "summary">,
  from: {
    readonly entries: readonly StoredEntry[];
    readonly inserts: readonly WindowInsert[];
    readonly prior: Ancestor | undefined;
    /** Ranges that other summaries cover. */
    readonly standing: readonly SeqRange[];
  },
): Origins {
  const inLog = from.entries.filter(
    (entry) => isInLog(entry) && !containsSeq(from.standing, entry.seq),
  );
  const byId = new Map(from.inserts.map((insert) => [insert.messageId, insert]));
  const trusts = inLog.map(({ bytes }) => context.codec.readTrust(bytes));
  const placed: Ancestor[] = [];
  for (const { messageId } of from.entries) {
    const insert = byId.get(messageId);
    if (insert?.kind === "summary") {
      placed.push(ancestorOfInsert(insert, view.summary(insert.version)));
    } else if (insert !== undefined) trusts.push(insert.trust);
  }
  const { messageCount, tokenCount } = totalsOf(inLog);
  const added = { ranges: rangesOf(inLog), totals: { messageCount, tokenCount }, trusts };
  return originsOf(added, placed, from.prior);
}

/** A text that becomes a summary. */
export interface NewSummary {
  readonly text: string;
  /** Cost of the message that shows it. */
  readonly tokenCount: number;
  /** Details of the hook call that made it; undefined for a text that a caller set. */
  readonly made: Omit<SummaryMade, "added"> | undefined;
}

/** When something is set. */
export interface SetAt {
  readonly nowMs: number;
  readonly revision: number;
  /** The newest seq of the session. */
  readonly lastSeq: number;
}

/** The record of a summary for the history. */
function summaryRecordOf(
  summary: NewSummary,
  origins: Origins,
  at: {
    readonly version: number;
    readonly placedMessageId: string;
    readonly nowMs: number;
    readonly seq?: number;
  },
): SummaryRecord {
  const { made } = summary;
  return {
    ...(at.seq === undefined ? {} : { seq: at.seq }),
    version: at.version,
    text: summary.text,
    tokenCount: summary.tokenCount,
    placement: at.placedMessageId === "" ? "session" : "in-place",
    placedMessageId: at.placedMessageId,
    ranges: origins.ranges,
    added: origins.added,
    sources: origins.sources,
    sourceVersions: origins.versions,
    level: origins.level,
    stage: made?.stage ?? "",
    hook: made?.hook ?? "",
    model: made?.model ?? "",
    taskId: made?.taskId ?? "",
    trust: origins.trust,
    inputTokens: made?.inputTokens ?? 0,
    outputTokens: made?.outputTokens ?? 0,
    callCount: made?.callCount ?? 0,
    durationMs: made?.durationMs ?? 0,
    placeholder: made?.placeholder ?? false,
    createMs: at.nowMs,
  };
}

/** The fields of a session with a new summary beside the window, and the record of that summary. */
export function withOwnSummary(
  fields: SessionFields,
  summary: NewSummary,
  origins: Origins,
  { nowMs, revision, lastSeq: seq }: SetAt,
): { readonly fields: SessionFields; readonly record: SummaryRecord } {
  const version = fields.summaryVersion + 1;
  const record = summaryRecordOf(summary, origins, { version, placedMessageId: "", nowMs, seq });
  const { text, tokenCount, trust, hook, stage, level } = record;
  const ranges = joinOldest(origins.ranges, LIMITS.summaryRanges);
  const own = { text, tokenCount, version, createMs: nowMs, ranges, hook, stage, level, trust };
  return {
    fields: { ...fields, summary: own, summaryVersion: version, etagRevision: revision },
    record,
  };
}

/**
 * Sets the text of the summary of a session by hand; an empty one removes it. The new summary
 * covers the same messages as the one before. `prior`: the record of that one, if known.
 */
export function setText(
  fields: SessionFields,
  text: { readonly text: string; readonly tokenCount: number },
  at: SetAt & { readonly prior?: SummaryRecord | undefined },
): { readonly fields: SessionFields; readonly record?: SummaryRecord } {
  if (text.text === "") return { fields: { ...fields, summary: undefined } };
  const prior = ancestorOfSession(fields, at.prior);
  return withOwnSummary(fields, { ...text, made: undefined }, byHand(prior), at);
}

/** Origins of a text that a caller sets in place of a summary. */
function byHand(prior: Ancestor | undefined): Origins {
  return originsOf({ ranges: [], totals: NOTHING, trusts: [TRUST.medium] }, [], prior);
}

/** A summary that is placed in a window. */
export interface Placing {
  readonly messageId: string;
  readonly summary: NewSummary;
  readonly origins: Origins;
  /** Text of the message that shows it. */
  readonly shownText: string;
  /** The participant name of the message; empty for none. */
  readonly name: string;
  /** The user message before it; undefined for none. */
  readonly request: { readonly text: string; readonly tokenCount: number } | undefined;
  readonly shape: SummaryShape;
  /** The first entry that it replaces. */
  readonly first: StoredEntry;
  /** The insert behind the first entry, if that is an insert. */
  readonly firstInsert: WindowInsert | undefined;
  readonly nowMs: number;
}

/** Whether one more summary may be placed beside these. */
export function hasPlace(inserts: readonly WindowInsert[]): boolean {
  return inserts.filter(({ kind }) => kind === "summary").length < LIMITS.placedSummaries;
}

/**
 * The fields of a session with a placed summary, and its record. The inserts that it replaces are
 * removed from the fields.
 */
export function withPlacedSummary(
  { codec }: Pick<ServiceContext, "codec">,
  fields: SessionFields,
  placing: Placing,
): {
  readonly fields: SessionFields;
  readonly record: SummaryRecord;
  readonly placed: readonly WindowInsert[];
} {
  const { messageId, summary, origins, shape, first, request, nowMs } = placing;
  const version = fields.summaryVersion + 1;
  const record = summaryRecordOf(summary, origins, { version, placedMessageId: messageId, nowMs });
  const insertOf = (
    kind: "summary" | "request",
    message: { readonly id: string; readonly text: string; readonly tokenCount: number },
  ): Omit<WindowInsert, "position"> => {
    const isSummary = kind === "summary";
    const role = isSummary ? (shape === "exchange" ? ROLE.assistant : ROLE.system) : ROLE.user;
    const { id, text, tokenCount } = message;
    const name = isSummary ? placing.name : "";
    const said = { messageId: id, kind, role, trust: record.trust, text, tokenCount };
    return {
      kind,
      messageId: id,
      tokenCount,
      bytes: codec.encodeMade({ ...said, toolCallId: "", name, createMs: nowMs }),
      ranges: isSummary ? joinOldest(origins.ranges, LIMITS.summaryRanges) : [],
      firstMs: saidMs(codec, placing),
      createMs: nowMs,
      version,
      hook: record.hook,
      stage: record.stage,
      level: isSummary ? record.level : 0,
      trust: record.trust,
    };
  };
  const { inserts } = fields;
  const after = isInLog(first) ? placeBefore(inserts, first.seq) : first.seq;
  const text = summaryText(fields.policy, placing.shownText);
  const shown = { id: messageId, text, tokenCount: summary.tokenCount };
  const added = [insertOf("summary", shown)];
  if (request !== undefined) {
    added.unshift(insertOf("request", { id: `${messageId}-request`, ...request }));
  }
  const all = placeInserts(
    inserts,
    added.map((insert) => ({ insert, after })),
  );
  const ids = new Set(added.map((insert) => insert.messageId));
  return {
    fields: { ...fields, inserts: all, summaryVersion: version },
    record,
    placed: all.filter((insert) => ids.has(insert.messageId)),
  };
}

/** Time of the first entry that a summary replaces: when it was said, or else stored. */
function saidMs(codec: ServiceContext["codec"], { first, firstInsert }: Placing): number {
  if (firstInsert === undefined || firstInsert.kind === "result") {
    return codec.readSpeech(first.bytes).saidMs;
  }
  return firstInsert.firstMs;
}

/** The fields of a session without the inserts among some entries. */
export function withoutEntries(
  fields: SessionFields,
  gone: readonly Pick<StoredEntry, "messageId">[],
): SessionFields {
  const ids = new Set(gone.map(({ messageId }) => messageId));
  const inserts = fields.inserts.filter(({ messageId }) => !ids.has(messageId));
  return inserts.length === fields.inserts.length ? fields : { ...fields, inserts };
}

/** The trim of the entries that a summary replaces; `before`: the window with the summary. */
export function trimOf(
  stage: string,
  reason: TrimReason,
  before: readonly StoredEntry[],
  removed: readonly StoredEntry[],
): Trim<StoredEntry> {
  const all = totalsOf(before);
  const less = totalsOf(removed);
  const after = addTotals(all, {
    messageCount: -less.messageCount,
    tokenCount: -less.tokenCount,
    byteCount: -less.byteCount,
  });
  return { stage, reason, removed, before: all, after, discarded: false };
}

/** The event of a summary that was set. */
export function setEvent(record: SummaryRecord, addedTotals: Totals): EventDetail {
  const { version, placedMessageId, tokenCount, ranges, taskId, stage, hook, model } = record;
  const { callCount, inputTokens, outputTokens, durationMs, placeholder } = record;
  const calls = { callCount, inputTokens, outputTokens, durationMs, placeholder };
  const made = { taskId, stage, hook, model, added: addedTotals, ...calls };
  return {
    type: EVENT_TYPE.summarySet,
    version,
    placedMessageId,
    tokenCount,
    ranges,
    made: taskId === "" ? undefined : made,
  };
}

/** The versions of the summaries that a session shows or holds. */
function versionsInUse({ summary, inserts }: SessionFields): ReadonlySet<number> {
  const versions = new Set(inserts.map(({ version }) => version));
  if (summary !== undefined) versions.add(summary.version);
  return versions;
}

/**
 * Plan for the history: adds the new record, and drops the oldest that are neither in use nor among
 * the newest LIMITS.summaryHistory.
 */
export function summaryPlan(
  view: Pick<SessionView, "summary">,
  before: Session,
  after: SessionFields,
  record: SummaryRecord,
): SummaryPlan {
  const end = after.summaryVersion - LIMITS.summaryHistory;
  const inUse = versionsInUse(after);
  const old = new Set([end, ...versionsInUse(before.fields)]);
  const remove = [...old].filter(
    (version) =>
      version > 0 && version <= end && !inUse.has(version) && view.summary(version) !== undefined,
  );
  return { put: [record], ...(remove.length === 0 ? {} : { remove }) };
}
