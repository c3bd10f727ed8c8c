// Makes the vectors of passages when that is not done inside the index: in the background, in
// batches, and kept in the store, so that each is paid for once. A model that is new finds no
// vectors of its own, so everything is made anew while recall goes on.

import { HookFailure } from "../hooks/port.ts";
import { pause } from "../kit/world.ts";
import type { NewVectors } from "../store/store.ts";
import type { Container } from "./feed/container.ts";
import type { EmbedCall, Embedder } from "./feed/embedder.ts";
import type { NamespaceFeed } from "./feed/feed.ts";
import { FeedClosed, isIndexStopped, isStopping } from "./feed/feed-errors.ts";
import { POSITION_MAX, placeOf, readUp } from "./feed/source.ts";
import type { IndexItem } from "./index/port.ts";
import { KINDS } from "./index/record.ts";
import type { RecallParts } from "./parts.ts";
import { passagesOf } from "./read-hits.ts";

/** Records that one step reads. */
const READ = 64;
/** The most texts of one step; a record with more has a step of its own. */
const TEXTS_MAX = 256;
/** Time for which a burst of changes is gathered. */
const GATHER_MS = 50;
/** The pause after a failure, and the longest after many. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

/** Failures that a single text of a batch may cause. */
const REFUSALS: ReadonlySet<string> = new Set(["refused", "invalid-output", "output-too-long"]);
/** A text that every working embedder accepts. */
const PROBE = "memory";

/** A record with the texts of its passages. */
interface Job {
  readonly item: IndexItem;
  readonly texts: readonly string[];
}

/** Makes vectors until stopped. */
export class VectorMaker {
  readonly #parts: RecallParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #isAsked = false;
  #failures = 0;
  /** Until when each namespace rests whose workers failed. */
  readonly #resting = new Map<NamespaceFeed, number>();

  constructor(parts: RecallParts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    const { model } = parts.embedder;
    if (model.isLocal || model.id === "") return;
    parts.keeper.onVectorsMissing = () => this.#wake();
    parts.embedder.onBack(() => this.#wake());
  }

  /** Ends the call under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  #wake(): void {
    this.#isAsked = true;
    if (this.#working !== undefined || this.#stop.signal.aborted) return;
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    const { world } = this.#parts.context;
    const { signal } = this.#stop;
    await pause(world, GATHER_MS, signal);
    while (!signal.aborted) {
      const next = this.#next();
      if (next === undefined) {
        if (this.#resting.size > 0) {
          if (this.#isResting()) await pause(world, RETRY_MS, signal);
          continue;
        }
        if (!this.#isAsked) return;
        this.#isAsked = false;
        continue;
      }
      try {
        await this.#step(next.feed, next.container);
        this.#failures = 0;
      } catch (error) {
        if (error instanceof FeedClosed || isIndexStopped(error)) continue;
        if (isStopping(error) || signal.aborted) return;
        if (!(error instanceof HookFailure)) this.#onError(error);
        const ms = this.#retryMs(error);
        // Workers belong to one namespace: their failure must not stop the others.
        if (this.#parts.embedder.hasWorkers) this.#resting.set(next.feed, world.nowMs() + ms);
        else await pause(world, ms, signal);
      }
    }
  }

  /** Whether a namespace with missing vectors rests. */
  #isResting(): boolean {
    const nowMs = this.#parts.context.world.nowMs();
    for (const [feed, untilMs] of this.#resting) {
      const isOver = untilMs <= nowMs || feed.isClosed || feed.withoutVectors.size === 0;
      if (isOver || this.#parts.embedder.isAway(feed.namespace)) this.#resting.delete(feed);
    }
    return this.#resting.size > 0;
  }

  #retryMs(error: unknown): number {
    const asked = error instanceof HookFailure ? (error.retryDelayMs ?? 0) : 0;
    const ms = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#failures);
    this.#failures = Math.min(16, this.#failures + 1);
    return Math.max(asked, ms);
  }

