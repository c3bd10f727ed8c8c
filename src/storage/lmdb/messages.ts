// Messages, the entries of a log, and windows.
//
// Density: every seq from a log's first to its last has an entry, a tombstone (message number 0)
// when the message was erased. So a missing entry is damage, not an answer. Below the first seq
// there is only what a reset kept; the ranges in the `kept` record say exactly which seqs these
// are, so that a missing one is noticed there too.

import { recordCorrupt } from "../../domain/errors.ts";
import { seqOfMessageId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { MessagePage, MessageQuery, StoredEntry, StoredMessage } from "../store.ts";
import { type SessionState, WindowList } from "./cache.ts";
import { decodeEntry, decodeNumber, decodeRanges, type Entry } from "./codec.ts";
import { type Core, decodeRecord, ErasedUnderwayError, rangeIndex, readIndex } from "./core.ts";
import { unseal } from "./envelope.ts";
import { entryKey, idKey, keptKey, readU64, TABLE, u64, windowKey } from "./keys.ts";
import type { Visibility } from "./memtable.ts";

/** The wire form of a message, or another body that stands among the messages. */
export function readMessage(core: Core, messageNo: number, visibility: Visibility): Uint8Array {
  if (visibility === "pending") {
    const pending = core.writer.pendingMessage(messageNo);
    if (pending !== undefined) {
      return pending;
    }
  }
  const key = u64(messageNo);
  const record = core.env.message.get(key);
  if (record === undefined) {
    if (core.writer.isBeingErased(messageNo)) {
      throw new ErasedUnderwayError();
    }
    throw recordCorrupt(`message ${messageNo} is missing`);
  }
  return unseal(key, record, `message ${messageNo}`);
}

/** The entry of a seq; undefined when there is none. */
export function readEntry(
  core: Core,
  logNo: number,
  seq: number,
  visibility: Visibility,
): Entry | undefined {
  return readIndex(core, entryKey(logNo, seq), visibility, decodeEntry);
}

/** The message of an entry that is not a tombstone. */
export function readStored(
  core: Core,
  seq: number,
  entry: Entry,
  visibility: Visibility,
): StoredEntry {
  const bytes = readMessage(core, entry.messageNo, visibility);
  const facts = decodeRecord("message", bytes, core.readFacts);
  if (
    facts.role !== entry.role ||
    facts.tokenCount !== entry.tokenCount ||
    bytes.length !== entry.byteCount
  ) {
    throw recordCorrupt(`message ${entry.messageNo} is not the one its entry names`);
  }
  return {
    seq,
    messageId: facts.messageId,
    role: facts.role,
    callIds: facts.callIds,
    answers: facts.answers,
    isResult: facts.isResult,
    tokenCount: facts.tokenCount,
    createMs: facts.createMs,
    byteCount: bytes.length,
    bytes,
  };
}

/** A message without what only windows need. */
export function messageOf(stored: StoredEntry): StoredMessage {
  const { seq, messageId, role, tokenCount, bytes } = stored;
  return { seq, messageId, role, tokenCount, bytes };
}

/** The message of a seq; undefined when there is none. */
export function messageAt(
  core: Core,
  logNo: number,
  seq: number,
  visibility: Visibility,
): StoredMessage | undefined {
  const entry = readEntry(core, logNo, seq, visibility);
  return entry === undefined || entry.messageNo === 0
    ? undefined
    : messageOf(readStored(core, seq, entry, visibility));
}

/** The seqs below the first that a reset kept. */
function readKept(core: Core, state: SessionState, visibility: Visibility): readonly SeqRange[] {
  return state.session.head.firstSeq === 1
    ? []
    : (readIndex(core, keptKey(state.logNo), visibility, decodeRanges) ?? []);
}

/** The ranges of seqs that must have entries, clipped to a range. */
export function denseRanges(
  core: Core,
  state: SessionState,
  clip: SeqRange,
  visibility: Visibility,
): SeqRange[] {
  const { firstSeq, lastSeq } = state.session.head;
  const kept = clip.first < firstSeq ? readKept(core, state, visibility) : [];
  const ranges: SeqRange[] = [];
  for (const range of [...kept, { first: firstSeq, last: lastSeq }]) {
    const first = Math.max(range.first, clip.first);
    const last = Math.min(range.last, clip.last);
    if (first <= last) {
      ranges.push({ first, last });
    }
  }
  return ranges;
}

// Pages grow, because most readers want few entries.
const ENTRY_PAGE_MIN = 32;
const ENTRY_PAGE_MAX = 512;

/** The entries of a dense range, page by page; throws RECORD_CORRUPT at the first one missing. */
export function* denseEntries(
  core: Core,
  logNo: number,
  range: SeqRange & { readonly reverse?: boolean },
  visibility: Visibility,
): Generator<{ seq: number; entry: Entry }> {
  const reverse = range.reverse === true;
  let left = range.last - range.first + 1;
  let start = reverse ? range.last : range.first;
  for (let size = ENTRY_PAGE_MIN; left > 0; size = Math.min(size * 2, ENTRY_PAGE_MAX)) {
    const count = Math.min(left, size);
    const low = reverse ? start - count + 1 : start;
    const page = entryPage(core, logNo, { low, count }, visibility);
    for (let i = 0; i < count; i++) {
      const at = reverse ? count - 1 - i : i;
      const entry = page[at];
      if (entry === undefined) {
        throw recordCorrupt(`the entry of seq ${low + at} in log ${logNo} is missing`);
      }
      yield { seq: low + at, entry };
    }
    left -= count;
    start += reverse ? -count : count;
  }
}

function entryPage(
  core: Core,
  logNo: number,
  { low, count }: { readonly low: number; readonly count: number },
  visibility: Visibility,
): (Entry | undefined)[] {
  const page = new Array<Entry | undefined>(count);
  const rows = core.env.index.getRange({
    start: entryKey(logNo, low),
    end: entryKey(logNo, low + count),
    limit: count,
  });
  for (const { key, value } of rows) {
    const what = `index table ${TABLE.entry.charCodeAt(0)}`;
    page[readU64(key, 9) - low] = decodeRecord(what, unseal(key, value, what), decodeEntry);
  }
  if (core.memtable.size > 0) {
    for (let i = 0; i < count; i++) {
      const known = core.memtable.get(entryKey(logNo, low + i), visibility);
      if (known === null) {
        page[i] = undefined;
      } else if (known !== undefined) {
        page[i] = readEntry(core, logNo, low + i, visibility);
      }
    }
  }
  return page;
}

/** The places of the existing messages of some runs, in order. */
function placesOf(
  core: Core,
  state: SessionState,
  runs: readonly SeqRange[],
  visibility: Visibility,
): (Entry & { readonly seq: number })[] {
  const places: (Entry & { readonly seq: number })[] = [];
  for (const run of runs) {
    for (const range of denseRanges(core, state, run, visibility)) {
      for (const { seq, entry } of denseEntries(core, state.logNo, range, visibility)) {
        if (entry.messageNo !== 0) {
          places.push({ ...entry, seq });
        }
      }
    }
  }
  return places;
}

/** Loads the window of a state unless it is loaded. Throws RECORD_CORRUPT when it is damaged. */
export function loadWindow(core: Core, state: SessionState, visibility: Visibility): WindowList {
  if (state.window !== undefined) {
    return state.window;
  }
  const { head } = state.session;
  const places = placesOf(core, state, head.windowRanges, visibility);
  const entries = places.map((place) => readStored(core, place.seq, place, visibility));
  let tokenCount = 0;
  let byteCount = 0;
  for (const entry of entries) {
    tokenCount += entry.tokenCount;
    byteCount += entry.byteCount;
  }
  if (
    entries.length !== head.window.messageCount ||
    tokenCount !== head.window.tokenCount ||
    byteCount !== head.window.byteCount
  ) {
    throw recordCorrupt(`the window of session ${state.sessionNo} does not match its totals`);
  }
  state.window = WindowList.of(entries);
  return state.window;
}

/** The runs of the window when `seq` was the newest. */
export function runsAt(core: Core, state: SessionState, seq: number): SeqRange[] {
  const { firstSeq } = state.session.head;
  const range = {
    start: windowKey(state.logNo, 0),
    end: windowKey(state.logNo, seq + 1),
    reverse: true,
  };
  for (const row of rangeIndex(core, "committed", range)) {
    const base = readU64(row.key, 9);
    const runs = decodeRecord("window history", row.payload, decodeRanges);
    const last = runs.at(-1);
    if (base >= seq) {
      return runs;
    }
    if (last?.last === base) {
      return [...runs.slice(0, -1), { first: last.first, last: seq }];
    }
    return [...runs, { first: base + 1, last: seq }];
  }
  return seq < firstSeq ? [] : [{ first: firstSeq, last: seq }];
}

/** Finds a message by its id; undefined when there is none. */
export function findMessage(
  core: Core,
  state: SessionState,
  messageId: string,
  visibility: Visibility,
): StoredEntry | undefined {
  const named = seqOfMessageId(messageId);
  if (named !== undefined && named <= state.session.head.lastSeq) {
    const entry = readEntry(core, state.logNo, named, visibility);
    if (entry === undefined && named >= state.session.head.firstSeq) {
      throw recordCorrupt(`the entry of seq ${named} in log ${state.logNo} is missing`);
    }
    if (entry !== undefined && entry.messageNo !== 0) {
      const stored = readStored(core, named, entry, visibility);
      if (stored.messageId === messageId) {
        return stored;
      }
    }
  }
  const seq = readIndex(core, idKey(state.logNo, messageId), visibility, decodeNumber);
  if (seq === undefined) {
    return undefined;
  }
  const entry = readEntry(core, state.logNo, seq, visibility);
  if (entry === undefined || entry.messageNo === 0) {
    throw recordCorrupt(`a message id of log ${state.logNo} leads to no message`);
  }
  const stored = readStored(core, seq, entry, visibility);
  if (stored.messageId !== messageId) {
    throw recordCorrupt(`a message id of log ${state.logNo} leads to another message`);
  }
  return stored;
}

/** A page of the log. Looks at a bounded number of entries and gives a bounded number of bytes. */
export function listMessages(core: Core, state: SessionState, query: MessageQuery): MessagePage {
  const reverse = query.order === "desc";
  const clip = { first: Math.max(1, query.firstSeq), last: query.lastSeq };
  const ranges = denseRanges(core, state, clip, "committed");
  const messages: StoredMessage[] = [];
  let looks = 0;
  let bytes = 0;
  for (const range of reverse ? ranges.reverse() : ranges) {
    const entries = denseEntries(core, state.logNo, { ...range, reverse }, "committed");
    for (const { seq, entry } of entries) {
      if (messages.length >= query.limit || looks >= LIMITS.pageScan) {
        return { messages, next: seq };
      }
      looks++;
      if (entry.messageNo === 0 || query.roles?.has(entry.role) === false) {
        continue;
      }
      if (messages.length > 0 && bytes + entry.byteCount > LIMITS.pageBytes) {
        return { messages, next: seq };
      }
      const stored = readStored(core, seq, entry, "committed");
      bytes += entry.byteCount;
      messages.push(messageOf(stored));
    }
  }
  return { messages, next: undefined };
}
