// Messages, the entries of a log, and windows.
//
// Density: every seq from a log's first to its last has an entry, a tombstone (message number 0)
// when the message was erased. So a missing entry is damage, not an answer. Below the first seq
// there is only what a reset kept; the ranges in the `kept` record say exactly which seqs these
// are, so that a missing one is noticed there too.

import { recordCorrupt } from "../../kit/errors.ts";
import { seqOfMessageId } from "../../kit/ids.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import { CEILING } from "../../window/policy/policy.ts";
import { fitCeiling } from "../../window/rules/limit.ts";
import { rangesOf } from "../../window/rules/ranges.ts";
import { ROLE, type SeqRange } from "../../window/rules/types.ts";
import { unseal } from "../engine/envelope.ts";
import { readU64, u64 } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import {
  breathe,
  decodeRecord,
  ErasedUnderwayError,
  rangeIndex,
  readAgain,
  tellDamage,
  unlessDamaged,
} from "../engine/reads.ts";
import type {
  MessagePage,
  MessageQuery,
  NewMessage,
  SessionPlan,
  Store,
  StoredEntry,
  StoredMessage,
} from "../store.ts";
import { type CachedSession, entryOf, PackedWindow, type SessionState } from "./cache.ts";
import type { Core } from "./core.ts";
import { ENTRY, type Entry, KEPT, MESSAGE_ID, PAST_WINDOW } from "./session-tables.ts";
import { openSession } from "./sessions.ts";

/** The wire form of a message, or another body that stands among the messages. */
export function readMessage(core: Core, messageNo: number, visibility: Visibility): Uint8Array {
  const known =
    visibility === "pending"
      ? core.writer.pendingMessage(messageNo)
      : core.writer.logged.message(messageNo);
  if (known !== undefined) return known;
  const key = u64(messageNo);
  const record = core.env.message.get(key);
  if (record === undefined) {
    if (core.writer.isBeingErased(messageNo)) throw new ErasedUnderwayError();
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
  return ENTRY.get(core, ENTRY.key(logNo, seq), visibility);
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
  return entryOf(seq, bytes, facts);
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
    : (KEPT.get(core, KEPT.key(state.logNo), visibility) ?? []);
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
    if (first <= last) ranges.push({ first, last });
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
        const what = `the entry of seq ${low + at} in log ${logNo} is missing`;
        tellDamage(core, recordCorrupt(what));
      } else {
        yield { seq: low + at, entry };
      }
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
    start: ENTRY.key(logNo, low),
    end: ENTRY.key(logNo, low + count),
    limit: count,
  });
  for (const { key, value } of rows) {
    const what = `index table ${ENTRY.id.charCodeAt(0)}`;
    page[readU64(key, 9) - low] = unlessDamaged(core, () =>
      decodeRecord(what, unseal(key, value, what), ENTRY.decode),
    );
  }
  if (core.memtable.size > 0) {
    for (let i = 0; i < count; i++) {
      const known = core.memtable.get(ENTRY.key(logNo, low + i), visibility);
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
        if (entry.messageNo !== 0) places.push({ ...entry, seq });
      }
    }
  }
  return places;
}

/** The window of a state, which the cache keeps. Throws RECORD_CORRUPT when it is damaged. */
export function readWindow(
  core: Core,
  cached: CachedSession,
  state: SessionState,
  visibility: Visibility,
): readonly StoredEntry[] {
  if (state.window !== undefined) return state.window.entries(core.readFacts);
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
  state.window = PackedWindow.of(entries);
  core.cache.measure(cached);
  return entries;
}

/** The runs of the window when `seq` was the newest. */
export function runsAt(core: Core, state: SessionState, seq: number): readonly SeqRange[] {
  const { firstSeq } = state.session.head;
  const range = {
    start: PAST_WINDOW.key(state.logNo, 0),
    end: PAST_WINDOW.key(state.logNo, seq + 1),
    reverse: true,
  };
  for (const row of rangeIndex(core, "committed", range)) {
    const base = readU64(row.key, 9);
    const runs = PAST_WINDOW.of(row.payload);
    const last = runs.at(-1);
    if (base >= seq) return runs;
    if (last?.last === base) return [...runs.slice(0, -1), { first: last.first, last: seq }];
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
      if (stored.messageId === messageId) return stored;
    }
  }
  const seq = MESSAGE_ID.get(core, MESSAGE_ID.key(state.logNo, messageId), visibility);
  if (seq === undefined) return undefined;
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
  const { looks: looksMax = LIMITS.pageScan, where } = query;
  let looks = 0;
  let bytes = 0;
  for (const range of reverse ? ranges.reverse() : ranges) {
    const entries = denseEntries(core, state.logNo, { ...range, reverse }, "committed");
    for (const { seq, entry } of entries) {
      if (messages.length >= query.limit || looks >= looksMax) {
        return { messages, next: seq };
      }
      looks++;
      if (entry.messageNo === 0 || query.roles?.has(entry.role) === false) continue;
      if (bytes > 0 && bytes + entry.byteCount > LIMITS.pageBytes) {
        return { messages, next: seq };
      }
      const stored = unlessDamaged(core, () => readStored(core, seq, entry, "committed"));
      if (stored === undefined) continue;
      bytes += entry.byteCount;
      if (where?.(stored.bytes) !== false) messages.push(messageOf(stored));
    }
  }
  return { messages, next: undefined };
}

// Writes to a log: entries, ids, and the seqs that a reset kept.

