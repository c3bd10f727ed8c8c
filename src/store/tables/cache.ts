// Decoded sessions and loaded windows, bounded by bytes. Like the memtable it knows three states of
// a session: durable, being committed, being formed. A session with changes under way is never
// evicted, so its entry always tells what is pending.

import type {
  Session,
  SessionHead,
  SessionRef,
  WindowInsert,
} from "../../session/rules/session.ts";
import type { Staged } from "../engine/group.ts";
import type { Memtable } from "../engine/memtable.ts";
import { NOTHING } from "../engine/table.ts";
import type { StoredEntry } from "../store.ts";
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
    return {
      seq: entry.seq,
      messageId: entry.messageId,
      role: entry.role,
      callIds: entry.callIds,
      answers: entry.answers,
      isResult: entry.isResult,
      tokenCount: entry.tokenCount,
      createMs: entry.createMs,
      byteCount: entry.byteCount,
      bytes: this.#copy(entry.bytes),
    };
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

  /** A list of its own. */
  static of(entries: readonly StoredEntry[]): WindowList {
    const room = new Room();
    const items = entries.map((entry) => room.keep(entry));
    return new WindowList(items, 0, items.length, room);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  /** The bytes that the list takes beside its entries. */
  get slack(): number {
    return this.#room.slack;
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

/** A session at one moment. */
export interface SessionState {
  readonly sessionNo: number;
  readonly logNo: number;
  readonly session: Session;
  /** The stored window; undefined while it is not loaded. */
  window: WindowList | undefined;
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
// An entry, its id, the view of its bytes, and its place in the list.
const ENTRY_BYTES = 320;

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
  return state.window === undefined
    ? base
    : base + head.window.byteCount + state.window.slack + state.window.length * ENTRY_BYTES;
}

/** The cache. */
export class SessionCache {
  readonly #sessions = new Map<string, CachedSession>();
  readonly #maxBytes: number;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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

  // The map is a clock: what was used since the hand last passed goes to the back of the line once;
  // a window goes before its session does.
  #evict(keep: CachedSession): void {
    let looks = this.#sessions.size * 2;
    for (const cached of this.#sessions.values()) {
      if (this.#totalBytes <= this.#maxBytes || looks-- <= 0) return;
      this.#sessions.delete(cached.key);
      if (cached === keep || cached.busy || cached.used) {
        cached.used = false;
        this.#sessions.set(cached.key, cached);
      } else if (cached.committed?.window !== undefined) {
        cached.committed.window = undefined;
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
