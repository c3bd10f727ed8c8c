// SetSummary: a text takes the place of messages. They leave the window and stay in the log.

import {
  messageNotFound,
  requestInvalid,
  sessionNotFound,
  summaryVersionMismatch,
  windowFull,
} from "../domain/errors.ts";
import { EVENT_TYPE, type EventDetail } from "../domain/event.ts";
import { makeInsertId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import { DEFAULT_POLICY } from "../domain/policy.ts";
import type { Session, SessionFields, WindowInsert } from "../domain/session.ts";
import { countedRule } from "../domain/token-rules.ts";
import { groupEntries } from "../domain/window/groups.ts";
import { joinOldest, mergeRanges } from "../domain/window/merge-ranges.ts";
import { rangesOf } from "../domain/window/ranges.ts";
import { addTotals, totalsOf } from "../domain/window/totals.ts";
import type { SeqRange, Trim } from "../domain/window/types.ts";
import type { SessionDecision, SessionView, StoredEntry } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { changeSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { placeBefore, placeInserts } from "./insert-places.ts";
import { newEvents } from "./new-events.ts";
import { withSummary } from "./update-session.ts";
import type { SetSummaryInput } from "./window-api.ts";
import { changeWindow, planOf } from "./window-change.ts";
import { insertEntry, isInLog, mergeInserts } from "./window-view.ts";

const RANDOM_BYTES = 10;

/** What stays the same however often it is decided. */
interface Setting {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: SetSummaryInput;
  readonly nowMs: number;
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
  // As in UpdateSession: exact counts cannot be had inside a decision. A policy change in between
  // costs at most a stale count.
  const known = text === "" ? undefined : await context.store.readSession(input);
  const rule = countedRule(known?.fields.policy ?? DEFAULT_POLICY);
  const tokenCount = text === "" ? 0 : await context.tokens.countText(text, rule);
  const messageId = makeInsertId("summary", context.world.random(RANDOM_BYTES));
  const setting = { context, call, input, nowMs, tokenCount, messageId };
  const target = { namespace, sessionId, needWindow: input.replacedMessageIds.length > 0 };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideSummary(setting, view),
  );
}

function decideSummary(setting: Setting, view: SessionView): SessionDecision<Uint8Array> {
  const { input, call, nowMs } = setting;
  const { session } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const version = session.fields.summary?.version ?? 0;
  if (input.expectedVersion !== undefined && input.expectedVersion !== version) {
    throw summaryVersionMismatch(input.expectedVersion, version);
  }
  if (input.replacedMessageIds.length > 0) return replace(setting, view, session);
  if (input.text === "" && session.fields.summary === undefined) {
    const bytes = input.encode({ session, trims: [], placed: undefined });
    return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
  }
  const { revision } = view;
  const fields = summarized(setting, session.fields, revision);
  const head = { ...session.head, updateMs: nowMs, revision };
  const after: Session = { ...session, fields, head };
  const bytes = input.encode({ session: after, trims: [], placed: undefined });
  const origin = { session: after, revision, nowMs, requestId: call.requestId };
  const events = newEvents(setting.context, origin, [sessionEvent(fields)]);
  const plan = { fields, head, events, ...replyPart(call, nowMs, bytes) };
  return { kind: "save", result: bytes, plan };
}

/** The fields with the text as the summary of the session. */
function summarized(setting: Setting, fields: SessionFields, revision: number): SessionFields {
  const { input, tokenCount, nowMs } = setting;
  if (input.text === "" && fields.summary === undefined) return fields;
  return {
    ...withSummary(fields, { text: input.text, tokenCount }, nowMs),
    etagRevision: revision,
  };
}

function sessionEvent({ summary }: SessionFields): EventDetail {
  return {
    type: EVENT_TYPE.summarySet,
    version: summary?.version ?? 0,
    placedMessageId: "",
    tokenCount: summary?.tokenCount ?? 0,
    ranges: [],
  };
}

/** Takes the replaced messages out of the window and puts the text where it belongs. */
function replace(
  setting: Setting,
  view: SessionView,
  session: Session,
): SessionDecision<Uint8Array> {
  const { context, input, call, nowMs } = setting;
  const { revision } = view;
  const { codec } = context;
  const entries = mergeInserts(view.window ?? [], session.fields.inserts, codec);
  const replaced = replacedEntries(entries, session, input.replacedMessageIds);
  const gone = new Set(replaced.map((entry) => entry.messageId));
  const inserts = session.fields.inserts.filter(({ messageId }) => !gone.has(messageId));
  const left = { ...session.fields, inserts };
  const made = input.placement === "in-place" ? place(setting, left, session, replaced) : undefined;
  const fields =
    made === undefined
      ? summarized(setting, left, revision)
      : { ...left, inserts: placeInserts(inserts, [made]) };
  const placed = fields.inserts.find(({ messageId }) => messageId === setting.messageId);
  const change = changeWindow(
    context,
    {
      session: { ...session, fields },
      window: (view.window ?? []).filter((entry) => !gone.has(entry.messageId)),
      stamp: { revision, nowMs },
      trims: [
        trimOf(placed === undefined ? entries : [...entries, insertEntry(placed, codec)], replaced),
      ],
    },
    [],
  );
  const after: Session = { ...session, fields: change.fields, head: change.head };
  const bytes = input.encode({ session: after, trims: change.trims, placed });
  const first = placed === undefined ? sessionEvent(fields) : placedEvent(placed);
  const origin = { session: after, revision, nowMs, requestId: call.requestId };
  const events = newEvents(context, origin, [first, ...change.events]);
  const plan = { ...planOf(session, change), events, ...replyPart(call, nowMs, bytes) };
  return { kind: "save", result: bytes, plan };
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
  // Other policies may part calls from their results, so that a stage can list just one of them.
  if (session.fields.policy.toolPairs !== "whole") return replaced;
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

function trimOf(before: readonly StoredEntry[], removed: readonly StoredEntry[]): Trim {
  const all = totalsOf(before);
  const less = totalsOf(removed);
  const after = addTotals(all, {
    messageCount: -less.messageCount,
    tokenCount: -less.tokenCount,
    byteCount: -less.byteCount,
  });
  return { stage: "", reason: "summarized", removed, before: all, after, discarded: false };
}

/** The summary that stands in the window, and behind what. */
function place(
  setting: Setting,
  { inserts }: SessionFields,
  session: Session,
  replaced: readonly StoredEntry[],
): { readonly insert: Omit<WindowInsert, "position">; readonly after: number } {
  const { context, input, tokenCount, messageId, nowMs } = setting;
  const summaries = inserts.filter(({ kind }) => kind === "summary");
  if (summaries.length >= LIMITS.placedSummaries) {
    throw windowFull(`${LIMITS.placedSummaries} placed summaries`);
  }
  const [first] = replaced;
  if (first === undefined) throw new Error("A summary is placed for no message.");
  const old = new Map(session.fields.inserts.map((insert) => [insert.messageId, insert]));
  let ranges: readonly SeqRange[] = rangesOf(replaced.filter(isInLog));
  for (const entry of replaced) {
    ranges = mergeRanges(ranges, old.get(entry.messageId)?.ranges ?? []);
  }
  const made = {
    messageId,
    kind: "summary",
    text: input.text,
    tokenCount,
    toolCallId: "",
    name: "",
    createMs: nowMs,
  } as const;
  return {
    insert: {
      kind: "summary",
      messageId,
      tokenCount,
      bytes: context.codec.encodeMade(made),
      ranges: joinOldest(ranges, LIMITS.summaryRanges),
      firstMs: saidMs(context, first, old.get(first.messageId)),
      createMs: nowMs,
    },
    after: isInLog(first) ? placeBefore(inserts, first.seq) : first.seq,
  };
}

/** When the first of the replaced messages was said, or else stored. */
function saidMs(
  { codec }: ServiceContext,
  first: StoredEntry,
  insert: WindowInsert | undefined,
): number {
  if (insert?.kind === "summary") return insert.firstMs;
  return codec.readSpeech(first.bytes).saidMs;
}

function placedEvent(placed: WindowInsert): EventDetail {
  return {
    type: EVENT_TYPE.summarySet,
    version: 0,
    placedMessageId: placed.messageId,
    tokenCount: placed.tokenCount,
    ranges: placed.ranges,
  };
}
