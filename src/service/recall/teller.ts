// Tells the index of one container: what it holds, piece by piece, and what has changed in it.
// Whoever calls holds the turn of the container.

import type { SeqRange } from "../../domain/window/types.ts";
import type { ContainerInfo, IndexChange } from "../../recall/port.ts";
import type { Container } from "./container.ts";
import {
  type ContainerFacts,
  type Piece,
  POSITION_MAX,
  readDown,
  readFacts,
  readUp,
  type Source,
} from "./source.ts";

/** Bytes of records that one piece takes from the store. */
const PIECE_BYTES = 65_536;
const PIECE_ITEMS = 64;
const PIECE_ITEMS_MAX = 256;
/** Messages of a session above which it is loaded from its start. */
const LONG_SESSION = 20_000;

/** The feed of the container. */
export interface TellerHost {
  readonly source: Source;
  /** Throws FeedClosed when the feed was given up. */
  checkOpen(): void;
  /** Sends changes; the promise is done when they are in, and never fails. */
  send(changes: readonly IndexChange[], container?: Container): Promise<void>;
  /** Has a container loaded. */
  queue(container: Container): void;
  /** Forgets a container that is gone from the store. */
  gone(container: Container): void;
  /** Notes that records of a container have no vectors yet. */
  lacksVectors(container: Container, position: number): void;
}

/** Tells the index of the containers of a feed. */
export class Teller {
  readonly #host: TellerHost;
  #pieceItems = PIECE_ITEMS;
  #sentBefore: Promise<void> = Promise.resolve();

  constructor(host: TellerHost) {
    this.#host = host;
  }

  /** Loads the next piece of a container. */
  async loadPiece(container: Container): Promise<void> {
    const { source } = this.#host;
    this.#host.checkOpen();
    if (container.isLoaded) return;
    const facts = await readFacts(source, container.ref);
    this.#host.checkOpen();
    if (facts === undefined) return this.#host.gone(container);
    const piece = await this.#nextPiece(container, facts);
    this.#host.checkOpen();
    const changes = [...infoChanges(container, facts)];
    if (piece.items.length > 0) changes.push(this.#itemsChange(container, piece));
    container.sent += piece.items.length;
    container.top = Math.max(container.top, piece.items.at(-1)?.position ?? 0);
    container.cursor = piece.next;
    if (piece.next === undefined) {
      container.isLoaded = true;
      container.mustLoad = false;
    }
    if (changes.length === 0) return;
    // Two pieces are under way at one time: one is read while the other is indexed.
    const before = this.#sentBefore;
    this.#sentBefore = this.#host.send(changes, container);
    await before;
  }

  /** Tells what is marked in a container. */
  async tell(container: Container): Promise<void> {
    this.#host.checkOpen();
    if (!container.hasMarks) return;
    const marks = container.takeMarks();
    try {
      const facts = await readFacts(this.#host.source, container.ref);
      this.#host.checkOpen();
      if (facts === undefined) return this.#host.gone(container);
      const changes: IndexChange[] = [];
      if (marks.all) changes.push(...this.#startAnew(container));
      changes.push(...infoChanges(container, facts));
      if (changes.length > 0) void this.#host.send(changes, container);
      for (const run of marks.runs) await this.#tellRun(container, run);
    } catch (error) {
      container.putBack(marks);
      throw error;
    }
  }

  /** From the newest down; what is long from its start, where the index only adds at the end. */
  async #nextPiece(container: Container, facts: ContainerFacts): Promise<Piece> {
    const { source } = this.#host;
    const { ref, cursor } = container;
    if (cursor === undefined) {
      container.isUpward = ref.kind !== "session" || facts.count > LONG_SESSION;
    }
    if (!container.isUpward) {
      return await readDown(source, ref.id, cursor ?? facts.last ?? 0, this.#pieceItems);
    }
    return await readUp(source, ref, { first: cursor ?? 1, last: POSITION_MAX }, this.#pieceItems);
  }

  #startAnew(container: Container): readonly IndexChange[] {
    const isTold = container.told !== undefined;
    container.forget();
    container.mustLoad = true;
    this.#host.queue(container);
    return isTold ? [{ kind: "drop-container", container: container.ref }] : [];
  }

  async #tellRun(container: Container, run: SeqRange): Promise<void> {
    let first: number | undefined = run.first;
    while (first !== undefined && first <= run.last) {
      const range = { first, last: run.last };
      const piece = await readUp(this.#host.source, container.ref, range, this.#pieceItems);
      this.#host.checkOpen();
      const sent = this.#host.send([this.#itemsChange(container, piece)], container);
      const added = piece.items.filter(({ position }) => position > container.top).length;
      container.sent += added;
      // Sessions say how many they hold; of a collection that is known from its listing only.
      if (container.ref.kind === "collection") container.count += added;
      container.top = Math.max(container.top, piece.items.at(-1)?.position ?? 0);
      first = piece.next;
      if (first !== undefined) await sent;
    }
  }

  #itemsChange(container: Container, { items, range }: Piece): IndexChange {
    this.#learn(items);
    const { model } = this.#host.source;
    if (!model.isLocal && model.id !== "") {
      const without = items.find((item) => item.vectors === undefined);
      if (without !== undefined) this.#host.lacksVectors(container, without.position);
    }
    const { ref } = container;
    const { first: firstPosition, last: lastPosition } = range;
    return { kind: "items", container: ref, firstPosition, lastPosition, items };
  }

  /** Makes the next piece as large as fits. */
  #learn(items: readonly { readonly bytes: Uint8Array }[]): void {
    if (items.length === 0) return;
    const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
    const fitting = Math.floor((PIECE_BYTES * items.length) / Math.max(1, bytes));
    this.#pieceItems = Math.max(1, Math.min(PIECE_ITEMS_MAX, fitting, this.#pieceItems * 4));
  }
}

/** What the index must hear of a container before its records. */
function infoChanges(container: Container, facts: ContainerFacts): readonly IndexChange[] {
  const { info, count, updateMs } = facts;
  if (container.ref.kind !== "collection") Object.assign(container, { count, updateMs });
  const told = signatureOf(info);
  if (container.told === told) return [];
  const isNew = container.told === undefined;
  container.told = told;
  const change = { kind: "container", container: info } as const;
  return isNew && container.wantsTfIdf ? [change, tfIdfChange(container)] : [change];
}

/** Has the documents of a collection kept for TF-IDF. */
export function tfIdfChange({ ref }: Container): IndexChange {
  return { kind: "want-tf-idf", container: ref };
}

/** What a container was told as, to see whether it has changed. */
function signatureOf({ userId, agentId, labels, expireMs }: ContainerInfo): string {
  return JSON.stringify([userId, agentId, [...labels], expireMs ?? null]);
}
