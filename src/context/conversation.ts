// The session of a context: its window as its policy shows it to a read, without storing anything,
// and its summary.

import { liveSession } from "../core/change.ts";
import type { Codec } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { showWindow, type Viewed } from "../core/window-shown.ts";
import {
  detailReader,
  isInLog,
  mergeInserts,
  sessionTotals,
  signalsOf,
} from "../core/window-view.ts";
import type { AssembleContextInput } from "../memory/api.ts";
import type { Session } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { groupEntriesAs } from "../window/rules/groups.ts";
import { trimWindow } from "../window/rules/trim.ts";
import { ROLE, ROLE_NAMES } from "../window/rules/types.ts";
import type { ContextParts } from "./parts.ts";
import type { Candidate, MessageApart, SaidMessage } from "./rules/types.ts";

/** The part of a context that comes from its session. */
export interface Conversation {
  readonly session: Session;
  /** The newest message first. */
  readonly messages: readonly Candidate[];
  /** Undefined also where the messages of a prompt show it. */
  readonly summary: Candidate | undefined;
  /** Text of the newest user message; empty without one. */
  readonly newestUserText: string;
  /** Ids of the tool calls in its messages. */
  readonly callIds: ReadonlySet<string>;
}

/**
 * Reads a session, for a text or, where a form adds to its messages, for a prompt. Undefined when
 * there is none.
 */
export async function readConversation(
  { context, withSummary }: Pick<ContextParts, "context" | "withSummary">,
  input: Pick<AssembleContextInput, "namespace" | "sessionId" | "counting" | "addedTo">,
): Promise<Conversation | undefined> {
  const now = await context.store.readWindow(input);
  const session = liveSession(context, now?.session);
  if (now === undefined || session === undefined) return undefined;
  const isPrompt = input.addedTo !== undefined;
  const viewed = lookAt(context, session, now.window);
  const window = await showWindow(context, viewed, undefined);
  const { summary } = session.fields;
  const shown = isPrompt ? await withSummary(context, viewed, window, summary) : window;
  const { entries } = shown;
  const summaries = new Set(
    session.fields.inserts.flatMap(({ kind, messageId }) =>
      kind === "summary" ? [messageId] : [],
    ),
  );
  const { callOf } = groupEntriesAs(entries, "whole");
  const newest = entries.findLastIndex(({ role, isResult }) => role === ROLE.user && !isResult);
  const costs = isPrompt ? await costsOf(context, input, entries) : [];
  const fixed = fixedUnits(entries, callOf, newest);
  const messages = entries.map((entry, place) => {
    const group = callOf[place] ?? -1;
    const isSummary = !isInLog(entry) && summaries.has(entry.messageId);
    const said = saidIn(context.codec, entry, { isSummary, place });
    const candidate = candidateOf(context.codec, session, { entry, said, group });
    if (!isPrompt) return candidate;
    const { bytes, role } = entry;
    const apart: MessageApart = {
      bytes,
      tokenCount: costs[place] ?? 0,
      isFixed: fixed.has(group < 0 ? entry : group),
      role: place === newest ? "newest-user" : role === ROLE.system ? "system" : "other",
    };
    return { ...candidate, apart };
  });
  const said = messages[newest]?.said;
  return {
    session,
    messages: messages.reverse(),
    summary: shown === window ? summaryOf(session) : undefined,
    newestUserText: said?.kind === "message" ? said.text : "",
    callIds: new Set(entries.flatMap(({ callIds }) => callIds)),
  };
}

/** Units that every prompt holds: system messages, the newest of the user and of all. */
function fixedUnits(
  entries: readonly StoredEntry[],
  callOf: ArrayLike<number>,
  newestUser: number,
): ReadonlySet<StoredEntry | number> {
  const fixed = entries.filter(
    ({ role }, place) =>
      role === ROLE.system || place === newestUser || place === entries.length - 1,
  );
  const places = new Map(entries.map((entry, place) => [entry, callOf[place] ?? -1]));
  return new Set(
    fixed.map((entry) => {
      const group = places.get(entry) ?? -1;
      return group < 0 ? entry : group;
    }),
  );
}

/** Tokens of messages: as they were counted, unless the request has a rule of its own. */
async function costsOf(
  { codec, tokens }: ServiceContext,
  { counting }: Pick<AssembleContextInput, "counting">,
  entries: readonly StoredEntry[],
): Promise<readonly number[]> {
  if (counting === undefined) return entries.map(({ tokenCount }) => tokenCount);
  const drafts = entries.map(({ bytes }) => codec.decodeMessage(bytes).draft);
  return await tokens.countAll(drafts, countedRule({ ...DEFAULT_POLICY, ...counting }));
}

/** Looks at the window of a session through its policy. */
function lookAt(context: ServiceContext, session: Session, window: readonly StoredEntry[]): Viewed {
  const { inserts, policy } = session.fields;
  const entries = mergeInserts(window, inserts, context.codec);
  const detailOf = detailReader(context.codec);
  const outcome = trimWindow<StoredEntry>({
    entries,
    policy,
    occasions: new Set(["read"]),
    ceiling: false,
    signals: signalsOf(session, session.head.policyState.outcomes),
    detailOf,
    known: { totals: sessionTotals(session), pairedTo: entries.length },
  });
  return { outcome, policy, own: policy, detailOf, hasInserts: inserts.length > 0 };
}

function candidateOf(
  codec: Codec,
  { sessionId }: Session,
  from: { readonly entry: StoredEntry; readonly said: SaidMessage; readonly group: number },
): Candidate {
  const { entry, said, group } = from;
  const seq = isInLog(entry) ? entry.seq : 0;
  return {
    ref: { kind: "message", sessionId, messageId: entry.messageId, seq },
    said,
    relevance: 0,
    trust: codec.readTrust(entry.bytes),
    ...(group < 0 ? {} : { unit: group }),
  };
}

/** The content of a stored message, tool calls and images included. */
export function saidIn(
  codec: Codec,
  { role, bytes }: Pick<StoredEntry, "role" | "bytes">,
  { isSummary = false, place = 0 } = {},
): SaidMessage {
  const { content, name, toolCalls, rest } = codec.readDetail(bytes);
  const calls = toolCalls.map((one) => `${one.name}(${one.arguments})`);
  if (rest !== undefined && rest.images > 0) calls.push(`[images: ${rest.images}]`);
  return {
    kind: "message",
    role: isSummary ? "summary" : ROLE_NAMES[role],
    name,
    text: content,
    calls: calls.join("\n"),
    place,
    saidMs: codec.readSpeech(bytes).saidMs,
  };
}

function summaryOf({ sessionId, fields: { summary } }: Session): Candidate | undefined {
  if (summary === undefined) return undefined;
  const { version, text, trust } = summary;
  return {
    ref: { kind: "summary", sessionId, version },
    said: { kind: "summary", text },
    relevance: 0,
    trust,
  };
}

/** The summary of a session as the oldest message of its conversation. */
export function asMessage(summary: Candidate): Candidate {
  const text = summary.said.kind === "summary" ? summary.said.text : "";
  const said: SaidMessage = {
    kind: "message",
    role: "summary",
    name: "",
    text,
    calls: "",
    saidMs: 0,
    place: -1,
  };
  return { ...summary, said };
}
