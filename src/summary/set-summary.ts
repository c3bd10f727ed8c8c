// SetSummary: a text replaces messages. They leave the window and stay in the log.

import { answerOnly, type Changing, changeSession, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { SetSummaryInput } from "../core/window-api.ts";
import { changeWindow, planOf, windowBase } from "../core/window-change.ts";
import { insertEntry, mergeInserts, sessionTotals, signalsOf } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import {
  messageNotFound,
  requestInvalid,
  sessionNotFound,
  summaryVersionMismatch,
  windowFull,
} from "../kit/errors.ts";
import { makeInsertId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, SessionFields, WindowInsert } from "../session/rules/session.ts";
import type { SessionDecision, SessionView, StoredEntry, SummaryPlan } from "../store/store.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { groupEntries } from "../window/rules/groups.ts";
import { needsTrim } from "../window/rules/needs-trim.ts";
import type { Totals } from "../window/rules/types.ts";
import {
  ancestorOfSession,
  hasPlace,
  NOTHING,
  originsOfEntries,
  setEvent,
  setText,
  standingRanges,
  summaryPlan,
  trimOf,
  withOwnSummary,
  withoutEntries,
  withPlacedSummary,
} from "./apply-summary.ts";
import { type SummaryRecord, TRUST } from "./rules/summary.ts";

const RANDOM_BYTES = 10;

/** Inputs that stay the same when the decision is retried. */
interface Setting extends Changing {
  readonly input: SetSummaryInput;
  readonly tokenCount: number;
  /** The id of the summary, should it be placed. */
  readonly messageId: string;
}

/** Sets the summary of a session, or places one in its window. */
export async function setSummary(
  context: ServiceContext,
  call: Call,
  input: SetSummaryInput,
): Promise<Uint8Array> {
  const { namespace, sessionId, text } = input;
  const nowMs = context.world.nowMs();
  // As in UpdateSession: exact counts are not available inside a decision. A policy change in
  // between costs at most a stale count.
  const known = text === "" ? undefined : await context.store.readSession(input);
  const rule = countedRule(known?.fields.policy ?? DEFAULT_POLICY);
  const tokenCount = text === "" ? 0 : await context.tokens.countText(text, rule);
  const messageId = makeInsertId("summary", context.world.random(RANDOM_BYTES));
  const setting = { context, call, input, nowMs, tokenCount, messageId };
  const target = { namespace, sessionId };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideSummary(setting, view),
  );
}

function decideSummary(setting: Setting, view: SessionView): SessionDecision<Uint8Array> {
  const { input } = setting;
  const { session } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const version = session.fields.summary?.version ?? 0;
  if (input.expectedVersion !== undefined && input.expectedVersion !== version) {
    throw summaryVersionMismatch(input.expectedVersion, version);
  }
  if (input.replacedMessageIds.length > 0) return replace(setting, view, session);
  if (input.text === "" && session.fields.summary === undefined) {
    return answerOnly(setting, input.encode({ session, trims: [], placed: undefined }));
  }
  return setAlone(setting, view, session);
}

/**
 * Sets or removes the summary of the session. The window stays as it is unless the summary leaves
 * too little room for it.
 */
function setAlone(
  setting: Setting,
  view: SessionView,
  session: Session,
): SessionDecision<Uint8Array> {
  const { context, input, nowMs, tokenCount } = setting;
  const { revision } = view;
  const prior = priorRecord(view, session);
  const { fields: changed, record } = setText(
    session.fields,
    { text: input.text, tokenCount },
    { nowMs, revision, lastSeq: session.head.lastSeq, prior },
  );
  const fields = { ...changed, etagRevision: revision };
  const grown: Session = { ...session, fields };
  const mayTrim = needsTrim(fields.policy, sessionTotals(grown), signalsOf(grown, []));
  const change = mayTrim
    ? changeWindow(context, windowBase(view, grown, nowMs), [{ occasions: ["append"] }])
    : undefined;
  const head = change?.head ?? { ...session.head, updateMs: nowMs, revision };
  const after: Session = { ...session, fields: change?.fields ?? fields, head };
  const bytes = input.encode({ session: after, trims: change?.trims ?? [], placed: undefined });
  const told = record === undefined ? removedEvent(session.fields) : setEvent(record, NOTHING);
  const plan = {
    ...(change === undefined ? { fields, head } : planOf(session, change)),
    ...historyPart(view, session, fields, record),
  };
  const details = [told, ...(change?.events ?? [])];
  return saved(setting, view, { result: bytes, session: after, plan, details, bytes });
}

/** Plan for the history: a summary that is removed ends with the newest seq. */
function historyPart(
  view: SessionView,
  session: Session,
  fields: SessionFields,
  record: SummaryRecord | undefined,
): { readonly summaries?: SummaryPlan } {
  if (record !== undefined) return { summaries: summaryPlan(view, session, fields, record) };
  const prior = priorRecord(view, session);
  if (prior === undefined) return {};
  return { summaries: { put: [], replace: { ...prior, endSeq: session.head.lastSeq } } };
}

function priorRecord(view: SessionView, { fields }: Session): SummaryRecord | undefined {
  return fields.summary === undefined ? undefined : view.summary(fields.summary.version);
}

