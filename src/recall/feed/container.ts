// What is known of one session, collection or scope beside the index: how far it is loaded, and
// what of it has changed since the index was told.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import { addSpan } from "../../domain/recall/spans.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { ContainerRef } from "../../recall/port.ts";

/** So many runs of changed positions are kept apart; then the container is loaded anew. */
const RUNS_MAX = 256;

/** What has changed since the index was told. */
export interface Marks {
  /** Runs of positions, both ends included, apart from one another. */
  readonly runs: readonly SeqRange[];
  /** Everything may have changed, and what was there may be gone. */
  readonly all: boolean;
  /** What describes the container may have changed. */
  readonly info: boolean;
}

/** Names a container in its namespace. */
export function keyOf(ref: ContainerRef): string {
  return `${LETTERS[ref.kind]}:${ref.id}`;
}

const LETTERS = { session: "s", collection: "c", scope: "m" } as const;
const KINDS = new Map(
  (["session", "collection", "scope"] as const).map((kind) => [LETTERS[kind], kind]),
);

/** The container that a key names. */
export function refOf(key: string): ContainerRef {
  const letter = key.slice(0, 1) as (typeof LETTERS)[ContainerRef["kind"]];
  return { kind: KINDS.get(letter) ?? "session", id: key.slice(2) };
}

/** One session, collection or scope. */
export class Container {
  readonly key: string;
  readonly ref: ContainerRef;
  /** What the index was told of it last; undefined when it does not know it. */
  told: string | undefined;
  /** Where loading goes on; undefined before its first step. */
  cursor: number | undefined;
  /** It is loaded from its start, not from its end. */
  isUpward = false;
  /** There is nothing more to load, or no room for it. */
  isLoaded = false;
  /** It waits to be loaded. */
  isQueued = false;
  /** Some of it is left out for want of room. */
  isCut = false;
  /** It cannot be read: left out, until it changes as a whole. */
  isBroken = false;
  /** It was written to since the server started, and its runs were not kept. */
  mustLoad = false;
  /** Its documents are kept for TF-IDF too. */
  wantsTfIdf = false;
  /** The highest position given to the index. */
  top = 0;
  /** About how many records it has, and how many of them were given to the index. */
  count = 0;
  sent = 0;
  updateMs = 0;
  /** Of a scope: whose memories it holds; undefined while nobody has looked. */
  scope: MemoryScope | undefined;
  /** Vectors are missing from here on; undefined when none are. */
  vectorsFrom: number | undefined;
  #marks: Marks = NO_MARKS;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ref: ContainerRef) {
    this.ref = ref;
    this.key = keyOf(ref);
  }

  /** How many of its records are not in the index, about. */
  get missing(): number {
    return Math.max(0, this.count - this.sent);
  }

  /** Notes that these positions may have changed. */
  markRun(run: SeqRange): void {
    const runs = addSpan(this.#marks.runs, run);
    if (runs.length > RUNS_MAX) this.markAll();
    else this.#marks = { ...this.#marks, runs };
  }

  /** Notes that everything may have changed, and that what was there may be gone. */
  markAll(): void {
    this.#marks = { runs: [], all: true, info: true };
    this.isBroken = false;
  }

  /** Notes that what describes it may have changed. */
  markInfo(): void {
    this.#marks = { ...this.#marks, info: true };
  }

  /** Takes the marks: what changes from now on is marked anew. */
  takeMarks(): Marks {
    const marks = this.#marks;
    this.#marks = NO_MARKS;
    return marks;
  }

  /** Puts marks back that the index was not told of. */
  putBack({ runs, all, info }: Marks): void {
    if (all) this.markAll();
    if (info) this.markInfo();
    for (const run of runs) this.markRun(run);
  }

  get hasMarks(): boolean {
    const { runs, all, info } = this.#marks;
    return all || info || runs.length > 0;
  }

  /** Nothing of it is in the index any more: it is loaded from the start. */
  forget(): void {
    this.told = undefined;
    this.cursor = undefined;
    this.isLoaded = false;
    this.isCut = false;
    this.top = 0;
    this.sent = 0;
    this.vectorsFrom = undefined;
  }

  /** Runs steps one after the other, so that what was read first is told first. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

const NO_MARKS: Marks = { runs: [], all: false, info: false };