  /** The next container with records that have no vectors, of the namespace that was used last. */
  #next(): { feed: NamespaceFeed; container: Container } | undefined {
    let next: NamespaceFeed | undefined;
    const nowMs = this.#parts.context.world.nowMs();
    for (const feed of this.#parts.keeper.feeds.values()) {
      if (feed.withoutVectors.size === 0) continue;
      if (this.#parts.embedder.isAway(feed.namespace)) continue;
      if ((this.#resting.get(feed) ?? 0) > nowMs) continue;
      if (next === undefined || feed.lastUse > next.lastUse) next = feed;
    }
    for (const container of next?.withoutVectors ?? []) {
      if (next !== undefined) return { feed: next, container };
    }
    return undefined;
  }

  /** Makes the vectors of the next records of a container. */
  async #step(feed: NamespaceFeed, container: Container): Promise<void> {
    await this.#parts.keeper.pace.turn(false);
    const first = container.vectorsFrom;
    if (first === undefined || container.sentInfo === undefined) {
      feed.withoutVectors.delete(container);
      return;
    }
    // Reset before the first wait, so later changes are noted again.
    container.vectorsFrom = undefined;
    feed.withoutVectors.delete(container);
    const goOnAt = (position: number): void => {
      container.vectorsFrom = Math.min(position, container.vectorsFrom ?? POSITION_MAX);
      if (container.sentInfo !== undefined) feed.withoutVectors.add(container);
    };
    try {
      const range = { first, last: POSITION_MAX };
      const piece = await readUp(feed.source, container.ref, range, READ);
      const lacking = piece.items.filter(({ vectors }) => vectors === undefined);
      const { jobs, after } = await this.#jobsOf(container, lacking);
      await this.#make(feed, container, jobs);
      const next = after ?? piece.next;
      if (next !== undefined) goOnAt(next);
    } catch (error) {
      goOnAt(first);
      throw error;
    }
  }

  /** The first records whose texts go into one step, and where the next step starts. */
  async #jobsOf(
    { ref }: Container,
    items: readonly IndexItem[],
  ): Promise<{ jobs: readonly Job[]; after: number | undefined }> {
    const { keeper } = this.#parts;
    const jobs: Job[] = [];
    let count = 0;
    for (const item of items) {
      const { bytes } = item;
      const texts = await passagesOf(this.#parts, KINDS[ref.kind], bytes);
      if (jobs.length > 0 && count + texts.length > TEXTS_MAX) {
        return { jobs, after: item.position };
      }
      count += texts.length;
      jobs.push({ item, texts });
      await keeper.pace.turn(false);
    }
    return { jobs, after: undefined };
  }

  async #make(feed: NamespaceFeed, container: Container, jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    const { embedder, context } = this.#parts;
    const vectors = await this.#embedAll(
      feed.namespace,
      jobs.flatMap(({ texts }) => texts),
    );
    const { id: model } = embedder.model;
    let at = 0;
    const made = jobs.map(({ item, texts }) => {
      const own = vectors.slice(at, at + texts.length);
      at += texts.length;
      return { item, vectors: own };
    });
    const saved = made.map(
      ({ item, vectors: own }): NewVectors => ({
        place: placeOf(feed.namespace, container.ref, item.position),
        bytes: this.#madeFrom(container, item),
        record: { model, vectors: own },
      }),
    );
    await context.store.saveVectors(saved);
    // A record that changed meanwhile is marked, and is sent again without these vectors.
    await container.inTurn(async () => {
      const changes = made.map(({ item, vectors: own }) => ({
        kind: "vectors" as const,
        container: container.ref,
        position: item.position,
        vectors: own,
      }));
      await feed.send(changes);
    });
  }

  /** The bytes that vectors are made from: of a memory its text, since its strength changes. */
  #madeFrom({ ref }: Container, { bytes }: IndexItem): Uint8Array {
    if (ref.kind !== "scope") return bytes;
    return Buffer.from(this.#parts.codec.readMemory(bytes).text);
  }

  async #embedAll(namespace: string, texts: readonly string[]): Promise<readonly Float32Array[]> {
    const { embedder } = this.#parts;
    const call = { namespace, signal: this.#stop.signal };
    return await embedder.inBatches(texts, (batch) => embedKnown(embedder, call, batch));
  }
}

/**
 * Embeds a batch. A text that the embedder refuses gets a vector of zeros, and the other texts get
 * their own. A vector is final, so a text counts as refused only when the embedder works before and
 * after the refusal: an embedder that refuses everything, for lack of a key perhaps, says nothing
 * about the text.
 */
async function embedKnown(
  embedder: Embedder,
  call: EmbedCall,
  texts: readonly string[],
  workedBefore = false,
): Promise<readonly Float32Array[]> {
  try {
    return await embedder.embedPassages(call, texts);
  } catch (error) {
    if (!(error instanceof HookFailure) || !REFUSALS.has(error.reason)) throw error;
  }
  await embedder.embedPassages(call, [PROBE]);
  if (!workedBefore) return await embedKnown(embedder, call, texts, true);
  if (texts.length === 1) return [new Float32Array(embedder.model.dimensions)];
  const half = Math.ceil(texts.length / 2);
  const first = await embedKnown(embedder, call, texts.slice(0, half), true);
  return [...first, ...(await embedKnown(embedder, call, texts.slice(half), true))];
}
