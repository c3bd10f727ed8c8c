// Decoded sessions and loaded windows, bounded by bytes. Like the memtable it knows three states of
// a session: durable, being committed, being formed. A session with changes under way is never
// evicted, so its entry always tells what is pending.

import type {
  Session,
  SessionHead,
  SessionRef,
  WindowInsert,
} from "../../session/rules/session.ts";
import type { Role, WindowFacts } from "../../window/rules/types.ts";
import type { Staged } from "../engine/group.ts";
import type { Memtable } from "../engine/memtable.ts";
import { NOTHING } from "../engine/table.ts";
import type { ReadFacts, StoredEntry } from "../store.ts";
import { HEAD, updatedKey } from "./session-tables.ts";

// Numbers that a packed window keeps of each entry, so that the window rules need not decode the
// message: seq, time, tokens, where the message ends, and the kind.
const NUMBERS = 5;
// The kind is the role, plus these.
const IS_RESULT = 8;
const HAS_CALL_IDS = 16;
const KIND_ROLES = 7;
// The packed window, its buffers, and what belongs to them.
const PACKED_BYTES = 400;
// A packed window that grows gets this part more than it needs.
const GROWTH_PART = 4;
// And this, so that small ones do not grow with each message.
const SPARE_BYTES = 512;
const SPARE_ENTRIES = 4;

/** The buffers that versions of one window share; each version sees a run of the entries. */
interface Shared {
  readonly numbers: Float64Array;
  readonly messages: Buffer;
  /** The entries that are written. */
  count: number;
}

function sharedFor(entries: number, bytes: number): Shared {
  const numbers = new Float64Array(entries * NUMBERS);
  return { numbers, messages: Buffer.allocUnsafeSlow(bytes), count: 0 };
}

/** The end of the message of an entry. */
function endOf({ numbers }: Shared, index: number): number {
  return index < 0 ? 0 : (numbers[index * NUMBERS + 3] ?? 0);
}

const NO_IDS: readonly string[] = [];

/** An entry of a packed window. Decodes its message only for what most reads never ask for. */
class PackedEntry implements StoredEntry {
  readonly seq: number;
  readonly createMs: number;
  readonly tokenCount: number;
  readonly byteCount: number;
  readonly role: Role;
  readonly isResult: boolean;
  readonly #start: number;
  readonly #hasCallIds: boolean;
  readonly #messages: Buffer;
  readonly #readFacts: ReadFacts;
  #known: WindowFacts | undefined;

  constructor(shared: Shared, index: number, readFacts: ReadFacts) {
    const { numbers } = shared;
    const at = index * NUMBERS;
    const kind = numbers[at + 4] ?? 0;
    this.seq = numbers[at] ?? 0;
    this.createMs = numbers[at + 1] ?? 0;
    this.tokenCount = numbers[at + 2] ?? 0;
    this.role = (kind & KIND_ROLES) as Role;
    this.isResult = (kind & IS_RESULT) !== 0;
    this.#start = endOf(shared, index - 1);
    this.byteCount = endOf(shared, index) - this.#start;
    this.#hasCallIds = (kind & HAS_CALL_IDS) !== 0;
    this.#messages = shared.messages;
    this.#readFacts = readFacts;
  }

  get bytes(): Uint8Array {
    return this.#messages.subarray(this.#start, this.#start + this.byteCount);
  }

  get messageId(): string {
    return this.#facts.messageId;
  }

  get callIds(): readonly string[] {
    return this.#hasCallIds ? this.#facts.callIds : NO_IDS;
  }

  get answers(): readonly string[] {
    return this.#hasCallIds ? this.#facts.answers : NO_IDS;
  }

  get #facts(): WindowFacts {
    this.#known ??= this.#readFacts(this.bytes);
    return this.#known;
  }
}

/**
 * A window in two buffers, which give the garbage collector nothing to follow. It grows at its end
 * and shrinks at its start without being copied.
 */
export class PackedWindow {
  readonly #shared: Shared;
  readonly #first: number;
  readonly length: number;

  private constructor(shared: Shared, first: number) {
    this.#shared = shared;
    this.#first = first;
    this.length = shared.count - first;
  }

  static of(entries: readonly StoredEntry[]): PackedWindow {
    const size = entries.reduce((sum, { byteCount }) => sum + byteCount, 0);
    return PackedWindow.#filled(sharedFor(entries.length, size), 0, entries);
  }

  /** The bytes that the window takes beside those of its messages. */
  get overhead(): number {
    const { messages, numbers } = this.#shared;
    const { start, end } = this.#extent;
    return messages.length - (end - start) + numbers.byteLength + PACKED_BYTES;
  }

