// Reading a session as a whole. A change makes new maps, so that the state of one moment stays as
// it was; what has changed since is found by looking at everything.

import { sessionChanged } from "../../src/kit/errors.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type { SnapshotReader, StoredMessage } from "../../src/store/store.ts";
import { entryOf, messageOf } from "./reads.ts";
import { type MemoryParts, type SessionState, sessionOf } from "./state.ts";

const PIECE_MESSAGES = 256;
// Many exports may be under way, each with a piece in memory.
const PIECE_BYTES = 262_144;

/** Opens a session for reading as a whole; undefined when there is none. */
export function openSnapshot(parts: MemoryParts, ref: SessionRef): SnapshotReader | undefined {
  const state = sessionOf(parts.state, ref);
  return state && new Snapshot(parts, ref, state);
}

class Snapshot implements SnapshotReader {
  readonly session: SessionState["session"];
  readonly #parts: MemoryParts;
  readonly #ref: SessionRef;
  readonly #base: SessionState;
  #given = 0;

  constructor(parts: MemoryParts, ref: SessionRef, base: SessionState) {
    this.session = base.session;
    this.#parts = parts;
    this.#ref = ref;
    this.#base = { ...base };
  }

  next(): Promise<readonly StoredMessage[]> {
    return this.#parts.run(() => {
      if (this.#isChanged()) throw sessionChanged();
      const messages: StoredMessage[] = [];
      let bytes = 0;
      for (const [seq, message] of [...this.#base.log].slice(this.#given)) {
        bytes += message.bytes.length;
        const isFull = messages.length === PIECE_MESSAGES || bytes > PIECE_BYTES;
        if (messages.length > 0 && isFull) break;
        messages.push(messageOf(entryOf(this.#parts.readFacts, seq, message)));
      }
      this.#given += messages.length;
      return messages;
    });
  }

  close(): void {
    this.#given = this.#base.log.size;
  }

  #isChanged(): boolean {
    const now = sessionOf(this.#parts.state, this.#ref);
    if (now === undefined || now.sessionNo !== this.#base.sessionNo) return true;
    if (now.session.head.firstSeq !== this.session.head.firstSeq) return true;
    return [...this.#base.log].some(([seq, message]) => now.log.get(seq) !== message);
  }
}
