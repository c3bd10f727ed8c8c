// Reading a session with its whole log as it was at one moment, while others go on writing. The
// session is pinned in the cache, so that every edit of it is noticed: appends add to what was
// there, and edits count in the state.

import { sessionChanged } from "../../kit/errors.ts";
import type { Session, SessionRef } from "../../session/rules/session.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import { readAgain } from "../engine/reads.ts";
import type { SnapshotReader, StoredMessage } from "../store.ts";
import type { CachedSession, SessionState } from "../tables/cache.ts";
import type { Core } from "../tables/core.ts";
import { denseEntries, denseRanges, messageOf, readStored } from "../tables/messages.ts";
import { openSession } from "../tables/sessions.ts";

// Many exports may be under way, each with a piece in memory.
const PIECE_BYTES = 262_144;
const PIECE_LOOKS = 1_024;

/** Opens a session for reading as a whole; undefined when there is none. */
export function openSnapshot(core: Core, ref: SessionRef): SnapshotReader | undefined {
  const cached = openSession(core, ref);
  const state = cached?.committed ?? null;
  return cached === undefined || state === null ? undefined : new Snapshot(core, cached, state);
}

class Snapshot implements SnapshotReader {
  readonly session: Session;
  readonly #core: Core;
  readonly #cached: CachedSession;
  readonly #state: SessionState;
  readonly #ranges: readonly SeqRange[];
  #nextSeq = 1;
  #closed = false;

  constructor(core: Core, cached: CachedSession, state: SessionState) {
    this.#core = core;
    this.#cached = cached;
    this.#state = state;
    this.session = state.session;
    cached.pins++;
    const clip = { first: 1, last: state.session.head.lastSeq };
    this.#ranges = denseRanges(core, state, clip, "committed");
  }

  async next(): Promise<readonly StoredMessage[]> {
    for (;;) {
      const messages = await readAgain(this.#core, () => this.#piece());
      // A piece may hold nothing but seqs that were erased.
      if (messages.length > 0 || this.#nextSeq > this.session.head.lastSeq) return messages;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#cached.pins--;
      if (this.#cached.committed === null) this.#core.cache.drop(this.#cached);
    }
  }

  // The last check covers everything that was read before.
  #piece(): readonly StoredMessage[] {
    const now = this.#cached.committed;
    if (now === null || now.logNo !== this.#state.logNo || now.edits !== this.#state.edits) {
      throw sessionChanged();
    }
    const messages: StoredMessage[] = [];
    let bytes = 0;
    let looks = 0;
    let next = this.session.head.lastSeq + 1;
    walk: for (const range of this.#ranges) {
      const first = Math.max(range.first, this.#nextSeq);
      if (first > range.last) continue;
      const rest = { first, last: range.last };
      for (const { seq, entry } of denseEntries(this.#core, this.#state.logNo, rest, "committed")) {
        const isFull = messages.length > 0 && bytes + entry.byteCount > PIECE_BYTES;
        if (isFull || looks++ >= PIECE_LOOKS) {
          next = seq;
          break walk;
        }
        if (entry.messageNo !== 0) {
          bytes += entry.byteCount;
          messages.push(messageOf(readStored(this.#core, seq, entry, "committed")));
        }
      }
    }
    this.#nextSeq = next;
    return messages;
  }
}
