// Decoded sessions and loaded windows, bounded by bytes. Like the memtable it knows three states of
// a session: durable, being committed, being formed. A session with changes under way is never
// evicted, so its entry always tells what is pending.
//
// A window has two forms. One that is read again and again is a list of entries; any other is
// packed into one buffer, which takes a fraction of the room and gives the garbage collector
// nothing to follow.

import type {
  Session,
  SessionHead,
  SessionRef,
  WindowInsert,
} from "../../session/rules/session.ts";
import type { WindowFacts } from "../../window/rules/types.ts";
import type { Staged } from "../engine/group.ts";
import type { Memtable } from "../engine/memtable.ts";
import { NOTHING } from "../engine/table.ts";
import type { ReadFacts, StoredEntry } from "../store.ts";
import { HEAD, updatedKey } from "./session-tables.ts";

const CHUNK_BYTES_MIN = 1_024;
const CHUNK_BYTES_MAX = 8_192;

// The room for the messages of one window. They come as pieces of large buffers that other sessions
// use, too: kept like that, a few messages of a quiet session would hold many times their size.
class Room {
  #chunk = Buffer.alloc(0);
  #position = 0;

  /** The most bytes that the room takes beside those of the messages. */
  get slack(): number {
    return this.#chunk.length;
  }

  keep(entry: StoredEntry): StoredEntry {
    return entryOf(entry.seq, this.#copy(entry.bytes), entry);
  }

  #copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    let kept: Buffer;
    if (length > CHUNK_BYTES_MAX >> 2) {
      kept = Buffer.allocUnsafeSlow(length);
    } else {
      if (this.#position + length > this.#chunk.length) {
        const size = Math.max(CHUNK_BYTES_MIN, this.#chunk.length * 2, length);
        this.#chunk = Buffer.allocUnsafeSlow(Math.min(size, CHUNK_BYTES_MAX));
        this.#position = 0;
      }
      kept = this.#chunk.subarray(this.#position, this.#position + length);
      this.#position += length;
    }
    kept.set(bytes);
    return kept;
  }
}

// An entry, its id, the view of its bytes, and its place in the list.
const ENTRY_BYTES = 320;
// Entries that left a window stay in its list until they are this part of what is left.
const LEFT_PART = 8;

/**
 * A list of window entries that grows at its end and shrinks at its start without being copied. It
 * keeps the bytes of its entries.
 */
export class WindowList {
  readonly #items: StoredEntry[];
  readonly #start: number;
  readonly #end: number;
  readonly #room: Room;

  private constructor(items: StoredEntry[], start: number, end: number, room: Room) {
    this.#items = items;
    this.#start = start;
    this.#end = end;
    this.#room = room;
  }