/** Puts a message into a log, in the place of one of its seq. */
export function putEntry(core: Core, logNo: number, message: NewMessage): void {
  const messageNo = core.writer.putMessage(message.bytes);
  const key = ENTRY.key(logNo, message.seq);
  ENTRY.put(core, key, {
    messageNo,
    role: message.role,
    tokenCount: message.tokenCount,
    byteCount: message.bytes.length,
  });
}

/** Adds a message to a log. */
export function appendMessage(core: Core, logNo: number, message: NewMessage): void {
  putEntry(core, logNo, message);
  if (seqOfMessageId(message.messageId) !== message.seq) {
    MESSAGE_ID.put(core, MESSAGE_ID.key(logNo, message.messageId), message.seq);
  }
}

/** Says that a seq has no message, so that the seqs stay dense. */
export function putTombstone(core: Core, logNo: number, seq: number): void {
  const key = ENTRY.key(logNo, seq);
  const nothing = { messageNo: 0, role: 1, tokenCount: 0, byteCount: 0 } as const;
  ENTRY.put(core, key, nothing);
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
  if (seqOfMessageId(messageId) !== seq) core.memtable.set(MESSAGE_ID.key(logNo, messageId), null);
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
    if (seq >= firstSeq) break;
    if (last !== undefined && last.last === seq - 1) {
      ranges[ranges.length - 1] = { first: last.first, last: seq };
    } else {
      ranges.push({ first: seq, last: seq });
    }
  }
  if (ranges.length > 0) {
    KEPT.put(core, KEPT.key(logNo), ranges);
  }
}

// Windows of the past. That of an imported session may be as long as its log, which takes a while
// to look through: other work gets its turn in between, and what was read counts only if nothing
// of it was changed meanwhile.

/** Entries looked at before other work gets its turn. */
const PIECE = 4_096;
/** After so many changes under a read the next one lets nobody in between. */
const POLITE_READS = 4;

/** A window of the past. */
export interface PastWindow {
  readonly ranges: readonly SeqRange[];
  readonly window: readonly StoredEntry[];
}

interface Place extends Entry {
  readonly seq: number;
}

/** The newest places that fit under the ceiling alone. */
class Newest {
  isCut = false;
  #places: Place[] = [];
  #start = 0;
  #bytes = 0;

  push(place: Place): void {
    this.#places.push(place);
    this.#bytes += place.byteCount;
    while (this.#places.length - this.#start > CEILING.messages || this.#bytes > CEILING.bytes) {
      this.#bytes -= this.#places[this.#start]?.byteCount ?? 0;
      this.#start++;
      this.isCut = true;
    }
    if (this.#start > CEILING.messages) {
      this.#places = this.all();
      this.#start = 0;
    }
  }

  all(): Place[] {
    return this.#places.slice(this.#start);
  }
}

/** Reads the window of a session as it was; see Store.readWindowAt. */
export async function pastWindow(
  core: Core,
  ref: SessionRef,
  seq: number,
): ReturnType<Store["readWindowAt"]> {
  for (let reads = 1; ; reads++) {
    core.writer.assertReadable();
    const cached = openSession(core, ref);
    const state = cached?.committed ?? undefined;
    if (cached === undefined || state === undefined) return undefined;
    const { session } = state;
    if (seq < session.head.firstSeq - 1 || seq > session.head.lastSeq) {
      return { session, window: undefined, ranges: [] };
    }
    const piece = reads > POLITE_READS ? Number.POSITIVE_INFINITY : PIECE;
    const past = await readPinned(core, cached, { state, seq, piece });
    if (past !== undefined) return { session, ...past };
  }
}

async function readPinned(
  core: Core,
  cached: CachedSession,
  what: { readonly state: SessionState; readonly seq: number; readonly piece: number },
): Promise<PastWindow | undefined> {
  const { state } = what;
  cached.pins++;
  try {
    return await readWindowAt(core, what, () => {
      const now = cached.committed;
      return now !== null && now.logNo === state.logNo && now.edits === state.edits;
    });
  } finally {
    cached.pins--;
    if (cached.committed === null) core.cache.drop(cached);
  }
}

/**
 * The window when `seq` was the newest, without messages erased since, under the ceiling. Undefined
 * when the log was changed meanwhile, which a caller that pinned the session can tell.
 */
export async function readWindowAt(
  core: Core,
  what: { readonly state: SessionState; readonly seq: number; readonly piece?: number },
  isUnchanged: () => boolean,
): Promise<PastWindow | undefined> {
  const { state, seq, piece = PIECE } = what;
  const runs = runsAt(core, state, seq);
  const system = new Newest();
  const others = new Newest();
  let looks = 0;
  for (const place of entriesOf(core, state, runs)) {
    if (place.messageNo !== 0) (place.role === ROLE.system ? system : others).push(place);
    if (++looks % piece === 0) {
      await breathe(core);
      if (!isUnchanged()) return undefined;
    }
  }
  const isCut = system.isCut || others.isCut;
  // System messages go last: only when none of the others is left.
  const rest = system.isCut ? [] : others.all();
  const places = [...system.all(), ...rest].sort((a, b) => a.seq - b.seq);
  const kept = fitCeiling(places);
  const ranges = isCut || kept !== places ? rangesOf(kept) : runs;
  return readAgain(core, () =>
    isUnchanged()
      ? { ranges, window: kept.map((place) => readStored(core, place.seq, place, "committed")) }
      : undefined,
  );
}

function* entriesOf(core: Core, state: SessionState, runs: readonly SeqRange[]): Generator<Place> {
  for (const run of runs) {
    for (const range of denseRanges(core, state, run, "committed")) {
      for (const { seq, entry } of denseEntries(core, state.logNo, range, "committed")) {
        yield { ...entry, seq };
      }
    }
  }
}