  /** The part of the shared buffer that holds its messages. */
  get #extent(): { readonly start: number; readonly end: number } {
    const start = endOf(this.#shared, this.#first - 1);
    return { start, end: endOf(this.#shared, this.#first + this.length - 1) };
  }

  /** The window with more at its end. This one stays as it is. */
  append(entries: readonly StoredEntry[]): PackedWindow {
    return this.#grown(this.#first, entries);
  }

  /**
   * A window with entries of this one, none of them changed, and with new ones at its end, whose
   * seqs are `firstNew` or higher. This one stays as it is.
   */
  trimmed(entries: readonly StoredEntry[], firstNew: number): PackedWindow {
    let old = entries.length;
    while (old > 0 && (entries[old - 1]?.seq ?? 0) >= firstNew) old--;
    const end = this.#first + this.length;
    const { numbers } = this.#shared;
    for (let index = 0; index < old; index++) {
      // Most trims remove the oldest entries: what is left is the end of this window.
      const isEnd = numbers[(end - old + index) * NUMBERS] === entries[index]?.seq;
      if (old > this.length || !isEnd) return PackedWindow.of(entries);
    }
    return this.#grown(end - old, entries.slice(old));
  }

  /** The entries. Each of them keeps the buffers of the window alive. */
  entries(readFacts: ReadFacts): readonly StoredEntry[] {
    const entries: StoredEntry[] = [];
    for (let index = 0; index < this.length; index++) {
      entries.push(new PackedEntry(this.#shared, this.#first + index, readFacts));
    }
    return entries;
  }

  #grown(first: number, entries: readonly StoredEntry[]): PackedWindow {
    const { messages, numbers, count } = this.#shared;
    const end = this.#first + this.length;
    const { end: endByte } = this.#extent;
    const added = entries.reduce((sum, { byteCount }) => sum + byteCount, 0);
    const isNewest = end === count;
    const hasRoom =
      endByte + added <= messages.length && (end + entries.length) * NUMBERS <= numbers.length;
    if (isNewest && hasRoom) return PackedWindow.#filled(this.#shared, first, entries);
    const startByte = endOf(this.#shared, first - 1);
    const size = endByte - startByte + added;
    const length = end - first + entries.length;
    const copy = sharedFor(
      length + Math.ceil(length / GROWTH_PART) + SPARE_ENTRIES,
      size + Math.ceil(size / GROWTH_PART) + SPARE_BYTES,
    );
    messages.copy(copy.messages, 0, startByte, endByte);
    copy.numbers.set(numbers.subarray(first * NUMBERS, end * NUMBERS));
    copy.count = end - first;
    for (let index = 0; index < copy.count; index++) {
      copy.numbers[index * NUMBERS + 3] = endOf(copy, index) - startByte;
    }
    return PackedWindow.#filled(copy, 0, entries);
  }

  /** The window from an entry of some buffers on, with more entries, which are written behind. */
  static #filled(shared: Shared, first: number, entries: readonly StoredEntry[]): PackedWindow {
    const { messages, numbers } = shared;
    for (const entry of entries) {
      const { answers, bytes, callIds, createMs, isResult, role, seq, tokenCount } = entry;
      const start = endOf(shared, shared.count - 1);
      const hasCallIds = callIds.length > 0 || answers.length > 0;
      const at = shared.count * NUMBERS;
      numbers[at] = seq;
      numbers[at + 1] = createMs;
      numbers[at + 2] = tokenCount;
      numbers[at + 3] = start + bytes.length;
      numbers[at + 4] = role + (isResult ? IS_RESULT : 0) + (hasCallIds ? HAS_CALL_IDS : 0);
      messages.set(bytes, start);
      shared.count += 1;
    }
    return new PackedWindow(shared, first);
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
  window: PackedWindow | undefined;
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
const INSERT_BYTES = 320;

function insertBytesOf(inserts: readonly WindowInsert[]): number {
  let bytes = inserts.length * INSERT_BYTES;
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

  // The map is a clock: what was used since the hand last passed goes to the back of the line once.
  // Of the others the window goes first, and then the session.
  #evict(keep: CachedSession): void {
    let looks = this.#sessions.size * 4;
    for (const cached of this.#sessions.values()) {
      if (this.#totalBytes <= this.#maxBytes || looks-- <= 0) return;
      this.#sessions.delete(cached.key);
      const state = cached.committed;
      if (cached === keep || cached.busy || cached.used) {
        cached.used = false;
        this.#sessions.set(cached.key, cached);
      } else if (state?.window !== undefined) {
        state.window = undefined;
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