/** The event of a removed summary of the session. */
function removedEvent({ summary }: SessionFields): EventDetail {
  return {
    type: EVENT_TYPE.summarySet,
    version: summary?.version ?? 0,
    placedMessageId: "",
    tokenCount: 0,
    ranges: [],
    made: undefined,
  };
}

/** Takes the replaced messages out of the window and puts the text where it belongs. */
function replace(
  setting: Setting,
  view: SessionView,
  session: Session,
): SessionDecision<Uint8Array> {
  const { context, input, nowMs } = setting;
  const { codec } = context;
  const entries = mergeInserts(view.window(), session.fields.inserts, codec);
  const replaced = replacedEntries(entries, session, input.replacedMessageIds);
  const made = summarized(setting, view, session, replaced);
  const { fields, record, placed } = made;
  const trim = trimOf(
    "",
    "summarized",
    placed === undefined ? entries : [...entries, insertEntry(placed, codec)],
    replaced,
  );
  const base = windowBase(view, { ...session, fields }, nowMs, replaced);
  const change = changeWindow(context, { ...base, trims: [trim] }, [{ occasions: ["append"] }]);
  const after: Session = { ...session, fields: change.fields, head: change.head };
  const bytes = input.encode({ session: after, trims: change.trims, placed });
  const [trimmed, ...others] = change.events;
  const told = record === undefined ? removedEvent(session.fields) : setEvent(record, made.added);
  const plan = {
    ...planOf(session, change),
    ...historyPart(view, session, change.fields, record),
  };
  const details = [...(trimmed === undefined ? [] : [trimmed]), told, ...others];
  return saved(setting, view, { result: bytes, session: after, plan, details, bytes });
}

interface Summarized {
  readonly fields: SessionFields;
  /** Undefined when the summary of the session is removed. */
  readonly record: SummaryRecord | undefined;
  readonly placed: WindowInsert | undefined;
  /** Totals of the messages that became part of it. */
  readonly added: Totals;
}

/** The fields with the text, as the summary of the session or in the window. */
function summarized(
  setting: Setting,
  view: SessionView,
  session: Session,
  replaced: readonly StoredEntry[],
): Summarized {
  const { context, input, tokenCount, messageId, nowMs } = setting;
  const isPlaced = input.placement === "in-place";
  const fields = withoutEntries(session.fields, replaced);
  if (!isPlaced && input.text === "") {
    const etagRevision = fields.summary === undefined ? fields.etagRevision : view.revision;
    const left = { ...fields, summary: undefined, etagRevision };
    return { fields: left, record: undefined, placed: undefined, added: NOTHING };
  }
  const prior = isPlaced ? undefined : ancestorOfSession(fields, priorRecord(view, session));
  const standing = standingRanges(fields, { own: isPlaced });
  const known = { entries: replaced, inserts: session.fields.inserts, prior, standing };
  const exact = originsOfEntries(context, view, known);
  // A text set by hand may contain anything.
  const origins = { ...exact, trust: exact.trust > TRUST.medium ? TRUST.medium : exact.trust };
  const summary = { text: input.text, tokenCount, made: undefined };
  const added = origins.addedTotals;
  if (!isPlaced) {
    const at = { nowMs, revision: view.revision, lastSeq: session.head.lastSeq };
    return { ...withOwnSummary(fields, summary, origins, at), placed: undefined, added };
  }
  if (!hasPlace(fields.inserts)) throw windowFull(`${LIMITS.placedSummaries} placed summaries`);
  const [first] = replaced;
  if (first === undefined) throw new Error("A summary is placed for no message.");
  const firstInsert = session.fields.inserts.find((one) => one.messageId === first.messageId);
  const { placed, ...made } = withPlacedSummary(context, fields, {
    ...{ messageId, summary, origins, shownText: input.text, name: "", request: undefined },
    ...{ shape: "system", first, firstInsert, nowMs },
  });
  return { ...made, placed: placed[0], added };
}

/** The entries with some ids, by rising position. Throws when one is missing or parts a call. */
function replacedEntries(
  entries: readonly StoredEntry[],
  session: Session,
  messageIds: readonly string[],
): readonly StoredEntry[] {
  const asked = new Set(messageIds);
  const replaced = entries.filter((entry) => asked.has(entry.messageId));
  if (replaced.length < asked.size) {
    const found = new Set(replaced.map((entry) => entry.messageId));
    const missing = messageIds.find((id) => !found.has(id)) ?? "";
    throw messageNotFound(missing, "The message is not in the window of this session.");
  }
  // Other policies may part calls from their results, and a stage can list just one of them.
  if (session.fields.policy.toolPairing !== "whole") return replaced;
  const { callOf } = groupEntries(entries);
  const groups = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    const group = callOf[index] ?? -1;
    if (group >= 0 && asked.has(entry.messageId)) groups.add(group);
  }
  for (const [index, { messageId }] of entries.entries()) {
    if (!groups.has(callOf[index] ?? -1) || asked.has(messageId)) continue;
    const description = `parts a tool call from its results: add ${messageId}`;
    throw requestInvalid([{ field: "replaced_message_ids", description }]);
  }
  return replaced;
}
