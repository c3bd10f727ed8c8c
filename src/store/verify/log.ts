// Checks one log against its head: its entries, messages, ids, kept seqs and window history.

import { seqOfMessageId } from "../../kit/ids.ts";
import { containsSeq } from "../../window/rules/ranges.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import { unseal } from "../engine/envelope.ts";
import type { Environment } from "../engine/environment.ts";
import { readU64, u64 } from "../engine/keys.ts";
import type { Problems } from "../engine/problems.ts";
import { ONE_NUMBER } from "../engine/table.ts";
import type { ReadFacts } from "../store.ts";
import {
  ENTRY,
  type Entry,
  type Head,
  KEPT,
  MESSAGE_ID,
  PAST_WINDOW,
} from "../tables/session-tables.ts";
import type { IndexView, NumberSet } from "./view.ts";

/** The parts that the check of a log shares. */
export interface LogCheck {
  readonly env: Environment;
  readonly view: IndexView;
  readonly problems: Problems;
  /** Numbers of messages that an entry names. */
  readonly referenced: NumberSet;
  readonly readFacts: ReadFacts | undefined;
}

/** Checks the log of a session; gives the number of its messages. */
export function checkLog(check: LogCheck, { logNo, head }: Head): number {
  const { problems } = check;
  const log = { messageCount: 0, tokenCount: 0 };
  const window = { messageCount: 0, tokenCount: 0, byteCount: 0 };
  const must = mustHave(check, { logNo, head });
  let ids = 0;
  let expected = must.next();
  for (const row of check.view.under(ENTRY.prefix(logNo))) {
    const seq = readU64(row.key, 9);
    while (expected.done !== true && expected.value < seq) {
      problems.add("an entry of a log is missing", `log ${logNo}, seq ${expected.value}`);
      expected = must.next();
    }
    if (expected.done === true || expected.value !== seq) {
      problems.add("an entry lies outside its log", `log ${logNo}, seq ${seq}`);
    } else {
      expected = must.next();
    }
    const entry = check.view.decode(row, ENTRY.decode);
    if (entry === undefined || entry.messageNo === 0) continue;
    ids += checkMessage(check, { logNo, seq, entry });
    log.messageCount++;
    log.tokenCount += entry.tokenCount;
    if (containsSeq(head.windowRanges, seq)) {
      window.messageCount++;
      window.tokenCount += entry.tokenCount;
      window.byteCount += entry.byteCount;
    }
  }
  for (; expected.done !== true; expected = must.next()) {
    problems.add("an entry of a log is missing", `log ${logNo}, seq ${expected.value}`);
  }
  const sameLog =
    log.messageCount === head.log.messageCount && log.tokenCount === head.log.tokenCount;
  problems.check(sameLog, "the totals of a log are wrong", `log ${logNo}`);
  const sameWindow =
    window.messageCount === head.window.messageCount &&
    window.tokenCount === head.window.tokenCount &&
    window.byteCount === head.window.byteCount;
  problems.check(sameWindow, "the totals of a window are wrong", `log ${logNo}`);
  checkRanges(check, logNo, head.windowRanges, head.lastSeq);
  checkIds(check, logNo, ids);
  checkHistory(check, logNo, head.lastSeq);
  return log.messageCount;
}

// The seqs that must have an entry, by rising seq.
function* mustHave(check: LogCheck, { logNo, head }: Head): Generator<number> {
  const kept = head.firstSeq > 1 ? (check.view.read(KEPT, logNo) ?? []) : [];
  for (const range of kept) {
    for (let seq = range.first; seq <= range.last; seq++) {
      yield seq;
    }
  }
  for (let seq = head.firstSeq; seq <= head.lastSeq; seq++) {
    yield seq;
  }
}

interface Place {
  readonly logNo: number;
  readonly seq: number;
  readonly entry: Entry;
}

/** Checks the message of an entry; 1 when its id must be in the table of ids. */
function checkMessage(check: LogCheck, { logNo, seq, entry }: Place): number {
  const { problems } = check;
  const place = `log ${logNo}, seq ${seq}`;
  problems.check(check.referenced.add(entry.messageNo), "two entries name one message", place);
  const key = u64(entry.messageNo);
  const record = check.env.message.get(key);
  if (record === undefined) {
    problems.add("a message is missing", place);
    return 0;
  }
  let bytes: Uint8Array;
  try {
    bytes = unseal(key, record, "message");
  } catch {
    problems.add("a message is damaged", place);
    return 0;
  }
  problems.check(bytes.length === entry.byteCount, "the size of a message is wrong", place);
  return check.readFacts === undefined ? 0 : checkFacts(check, { logNo, seq, entry }, bytes);
}

function checkFacts(check: LogCheck, { logNo, seq, entry }: Place, bytes: Uint8Array): number {
  const place = `log ${logNo}, seq ${seq}`;
  try {
    const facts = check.readFacts?.(bytes);
    if (facts === undefined) return 0;
    const isSame = facts.role === entry.role && facts.tokenCount === entry.tokenCount;
    check.problems.check(isSame, "an entry and its message differ", place);
    if (seqOfMessageId(facts.messageId) === seq) return 0;
    const named = check.view.read(MESSAGE_ID, logNo, facts.messageId);
    check.problems.check(named === seq, "a message is not found by its id", place);
    return 1;
  } catch {
    check.problems.add("a message is not readable", place);
    return 0;
  }
}

// Every id was looked up above, so that the same number of both means that none is too many.
function checkIds(check: LogCheck, logNo: number, ids: number): void {
  let count = 0;
  for (const row of check.view.under(MESSAGE_ID.prefix(logNo))) {
    count += check.view.decode(row, ONE_NUMBER.decode) === undefined ? 0 : 1;
  }
  if (check.readFacts !== undefined) {
    check.problems.check(count === ids, "the ids of a log are wrong", `log ${logNo}`);
  }
}

function checkHistory(check: LogCheck, logNo: number, lastSeq: number): void {
  for (const { parts, record: ranges } of check.view.rows(PAST_WINDOW, logNo)) {
    const [, base] = parts;
    check.problems.check(base <= lastSeq, "a past window is not past", `log ${logNo}`);
    checkRanges(check, logNo, ranges ?? [], base);
  }
}

function checkRanges(
  check: LogCheck,
  logNo: number,
  ranges: readonly SeqRange[],
  last: number,
): void {
  const isInside = (ranges.at(-1)?.last ?? 0) <= last;
  check.problems.check(isInside, "a window reaches beyond its log", `log ${logNo}`);
}
