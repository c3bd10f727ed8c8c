// The part of the index that is not in its B-tree yet. A slot holds up to three values of a key:
// the durable one, the one of the group being committed, and the one of the group being formed.
// Reads use the durable value; decisions use the newest. Keys of ordered tables are kept in
// buckets, sorted only when somebody reads a range.

import type { IndexChange } from "./journal.ts";

/** At this many keys changes wait for the flush. */
export const MEMTABLE_SLOTS_MAX = 65_536;

// Flushing starts at the low-water mark: what changes again before that is written once.
const LOW_WATER = 2_048;
// Above the high-water mark a flush no longer waits for a group that it could ride along with.
const HIGH_WATER = 8_192;
// A chunk takes 8 MiB of the disk at most: a page for each key, and the values.
const CHUNK_MIN = 256;
const CHUNK_MAX = 1_024;
// Answers are remembered in here: a few of them can be as large as thousands of other values. So
// the bytes that wait have a mark of their own, and so has a chunk.
const WAITING_BYTES_MAX = 16_777_216;
const WAITING_BYTES_HIGH = 33_554_432;
const CHUNK_BYTES_MAX = 4_194_304;

/** State of the store that a read sees. */
export type Visibility = "committed" | "pending";

/** A value, null for a removed key, undefined for nothing known here. */
export type SlotValue = Uint8Array | null | undefined;

/** A key that the memtable holds. */
export class Slot {
  readonly key: string;
  readonly bucket: Bucket | undefined;
  committed: SlotValue = undefined;
  inFlight: SlotValue = undefined;
  forming: SlotValue = undefined;
  /** The journal record that first holds what is not flushed; 0 when nothing waits. */
  dirty = 0;
  /** The bytes that wait. */
  waitingBytes = 0;
  dead = false;

  constructor(key: string, bucket: Bucket | undefined) {
    this.key = key;
    this.bucket = bucket;
  }
}

class Bucket {
  readonly name: string;
  sorted: Slot[] = [];
  fresh: Slot[] = [];
  dead = 0;

  constructor(name: string) {
    this.name = name;
  }

  get live(): number {
    return this.sorted.length + this.fresh.length - this.dead;
  }
}

/** Slots taken out for a flush, with the values being flushed. */
export type FlushChunk = readonly { readonly slot: Slot; readonly value: Uint8Array | null }[];

/** A part of a list of slots: from `from` on and below `to`. */
export interface SlotRange {
  readonly slots: readonly Slot[];
  readonly from: number;
  readonly to: number;
}

const NO_SLOTS: SlotRange = { slots: [], from: 0, to: 0 };

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** The newest value that a view may see. */
export function slotValue(slot: Slot, visibility: Visibility): SlotValue {
  if (visibility === "committed") return slot.committed;
  if (slot.forming !== undefined) return slot.forming;
  return slot.inFlight !== undefined ? slot.inFlight : slot.committed;
}

/** The in-memory part of the index. */
export class Memtable {
  readonly #bucketOf: (key: string) => string | undefined;
  readonly #slots = new Map<string, Slot>();
  readonly #buckets = new Map<string, Bucket>();
  #formingSlots: Slot[] = [];
  #inFlightSlots: Slot[] = [];
  #queue: (Slot | undefined)[] = [];
  #queueHead = 0;
  #waitingBytes = 0;

  /** `bucketOf` gives the bucket of a key; undefined for tables that are only read by key. */
  constructor(bucketOf: (key: string) => string | undefined) {
    this.#bucketOf = bucketOf;
  }

  /** Number of keys held. */
  get size(): number {
    return this.#slots.size;
  }

  /** Number of keys waiting to be flushed. */
  get dirtyCount(): number {
    return this.#queue.length - this.#queueHead;
  }

  /** Number of places of the queue that still hold a slot: as many as wait, or values leak. */
  get queuedCount(): number {
    return this.#queue.filter((slot) => slot !== undefined).length;
  }

  /** The journal record that the oldest waiting key needs; 0 when none waits. */
  get oldestDirty(): number {
    return this.#queue[this.#queueHead]?.dirty ?? 0;
  }

  get hasForming(): boolean {
    return this.#formingSlots.length > 0;
  }

  get(key: string, visibility: Visibility): SlotValue {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : slotValue(slot, visibility);
  }

  /** All keys held, those of removed values included, in no order. */
  keys(): string[] {
    return [...this.#slots.keys()];
  }

  /** Whether the key has a value that is not durable yet: of which group. */
  pendingIn(key: string): "forming" | "in-flight" | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    if (slot.forming !== undefined) return "forming";
    return slot.inFlight !== undefined ? "in-flight" : undefined;
  }

  /** Changes a key in the group being formed. */
  set(key: string, value: Uint8Array | null): void {
    const slot = this.#slots.get(key) ?? this.#add(key);
    if (slot.forming === undefined) this.#formingSlots.push(slot);
    slot.forming = value;
  }