  /** The list of some entries. */
  static of(entries: readonly StoredEntry[]): WindowList {
    const room = new Room();
    const items = entries.map((entry) => room.keep(entry));
    return new WindowList(items, 0, items.length, room);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  /** The bytes that the list takes beside those of its messages. */
  get overhead(): number {
    return this.#room.slack + this.length * ENTRY_BYTES;
  }

  /** The list with more at its end. This one stays as it is. */
  append(entries: readonly StoredEntry[]): WindowList {
    return this.#grown(this.#start, entries, 0);
  }

  /**
   * A list with entries of this one, and with new ones at its end, whose seqs are `firstNew` or
   * higher. This one stays as it is.
   */
  trimmed(entries: readonly StoredEntry[], firstNew: number): WindowList {
    let old = entries.length;
    while (old > 0 && (entries[old - 1]?.seq ?? 0) >= firstNew) {
      old--;
    }
    // Most trims remove the oldest entries: what is left is the end of this list.
    const start = this.#end - old;
    for (let index = 0; index < old; index++) {
      if (start < this.#start || this.#items[start + index] !== entries[index]) {
        const items = entries.slice(0, old);
        return new WindowList(items, 0, old, this.#room).#grown(0, entries, old);
      }
    }
    return this.#grown(start, entries, old);
  }

  /** The entries; the caller may keep them. */
  entries(): readonly StoredEntry[] {
    return this.#items.slice(this.#start, this.#end);
  }

  #grown(start: number, entries: readonly StoredEntry[], from: number): WindowList {
    const isNewest = this.#items.length === this.#end;
    const isDense = start * LEFT_PART <= this.#end - start;
    const items = isNewest && isDense ? this.#items : this.#items.slice(start, this.#end);
    const first = items === this.#items ? start : 0;
    for (let index = from; index < entries.length; index++) {
      const entry = entries[index];
      if (entry !== undefined) items.push(this.#room.keep(entry));
    }
    return new WindowList(items, first, items.length, this.#room);
  }
}

// A packed entry is its seq (a double, because 32 bits do not hold every seq), the length of its
// message, and the message.
const LENGTH_AT = 8;
const MESSAGE_AT = 12;
// The packed window, its buffer, and what belongs to them.
const PACKED_BYTES = 320;
// The eviction packs a list only if its overhead is more than this part of its messages.
const PACK_PART = 4;
// A packed window that grows gets this part more than it needs.
const GROWTH_PART = 4;

function packedSize(entries: readonly StoredEntry[]): number {
  return entries.reduce((size, { bytes }) => size + MESSAGE_AT + bytes.length, 0);
}

/** A buffer that versions of one window share; each version sees the bytes before its own end. */
interface Shared {
  readonly buffer: Buffer;
  end: number;
}

/** A window as one buffer. Each read decodes the other facts of an entry from its message. */
export class PackedWindow {
  readonly #shared: Shared;
  readonly #end: number;
  readonly length: number;
  /** Set by the first read; cleared when the eviction passes. The next read unpacks the window. */
  wasRead: boolean;

  private constructor(shared: Shared, length: number, wasRead: boolean) {
    this.#shared = shared;
    this.#end = shared.end;
    this.length = length;
    this.wasRead = wasRead;
  }

  static of(entries: readonly StoredEntry[]): PackedWindow {
    const shared = { buffer: Buffer.allocUnsafeSlow(packedSize(entries)), end: 0 };
    return PackedWindow.#filled(shared, entries, entries.length, false);
  }

  /** The bytes that the window takes beside those of its messages. */
  get overhead(): number {
    return this.length * MESSAGE_AT + (this.#shared.buffer.length - this.#end) + PACKED_BYTES;
  }

  /** The window with more at its end. This one stays as it is. */
  append(entries: readonly StoredEntry[]): PackedWindow {
    const size = this.#end + packedSize(entries);
    let shared = this.#shared;
    if (this.#end !== shared.end || size > shared.buffer.length) {
      const buffer = Buffer.allocUnsafeSlow(size + Math.ceil(size / GROWTH_PART));
      this.#shared.buffer.copy(buffer, 0, 0, this.#end);
      shared = { buffer, end: this.#end };
    }
    return PackedWindow.#filled(shared, entries, this.length + entries.length, this.wasRead);
  }

  /** A window with some entries in the place of these. This one stays as it is. */
  trimmed(entries: readonly StoredEntry[]): PackedWindow {
    const trimmed = PackedWindow.of(entries);
    trimmed.wasRead = this.wasRead;
    return trimmed;
  }

  /** The entries, decoded anew; the caller may keep them. */
  entries(read: ReadFacts): readonly StoredEntry[] {
    const { buffer } = this.#shared;
    const entries: StoredEntry[] = [];
    for (let at = 0; at < this.#end; ) {
      const seq = buffer.readDoubleLE(at);
      const start = at + MESSAGE_AT;
      at = start + buffer.readUInt32LE(at + LENGTH_AT);
      const bytes = buffer.subarray(start, at);
      entries.push(entryOf(seq, bytes, read(bytes)));
    }
    return entries;
  }

  static #filled(
    shared: Shared,
    entries: readonly StoredEntry[],
    length: number,
    wasRead: boolean,
  ): PackedWindow {
    const { buffer } = shared;
    for (const { seq, bytes } of entries) {
      buffer.writeDoubleLE(seq, shared.end);
      buffer.writeUInt32LE(bytes.length, shared.end + LENGTH_AT);
      buffer.set(bytes, shared.end + MESSAGE_AT);
      shared.end += MESSAGE_AT + bytes.length;
    }
    return new PackedWindow(shared, length, wasRead);
  }
}

/** An entry of a message. Spreading the facts would be slower. */
export function entryOf(seq: number, bytes: Uint8Array, facts: WindowFacts): StoredEntry {
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

/** A session at one moment. */
export interface SessionState {
  readonly sessionNo: number;
  readonly logNo: number;
  readonly session: Session;
  /** The stored window; undefined while it is not loaded. */
  window: WindowList | PackedWindow | undefined;
  /** Rises when a message is changed or erased, so that a copy notices. */
  readonly edits: number;
}

/** Cache entry of a session. Null stands for a session that does not exist. */
export class CachedSession implements Staged {
  readonly #cache: SessionCache;
  readonly ref: SessionRef;
  readonly key: string;
  committed: SessionState | null;
  inFlight: SessionState | null | undefined = undefined;
  forming: SessionState | null | undefined = undefined;
  used = true;
  pins = 0;
  bytes = 0;

  constructor(cache: SessionCache, ref: SessionRef, key: string, committed: SessionState | null) {
    this.#cache = cache;
    this.ref = ref;
    this.key = key;
    this.committed = committed;
  }

  /** The newest state, durable or not. */
  get pending(): SessionState | null {
    if (this.forming !== undefined) return this.forming;
    return this.inFlight !== undefined ? this.inFlight : this.committed;
  }

  get busy(): boolean {
    return this.forming !== undefined || this.inFlight !== undefined || this.pins > 0;
  }

  /** Gives the session its next state. */
  setState(writer: { stage(staged: Staged): void }, state: SessionState | null): void {
    if (this.forming === undefined) writer.stage(this);
    this.forming = state;
  }

  seal(memtable: Memtable): void {
    const state = this.forming;
    if (state !== undefined && state !== null) {
      HEAD.put({ memtable }, HEAD.key(state.sessionNo), {
        logNo: state.logNo,
        head: state.session.head,
      });
    }
    if (state !== undefined) moveUpdated(memtable, this.committed, state);
    this.inFlight = state;
    this.forming = undefined;
  }

  commit(): void {
    this.committed = this.inFlight ?? null;
    this.inFlight = undefined;
    if (this.committed === null && !this.busy) {
      this.#cache.drop(this);
    } else {
      this.#cache.measure(this);
    }
  }
}

/** Moves a session in the list by the time of its last change, once for all changes of a group. */
function moveUpdated(
  memtable: Memtable,
  before: SessionState | null,
  after: SessionState | null,
): void {
  const from = before === null ? undefined : updatedKey(before.sessionNo, before.session);
  const to = after === null ? undefined : updatedKey(after.sessionNo, after.session);
  if (from === to) return;
  if (from !== undefined) memtable.set(from, null);
  if (to !== undefined) memtable.set(to, NOTHING.encode(to, true));
}

const SESSION_BYTES = 1_200;

function insertBytesOf(inserts: readonly WindowInsert[]): number {
  let bytes = inserts.length * ENTRY_BYTES;
  for (const insert of inserts) {
    bytes += insert.bytes.length + insert.ranges.length * 40;
  }
  return bytes;
}

function stateBytesOf({ policyState }: SessionHead): number {
  const { outcomes, marks, overLimit } = policyState;
  return (outcomes.length + marks.length + overLimit.length) * 100;
}

function bytesOf(cached: CachedSession): number {
  const state = cached.pending;
  if (state === null) return SESSION_BYTES;
  const { fields, head } = state.session;
  const text = fields.metadata.length + (fields.summary?.text.length ?? 0);
  const runs = head.windowRanges.length + (fields.summary?.ranges.length ?? 0);
  const parts = fields.labels.size * 100 + runs * 40;
  const base = SESSION_BYTES + text + parts + insertBytesOf(fields.inserts) + stateBytesOf(head);
  return state.window === undefined ? base : base + head.window.byteCount + state.window.overhead;
}

/** The cache. */
export class SessionCache {
  readonly #sessions = new Map<string, CachedSession>();
  readonly #maxBytes: number;
  readonly #readFacts: ReadFacts;
  #totalBytes = 0;

  constructor(maxBytes: number, readFacts: ReadFacts) {
    this.#maxBytes = maxBytes;
    this.#readFacts = readFacts;
  }

  get bytes(): number {
    return this.#totalBytes;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(ref: SessionRef): CachedSession | undefined {
    const cached = this.#sessions.get(cacheKey(ref));
    if (cached !== undefined) cached.used = true;
    return cached;
  }

  /** Adds a session that was just read or is about to be made. */
  add(ref: SessionRef, committed: SessionState | null): CachedSession {
    const cached = new CachedSession(
      this,
      { namespace: ref.namespace, sessionId: ref.sessionId },
      cacheKey(ref),
      committed,
    );
    this.#sessions.set(cached.key, cached);
    this.measure(cached);
    return cached;
  }

  /** Takes the size of a session again, and evicts others if the cache is too large. */
  measure(cached: CachedSession): void {
    if (this.#sessions.get(cached.key) !== cached) return;
    const bytes = bytesOf(cached);
    this.#totalBytes += bytes - cached.bytes;
    cached.bytes = bytes;
    if (this.#totalBytes > this.#maxBytes) this.#evict(cached);
  }

  /** Forgets a session that no longer exists. */
  drop(cached: CachedSession): void {
    if (!cached.busy && this.#sessions.get(cached.key) === cached) {
      this.#sessions.delete(cached.key);
      this.#totalBytes -= cached.bytes;
    }
  }

  /** The entries of a window that is in the cache; the caller may keep them. */
  entries(cached: CachedSession, state: SessionState): readonly StoredEntry[] | undefined {
    const { window } = state;
    if (!(window instanceof PackedWindow)) return window?.entries();
    const entries = window.entries(this.#readFacts);
    if (!window.wasRead) {
      window.wasRead = true;
      return entries;
    }
    const list = WindowList.of(entries);
    state.window = list;
    this.measure(cached);
    // The entries above point into the packed buffer: each of them would keep all of it alive.
    return list.entries();
  }

  // The map is a clock: what was used since the hand last passed goes to the back of the line once.
  // Of the others a list is packed first, if that frees enough, then the window goes, and then the
  // session.
  #evict(keep: CachedSession): void {
    let looks = this.#sessions.size * 4;
    for (const cached of this.#sessions.values()) {
      if (this.#totalBytes <= this.#maxBytes || looks-- <= 0) return;
      this.#sessions.delete(cached.key);
      const state = cached.committed;
      if (cached === keep || cached.busy || cached.used) {
        cached.used = false;
        if (state?.window instanceof PackedWindow) state.window.wasRead = false;
        this.#sessions.set(cached.key, cached);
      } else if (state?.window !== undefined) {
        const { window } = state;
        const isPacked =
          window instanceof WindowList &&
          window.overhead > state.session.head.window.byteCount / PACK_PART;
        state.window = isPacked ? PackedWindow.of(window.entries()) : undefined;
        this.#sessions.set(cached.key, cached);
        const bytes = bytesOf(cached);
        this.#totalBytes += bytes - cached.bytes;
        cached.bytes = bytes;
      } else {
        this.#totalBytes -= cached.bytes;
      }
    }
  }
}

function cacheKey(ref: SessionRef): string {
  return `${ref.namespace.length}:${ref.namespace}${ref.sessionId}`;
}
