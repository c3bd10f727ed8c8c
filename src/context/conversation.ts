// The session of a context: its window as its policy shows it to a read, without storing anything,
// and its summary.

import { liveSession } from "../core/change.ts";
import type { Codec } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { showWindow } from "../core/window-shown.ts";
import {
  detailReader,
  isInLog,
  mergeInserts,
  sessionTotals,
  signalsOf,
} from "../core/window-view.ts";
import type { Session } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { groupEntriesAs } from "../window/rules/groups.ts";
import { trimWindow } from "../window/rules/trim.ts";
import { ROLE, type Role } from "../window/rules/types.ts";
import type { Candidate, SaidMessage } from "./rules/types.ts";

/** The part of a context that comes from its session. */
export interface Conversation {
  readonly session: Session;
  /** The newest message first. */
  readonly messages: readonly Candidate[];
  readonly summary: Candidate | undefined;
  /** Text of the newest user message; empty without one. */
  readonly newestUserText: string;
}

const ROLE_NAMES: Readonly<Record<Role, SaidMessage["role"]>> = {
  [ROLE.user]: "user",
  [ROLE.assistant]: "assistant",
  [ROLE.system]: "system",
  [ROLE.tool]: "tool",
};

/** Reads a session. Undefined when there is none. */
export async function readConversation(
  context: ServiceContext,
  ref: { readonly namespace: string; readonly sessionId: string },
): Promise<Conversation | undefined> {
  const now = await context.store.readWindow(ref);
  const session = liveSession(context, now?.session);
  if (now === undefined || session === undefined) return undefined;
  const entries = await shownEntries(context, session, now.window);
  const summaries = new Set(
    session.fields.inserts.flatMap(({ kind, messageId }) =>
      kind === "summary" ? [messageId] : [],
    ),
  );
  const { callOf } = groupEntriesAs(entries, "whole");
  const messages = entries.map((entry, place) => {
    const group = callOf[place] ?? -1;
    const isSummary = !isInLog(entry) && summaries.has(entry.messageId);
    const said = saidIn(context.codec, entry, { isSummary, place });
    return candidateOf(context.codec, session, { entry, said, group });
  });
  const newest = entries.findLastIndex(({ role, isResult }) => role === ROLE.user && !isResult);
  const said = messages[newest]?.said;
  return {
    session,
    messages: messages.reverse(),
    summary: summaryOf(session),
    newestUserText: said?.kind === "message" ? said.text : "",
  };
}

async function shownEntries(
  context: ServiceContext,
  session: Session,
  window: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
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
  const viewed = { outcome, policy, own: policy, detailOf, hasInserts: inserts.length > 0 };
  return (await showWindow(context, viewed, undefined)).entries;
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
