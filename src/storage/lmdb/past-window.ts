// Windows of the past. That of an imported session may be as long as its log, which takes a while
// to look through: other work gets its turn in between, and what was read counts only if nothing
// of it was changed meanwhile.

import { CEILING } from "../../domain/policy.ts";
import type { SessionRef } from "../../domain/session.ts";
import { fitCeiling } from "../../domain/window/fit.ts";
import { rangesOf } from "../../domain/window/ranges.ts";
import { ROLE, type SeqRange } from "../../domain/window/types.ts";
import type { Store, StoredEntry } from "../store.ts";
import type { CachedSession, SessionState } from "./cache.ts";
import type { Entry } from "./codec.ts";
import { type Core, readAgain } from "./core.ts";
import { denseEntries, denseRanges, readStored, runsAt } from "./messages.ts";
import { openSession } from "./sessions.ts";

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
  private places: Place[] = [];
  private start = 0;
  private bytes = 0;

  push(place: Place): void {
    this.places.push(place);
    this.bytes += place.byteCount;
    while (this.places.length - this.start > CEILING.messages || this.bytes > CEILING.bytes) {
      this.bytes -= this.places[this.start]?.byteCount ?? 0;
      this.start++;
      this.isCut = true;
    }
    if (this.start > CEILING.messages) {
      this.places = this.all();
      this.start = 0;
    }
  }

  all(): Place[] {
    return this.places.slice(this.start);
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
    if (cached === undefined || state === undefined) {
      return undefined;
    }
    const { session } = state;
    if (seq < session.head.firstSeq - 1 || seq > session.head.lastSeq) {
      return { session, window: undefined, ranges: [] };
    }
    const piece = reads > POLITE_READS ? Number.POSITIVE_INFINITY : PIECE;
    const past = await readPinned(core, cached, { state, seq, piece });
    if (past !== undefined) {
      return { session, ...past };
    }
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
    if (cached.committed === null) {
      core.cache.drop(cached);
    }
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
    if (place.messageNo !== 0) {
      (place.role === ROLE.system ? system : others).push(place);
    }
    if (++looks % piece === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      core.writer.assertReadable();
      if (!isUnchanged()) {
        return undefined;
      }
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
