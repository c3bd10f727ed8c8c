// The state of one session, collection or scope beside the index: how far it is loaded, and what
// has changed since it was last sent.

import type { MemoryScope } from "../../memory/rules/memory.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { ContainerRef } from "../index/port.ts";
import { addSpan } from "../rules/row-filter.ts";

/** The most runs of changed positions; beyond that the container is loaded again. */
const RUNS_MAX = 256;

/** Changes that the index does not have yet. */
export interface Marks {
  /** Runs of positions, both ends included, apart from one another. */
  readonly runs: readonly SeqRange[];
  /** Everything may have changed, and what was there may be gone. */
  readonly all: boolean;
  /** The description of the container may have changed. */
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
  /** The description that was sent last; undefined when the index does not have it. */
  sentInfo: string | undefined;
  /** Position at which loading continues; undefined before its first step. */
  cursor: number | undefined;
  /** It is loaded from its start, not from its end. */
  isUpward = false;
  /** There is nothing left to load, or no room for it. */
  isLoaded = false;
  /** It waits to be loaded. */
  isQueued = false;
  /** Part of it is left out for lack of room. */
  isCut = false;
  /** It cannot be read, and is left out until it changes as a whole. */
  isBroken = false;
  /** Some of its records are damaged, and are left out. */
  isDamaged = false;
  /** It was written to since the server started, before there was a feed to mark. */
  mustLoad = false;
  /** Its documents are kept for TF-IDF too. */
  wantsTfIdf = false;
  /** The highest position given to the index. */
  top = 0;
  /** About how many records it has, and how many of them were given to the index. */
  count = 0;
  sent = 0;
  updateMs = 0;
  /** The owner of the memories in a scope; undefined until it is known. */
  scope: MemoryScope | undefined;
  /** Vectors are missing from here on; undefined when none are. */
  vectorsFrom: number | undefined;
  #marks: Marks = NO_MARKS;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ref: ContainerRef) {
    this.ref = ref;
    this.key = keyOf(ref);
  }

  /** Approximate number of its records that are not in the index. */
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

  /** Notes that its description may have changed. */
  markInfo(): void {
    this.#marks = { ...this.#marks, info: true };
  }

  /** Takes the marks; later changes are marked again. */
  takeMarks(): Marks {
    const marks = this.#marks;
    this.#marks = NO_MARKS;
    return marks;
  }

  /** Puts marks back that could not be sent. */
  putBack({ runs, all, info }: Marks): void {
    if (all) this.markAll();
    if (info) this.markInfo();
    for (const run of runs) this.markRun(run);
  }

  get hasMarks(): boolean {
    const { runs, all, info } = this.#marks;
    return all || info || runs.length > 0;
  }

  /** Resets the progress: the index has none of it any more. */
  forget(): void {
    this.sentInfo = undefined;
    this.cursor = undefined;
    this.isLoaded = false;
    this.isCut = false;
    this.isDamaged = false;
    this.top = 0;
    this.sent = 0;
    this.vectorsFrom = undefined;
  }

  /** Runs steps one after the other: records are sent in the order in which they are read. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

const NO_MARKS: Marks = { runs: [], all: false, info: false };
