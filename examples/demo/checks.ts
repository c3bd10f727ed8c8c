// Invariants at the end. Each check gives the faults it found.

import { isDeepStrictEqual } from "node:util";
import {
  type GetWindowResponse,
  type Message,
  type MessageInput,
  toMessage,
} from "../../clients/typescript/src/index.ts";

/** Record of one acknowledged message. */
export interface Ack {
  readonly messageId: string;
  readonly seq: number;
}

/** Every message was acknowledged once, with rising seqs without a hole. */
export function checkAcks(acks: readonly Ack[], expected: number): string[] {
  const faults: string[] = [];
  if (acks.length !== expected) faults.push(`${acks.length} acks for ${expected} messages`);
  if (new Set(acks.map((ack) => ack.messageId)).size !== acks.length) {
    faults.push("a message was acknowledged twice");
  }
  acks.forEach((ack, index) => {
    if (ack.seq !== index + 1) faults.push(`ack ${index + 1} has seq ${ack.seq}`);
  });
  return faults;
}

/** The log holds what was sent, in the same order, field by field. */
export function checkLog(log: readonly Message[], sent: readonly MessageInput[]): string[] {
  const faults: string[] = [];
  if (log.length !== sent.length) faults.push(`the log has ${log.length} of ${sent.length}`);
  sent.forEach((input, index) => {
    const stored = log[index];
    if (stored === undefined) return;
    const expected = toMessage(input);
    // The server counts the tokens, and names the messages that came without an id.
    const { tokenCount } = expected;
    const messageId = expected.messageId === "" ? "" : stored.messageId;
    const got = { ...toMessage(stored), tokenCount, messageId };
    if (!isDeepStrictEqual(got, expected)) faults.push(`message ${index + 1} of the log differs`);
  });
  return faults;
}

/** A tool result is in the window with its call, and a call with all its results, or neither is. */
export function checkPairs(window: readonly Message[], log: readonly Message[]): string[] {
  const faults: string[] = [];
  const inside = new Set(window.map((message) => message.messageId));
  const callers = new Map<string, string>();
  for (const message of log) {
    for (const call of message.toolCalls) callers.set(call.toolCallId, message.messageId);
    const caller = callers.get(message.toolCallId);
    if (message.toolCallId === "" || caller === undefined) continue;
    if (inside.has(caller) !== inside.has(message.messageId)) {
      faults.push(`the window splits ${caller} from its result ${message.messageId}`);
    }
  }
  return faults;
}

/** The messages of the log in a window, without what the server made. */
export function idsInLog({ messages }: Pick<GetWindowResponse, "messages">): readonly string[] {
  return messages.filter(({ seq }) => seq > 0).map(({ messageId }) => messageId);
}

/** The window is what the events tell, its totals are right, and nothing is lost. */
export function checkWindow(
  window: GetWindowResponse,
  idsFromEvents: readonly string[],
  log: { readonly messageCount: number; readonly tokenCount: number },
): string[] {
  const faults: string[] = [];
  const ids = idsInLog(window);
  if (!isDeepStrictEqual(ids, idsFromEvents)) faults.push("the window is not what the events tell");
  const tokens = window.messages.reduce((sum, message) => sum + (message.tokenCount ?? 0), 0);
  const { windowTotals: inside, outsideTotals: outside } = window;
  if (Number(inside?.tokenCount) !== tokens) faults.push("the window's tokens do not add up");
  if (Number(inside?.messageCount) !== window.messages.length)
    faults.push("the window's count is wrong");
  const messages = ids.length + (outside?.messageCount ?? 0);
  if (messages !== log.messageCount) faults.push("window and outside are not the log");
  const made = window.messages.filter(({ seq }) => seq === 0);
  const summed = made.reduce((sum, message) => sum + (message.tokenCount ?? 0), 0);
  const all = tokens - summed + (outside?.tokenCount ?? 0);
  if (all !== log.tokenCount) faults.push("the tokens of window and outside are not the log's");
  return faults;
}

/** The summary stands for every message that left the window, and for no other. */
export function checkSources(
  sources: readonly number[],
  window: GetWindowResponse,
  log: readonly Message[],
): string[] {
  const inside = new Set(window.messages.map((message) => message.seq));
  const left = log.map((message) => message.seq).filter((seq) => !inside.has(seq));
  if (isDeepStrictEqual(sources, left)) return [];
  return [`the summary stands for ${sources.length} messages, ${left.length} left`];
}
