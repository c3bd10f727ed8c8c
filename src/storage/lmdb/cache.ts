// Decoded sessions and loaded windows, bounded by bytes. Like the memtable it knows three states of
// a session: durable, being committed, being formed. A session with changes under way is never
// evicted, so its entry always tells what is pending.

import type { Session, SessionRef } from "../../domain/session.ts";
import type { StoredEntry } from "../store.ts";

/** A list of window entries that grows at its end without being copied. */
export class WindowList {
  private readonly items: StoredEntry[];
  private readonly count: number;
  private readonly owned: boolean;
  private copy: readonly StoredEntry[] | undefined;

  private constructor(items: StoredEntry[], count: number, owned: boolean) {
    this.items = items;
    this.count = count;
    this.owned = owned;
  }

  /** Wraps a list that nobody changes. */
  static of(entries: readonly StoredEntry[]): WindowList {
    return new WindowList(entries as StoredEntry[], entries.length, false);
  }

  get length(): number {
    return this.count;
  }

  /** The list with more at its end. This one stays as it is. */
  append(entries: readonly StoredEntry[]): WindowList {
    const grows = this.owned && this.items.length === this.count;
    const items = grows ? this.items : this.items.slice(0, this.count);
    for (const entry of entries) {
      items.push(entry);
    }
    return new WindowList(items, this.count + entries.length, true);
  }

  /** The entries; the caller may keep them. */
  entries(): readonly StoredEntry[] {
    if (!this.owned) {
      return this.items;
    }
    this.copy ??= this.items.slice(0, this.count);
    return this.copy;
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

/** Where a session is in the cache. Null stands for a session that does not exist. */
export class CachedSession {
  readonly ref: SessionRef;
  readonly key: string;
  committed: SessionState | null;
  inFlight: SessionState | null | undefined = undefined;
  forming: SessionState | null | undefined = undefined;
  used = true;
  pins = 0;
  bytes = 0;

  constructor(ref: SessionRef, key: string, committed: SessionState | null) {
    this.ref = ref;
    this.key = key;
    this.committed = committed;
  }

  /** The newest state, durable or not. */
  get pending(): SessionState | null {
    if (this.forming !== undefined) {
      return this.forming;
    }
    return this.inFlight !== undefined ? this.inFlight : this.committed;
  }

  get busy(): boolean {
    return this.forming !== undefined || this.inFlight !== undefined || this.pins > 0;
  }
}

const SESSION_BYTES = 1_200;
const ENTRY_BYTES = 320;

function bytesOf(cached: CachedSession): number {
  const state = cached.pending;
  if (state === null) {
    return SESSION_BYTES;
  }
  const { fields, head } = state.session;
  const text = fields.metadata.length + (fields.summary?.text.length ?? 0);
  const base = SESSION_BYTES + text + fields.labels.size * 100 + head.windowRanges.length * 40;
  return state.window === undefined
    ? base
    : base + head.window.byteCount + state.window.length * ENTRY_BYTES;
}

/** The cache. */
export class SessionCache {
  private readonly sessions = new Map<string, CachedSession>();
  private readonly maxBytes: number;
  private totalBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  get size(): number {
    return this.sessions.size;
  }

  get(ref: SessionRef): CachedSession | undefined {
    const cached = this.sessions.get(cacheKey(ref));
    if (cached !== undefined) {
      cached.used = true;
    }
    return cached;
  }

  /** Adds a session that was just read or is about to be made. */
  add(ref: SessionRef, committed: SessionState | null): CachedSession {
    const cached = new CachedSession(
      { namespace: ref.namespace, sessionId: ref.sessionId },
      cacheKey(ref),
      committed,
    );
    this.sessions.set(cached.key, cached);
    this.measure(cached);
    return cached;
  }

  /** Takes the size of a session again, and evicts others if the cache is too large. */
  measure(cached: CachedSession): void {
    if (this.sessions.get(cached.key) !== cached) {
      return;
    }
    const bytes = bytesOf(cached);
    this.totalBytes += bytes - cached.bytes;
    cached.bytes = bytes;
    if (this.totalBytes > this.maxBytes) {
      this.evict(cached);
    }
  }

  /** Forgets a session that no longer exists. */
  drop(cached: CachedSession): void {
    if (!cached.busy && this.sessions.get(cached.key) === cached) {
      this.sessions.delete(cached.key);
      this.totalBytes -= cached.bytes;
    }
  }

  // The map is a clock: what was used since the hand last passed goes to the back of the line once;
  // a window goes before its session does.
  private evict(keep: CachedSession): void {
    let looks = this.sessions.size * 2;
    for (const cached of this.sessions.values()) {
      if (this.totalBytes <= this.maxBytes || looks-- <= 0) {
        return;
      }
      this.sessions.delete(cached.key);
      if (cached === keep || cached.busy || cached.used) {
        cached.used = false;
        this.sessions.set(cached.key, cached);
      } else if (cached.committed?.window !== undefined) {
        cached.committed.window = undefined;
        this.sessions.set(cached.key, cached);
        const bytes = bytesOf(cached);
        this.totalBytes += bytes - cached.bytes;
        cached.bytes = bytes;
      } else {
        this.totalBytes -= cached.bytes;
      }
    }
  }
}

function cacheKey(ref: SessionRef): string {
  return `${ref.namespace.length}:${ref.namespace}${ref.sessionId}`;
}