  /** Turns the forming group into the one in flight and lists its changes. */
  seal(): IndexChange[] {
    this.#inFlightSlots = this.#formingSlots;
    this.#formingSlots = [];
    const changes = new Array<IndexChange>(this.#inFlightSlots.length);
    for (let i = 0; i < this.#inFlightSlots.length; i++) {
      const slot = this.#inFlightSlots[i];
      if (slot !== undefined) {
        const value = slot.forming ?? null;
        slot.inFlight = value;
        slot.forming = undefined;
        changes[i] = { key: slot.key, value };
      }
    }
    return changes;
  }

  /** Makes the group in flight durable; `journalNo` is its first journal record. */
  commit(journalNo: number): void {
    for (const slot of this.#inFlightSlots) {
      slot.committed = slot.inFlight;
      slot.inFlight = undefined;
      this.#markDirty(slot, journalNo);
    }
    this.#inFlightSlots = [];
  }

  /** Takes over a change found in the journal at start. */
  replay(change: IndexChange, journalNo: number): void {
    const slot = this.#slots.get(change.key) ?? this.#add(change.key);
    slot.committed = change.value;
    this.#markDirty(slot, journalNo);
  }

  /** Tells whether too much waits for the flush to wait for a quiet second. */
  get isHigh(): boolean {
    return this.dirtyCount > HIGH_WATER || this.#waitingBytes > WAITING_BYTES_HIGH;
  }

  /**
   * Takes the keys that wait longest, sorted by key; none while few wait, unless it is urgent. The
   * more wait the more are taken, so that flushing keeps pace with what comes in.
   */
  takeChunk(isUrgent: boolean): FlushChunk {
    const dirty = this.dirtyCount;
    const isLow = dirty < LOW_WATER + CHUNK_MIN && this.#waitingBytes <= WAITING_BYTES_MAX;
    if (!isUrgent && isLow) return [];
    const count = Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, dirty >>> 1));
    const stop = Math.min(this.#queueHead + count, this.#queue.length);
    const chunk: { slot: Slot; value: Uint8Array | null; key: string }[] = [];
    const left = this.#waitingBytes - CHUNK_BYTES_MAX;
    for (; this.#queueHead < stop && this.#waitingBytes >= left; this.#queueHead++) {
      const slot = this.#queue[this.#queueHead];
      if (slot !== undefined) {
        // The place in the queue must not keep the value once it is flushed.
        this.#queue[this.#queueHead] = undefined;
        slot.dirty = 0;
        this.#waitingBytes -= slot.waitingBytes;
        slot.waitingBytes = 0;
        chunk.push({ slot, value: slot.committed ?? null, key: slot.key });
      }
    }
    if (this.#queueHead > 4_096 && this.#queueHead * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueHead);
      this.#queueHead = 0;
    }
    return chunk.sort(byKey);
  }

  /** Forgets what a flush has brought into the index. */
  flushed(chunk: FlushChunk): void {
    for (const { slot } of chunk) {
      if (slot.dirty === 0 && slot.forming === undefined && slot.inFlight === undefined) {
        this.#remove(slot);
      }
    }
  }

  /**
   * The slots of one bucket with keys from `start` on and below `end`, by rising key, as a part of
   * a list that is never changed. The start must be as long as a whole key, because the bucket is
   * found by it.
   */
  range(start: string, end: string): SlotRange {
    const name = this.#bucketOf(start);
    const bucket = name === undefined ? undefined : this.#buckets.get(name);
    if (bucket === undefined) return NO_SLOTS;
    tidy(bucket);
    const { sorted } = bucket;
    return { slots: sorted, from: lowerBound(sorted, start), to: lowerBound(sorted, end) };
  }

  #markDirty(slot: Slot, journalNo: number): void {
    const bytes = slot.committed?.length ?? 0;
    this.#waitingBytes += bytes - slot.waitingBytes;
    slot.waitingBytes = bytes;
    if (slot.dirty === 0) {
      slot.dirty = journalNo;
      this.#queue.push(slot);
    }
  }

  #add(key: string): Slot {
    const name = this.#bucketOf(key);
    let bucket: Bucket | undefined;
    if (name !== undefined) {
      bucket = this.#buckets.get(name);
      if (bucket === undefined) {
        bucket = new Bucket(name);
        this.#buckets.set(name, bucket);
      }
    }
    const slot = new Slot(key, bucket);
    this.#slots.set(key, slot);
    bucket?.fresh.push(slot);
    return slot;
  }

  #remove(slot: Slot): void {
    slot.dead = true;
    this.#slots.delete(slot.key);
    const { bucket } = slot;
    if (bucket === undefined) return;
    bucket.dead++;
    if (bucket.live === 0) {
      this.#buckets.delete(bucket.name);
    } else if (bucket.dead > 32 && bucket.dead > bucket.live) {
      bucket.sorted = bucket.sorted.filter((other) => !other.dead);
      bucket.fresh = bucket.fresh.filter((other) => !other.dead);
      bucket.dead = 0;
    }
  }
}

function tidy(bucket: Bucket): void {
  if (bucket.fresh.length === 0 && bucket.dead === 0) return;
  const sorted = bucket.dead === 0 ? bucket.sorted : bucket.sorted.filter((slot) => !slot.dead);
  const fresh = bucket.fresh.filter((slot) => !slot.dead).sort(byKey);
  bucket.fresh = [];
  bucket.dead = 0;
  bucket.sorted = merge(sorted, fresh);
}

function merge(left: Slot[], right: Slot[]): Slot[] {
  const firstRight = right[0];
  const lastLeft = left.at(-1);
  if (firstRight === undefined || lastLeft === undefined || lastLeft.key < firstRight.key) {
    return left.concat(right);
  }
  const merged: Slot[] = [];
  let i = 0;
  for (const slot of right) {
    for (let other = left[i]; other !== undefined && other.key < slot.key; other = left[i]) {
      merged.push(other);
      i++;
    }
    merged.push(slot);
  }
  return merged.concat(left.slice(i));
}

function lowerBound(slots: readonly Slot[], key: string): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle]?.key ?? "") < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
