// What changes write to a log: entries, ids, and the seqs that a reset kept.

import { seqOfMessageId } from "../../domain/ids.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { NewMessage, SessionPlan } from "../store.ts";
import { encodeEntry, encodeNumber, encodeRanges } from "./codec.ts";
import type { Core } from "./core.ts";
import { entryKey, idKey, keptKey } from "./keys.ts";

/** Puts a message into a log, in the place of one of its seq. */
export function putEntry(core: Core, logNo: number, message: NewMessage): void {
  const messageNo = core.writer.putMessage(message.bytes);
  const key = entryKey(logNo, message.seq);
  core.memtable.set(
    key,
    encodeEntry(key, {
      messageNo,
      role: message.role,
      tokenCount: message.tokenCount,
      byteCount: message.bytes.length,
    }),
  );
}

/** Adds a message to a log. */
export function appendMessage(core: Core, logNo: number, message: NewMessage): void {
  putEntry(core, logNo, message);
  if (seqOfMessageId(message.messageId) !== message.seq) {
    const key = idKey(logNo, message.messageId);
    core.memtable.set(key, encodeNumber(key, message.seq));
  }
}

/** Says that a seq has no message, so that the seqs stay dense. */
export function putTombstone(core: Core, logNo: number, seq: number): void {
  const key = entryKey(logNo, seq);
  const nothing = { messageNo: 0, role: 1, tokenCount: 0, byteCount: 0 } as const;
  core.memtable.set(key, encodeEntry(key, nothing));
}

/** Adds the messages of a plan; of one that the plan erases as well only the seq is taken. */
export function appendMessages(core: Core, logNo: number, plan: SessionPlan): void {
  const erased = new Set(plan.append === undefined ? [] : plan.erase?.map(({ seq }) => seq));
  for (const message of plan.append ?? []) {
    if (erased.has(message.seq)) {
      putTombstone(core, logNo, message.seq);
    } else {
      appendMessage(core, logNo, message);
    }
  }
}

/** Takes a message out of a log; its seq stays. */
export function eraseEntry(core: Core, logNo: number, seq: number, messageId: string): void {
  putTombstone(core, logNo, seq);
  if (seqOfMessageId(messageId) !== seq) {
    core.memtable.set(idKey(logNo, messageId), null);
  }
}

/** Remembers the seqs below the first that a reset kept. */
export function saveKept(
  core: Core,
  logNo: number,
  messages: readonly NewMessage[],
  firstSeq: number,
): void {
  const ranges: SeqRange[] = [];
  for (const { seq } of messages) {
    const last = ranges.at(-1);
    if (seq >= firstSeq) {
      break;
    }
    if (last !== undefined && last.last === seq - 1) {
      ranges[ranges.length - 1] = { first: last.first, last: seq };
    } else {
      ranges.push({ first: seq, last: seq });
    }
  }
  if (ranges.length > 0) {
    const key = keptKey(logNo);
    core.memtable.set(key, encodeRanges(key, ranges));
  }
}
