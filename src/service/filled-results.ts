// Filled results give way: when a tool answers after all, its own result takes their place.

import type { WindowInsert } from "../domain/session.ts";
import { ROLE, type WindowEntry } from "../domain/window/types.ts";
import type { Codec } from "./api.ts";

/** What an append adds to a window. */
export interface Arrival {
  /** The messages of the log in the window before, by rising seq. */
  readonly window: readonly WindowEntry[];
  readonly messages: readonly WindowEntry[];
}

/** Whether messages may answer a call that was filled, so that the window must be looked at. */
export function mayAnswerFilled(
  inserts: readonly WindowInsert[],
  messages: readonly Pick<WindowEntry, "isResult" | "answers">[],
): boolean {
  return (
    inserts.some(({ kind }) => kind === "result") &&
    messages.some((message) => message.isResult || message.answers.length > 0)
  );
}

/**
 * The inserts that still stand after messages came: a filled result is left out when one of them
 * answers its call. Gives back the very list it got when all stand.
 */
export function withoutAnswered(
  inserts: readonly WindowInsert[],
  arrival: Arrival,
  codec: Codec,
): readonly WindowInsert[] {
  if (!mayAnswerFilled(inserts, arrival.messages)) return inserts;
  const filled = new Map<WindowInsert, string>();
  for (const insert of inserts) {
    const [callId] = insert.kind === "result" ? codec.readFacts(insert.bytes).answers : [];
    if (callId !== undefined) filled.set(insert, callId);
  }
  const { window, messages } = arrival;
  const called = newestCalls(window, new Set(filled.values()));
  for (const [index, message] of messages.entries()) {
    for (const callId of message.answers) {
      const seq = called.get(callId);
      if (seq !== undefined) drop(filled, [callId], seq);
    }
    if (message.role === ROLE.tool && message.answers.length === 0) {
      // Without an id it answers one of the calls right before it.
      const before = [window, messages.slice(0, index)];
      const call = findLast(before, (entry) => !entry.isResult);
      if (call !== undefined) drop(filled, call.callIds, call.seq);
    }
    for (const callId of message.callIds) if (called.has(callId)) called.set(callId, message.seq);
  }
  const left = inserts.filter((insert) => insert.kind !== "result" || filled.has(insert));
  return left.length === inserts.length ? inserts : left;
}

/** Where some calls were made last; 0 for those that were made nowhere in the window. */
function newestCalls(
  window: readonly WindowEntry[],
  callIds: ReadonlySet<string>,
): Map<string, number> {
  const seqs = new Map([...callIds].map((callId) => [callId, 0]));
  for (const entry of window) {
    for (const callId of entry.callIds) if (seqs.has(callId)) seqs.set(callId, entry.seq);
  }
  return seqs;
}

/** Drops the first filled result of some calls that were made at a seq. */
function drop(filled: Map<WindowInsert, string>, callIds: readonly string[], seq: number): void {
  for (const callId of callIds) {
    for (const [insert, answered] of filled) {
      if (answered !== callId || insert.position < seq) continue;
      filled.delete(insert);
      return;
    }
  }
}

function findLast(
  lists: readonly (readonly WindowEntry[])[],
  isMeant: (entry: WindowEntry) => boolean,
): WindowEntry | undefined {
  return lists
    .toReversed()
    .map((list) => list.findLast(isMeant))
    .find((one) => one !== undefined);
}
