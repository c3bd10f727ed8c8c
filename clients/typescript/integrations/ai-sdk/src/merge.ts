// Lists of messages that lack a part of the log, as those do that begin with a window.

import type { GetWindowResponse, Message } from "@memory-sidecar/client";
import type { UIMessage } from "ai";
import { type Assembled, assembled } from "./assemble.ts";
import { type Fragment, fragmentOf, type Saved } from "./fragments.ts";

/** A chat as it is stored. */
interface Stored {
  readonly log: readonly Message[];
  readonly window: GetWindowResponse;
  readonly large: ReadonlyMap<string, Fragment>;
}

/** A list of messages with what the log has beside it. */
export interface Merged {
  readonly messages: readonly UIMessage[];
  /** The seqs of messages that the window lacks, or shows shortened, and the list lacks too. */
  readonly hidden: ReadonlySet<number>;
}

/**
 * Puts the messages of the log into a list that lacks them because it began as a window. Messages
 * are compared as the log has them and as the window shows them; the rest of the list, from the
 * first one on that is neither, is new.
 */
export function merged(messages: readonly UIMessage[], { log, large, window }: Stored): Merged {
  const whole = assembled(log, { isWindow: false, large });
  const full = assembled(log, { isWindow: true, large });
  const seen = assembled(window.messages, { isWindow: true, large });
  const shown = new Map(seen.map((one) => [keyOf(one), JSON.stringify(one.message)]));
  const ofServer = seen.filter(({ seq }) => seq === 0);
  const made = new Set(ofServer.map(({ message }) => JSON.stringify(message)));
  const hidden = hiddenIn(log, window);
  const stored = whole.map((one, index) => {
    // A window shows it as the log does, cut because it is large, or changed by the policy.
    const cut = JSON.stringify(full[index]?.message);
    const forms = [JSON.stringify(one.message), shown.get(keyOf(one)), cut];
    const end = whole[index + 1]?.seq ?? Number.POSITIVE_INFINITY;
    const seqs = hidden.filter((seq) => seq >= one.seq && seq < end);
    return { forms, seqs, isHidden: seqs.length > 0 };
  });
  let next = 0;
  let count = 0;
  for (const message of messages) {
    const json = JSON.stringify(message);
    if (!made.has(json)) {
      let at = next;
      const isSame = () => stored[at]?.forms.includes(json) ?? false;
      while (stored[at]?.isHidden && !isSame()) at += 1;
      if (!isSame()) break;
      next = at + 1;
    }
    count += 1;
  }
  const kept = whole.slice(0, next).map(({ message }) => message);
  const rest = messages.slice(count);
  const given = new Set(rest.map((message) => JSON.stringify(message)));
  const missing = stored.filter(({ forms: [whole = ""] }) => !given.has(whole));
  const seqs = missing.flatMap(({ seqs }) => seqs);
  return { messages: [...kept, ...rest], hidden: new Set(seqs) };
}

/** Gives the seqs of the messages of the log that the window lacks, or shows shortened. */
function hiddenIn(log: readonly Message[], window: GetWindowResponse): number[] {
  const shown = new Set(window.messages.map(({ seq }) => seq));
  const shortened = new Set(window.shortenedMessageIds);
  return log.flatMap(({ messageId, seq }) => {
    return shown.has(seq) && !shortened.has(messageId) ? [] : seq;
  });
}

/**
 * Follows a list through messages of other clients in the log, from an index of the list on. Gives
 * the index after them, and the seq of the first message that the list does not go on with.
 */
export function followed(saved: readonly Saved[], from: number, tail: readonly Message[]) {
  const end = tail.findIndex((message) => fragmentOf(message) !== undefined);
  const others = end < 0 ? tail : tail.slice(0, end);
  let count = from;
  for (const { message, seq } of assembled(others, { isWindow: false, large: new Map() })) {
    if (JSON.stringify(saved[count]?.message) !== JSON.stringify(message)) {
      return { count, fromSeq: seq };
    }
    count += 1;
  }
  return { count, fromSeq: tail[others.length]?.seq };
}

/** Names a message of the log, in the log and in the window. */
function keyOf({ chain, seq }: Assembled): string {
  return chain ?? String(seq);
}
