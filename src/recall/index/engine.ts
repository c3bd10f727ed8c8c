// The whole index: a shard for each namespace. Everything here runs at once and in one thread.

import type { RecallKind } from "../rules/filter.ts";
import type { IndexParts } from "./background.ts";
import { searchByCosine, searchByTfIdf } from "./document-search.ts";
import type {
  ContainerRef,
  CosineQuery,
  IndexAnswer,
  IndexChange,
  IndexMethods,
  IndexQuery,
  IndexSize,
  TfIdfQuery,
} from "./port.ts";
import { passageTexts, readRecord } from "./record.ts";
import { type Answer, searchShard } from "./search.ts";
import { Shard } from "./shard.ts";

/** About how many products of numbers one step of background work does: a millisecond. */
const STEP_BUDGET = 10_000_000;

/** The shards of an index. */
export class RecallEngine implements IndexMethods {
  readonly #parts: IndexParts;
  readonly #shards = new Map<string, Shard>();
  readonly #sizes = new Map<string, number>();
  #shardBytes = 0;
  /** Searched for an unknown namespace. */
  readonly #empty: Shard;

  constructor(parts: IndexParts) {
    this.#parts = parts;
    this.#empty = new Shard(parts);
  }

  /** Bytes of all shards and of what they share. */
  get totalBytes(): number {
    const { arena, scratch } = this.#parts;
    return this.#shardBytes + arena.freeBytes + scratch.bytes();
  }

  /** Applies changes in their order. */
  apply(namespace: string, changes: readonly IndexChange[]): IndexSize {
    let shard = this.#shards.get(namespace);
    if (shard === undefined) {
      shard = new Shard(this.#parts);
      this.#shards.set(namespace, shard);
    }
    try {
      for (const change of changes) shard.apply(change);
    } finally {
      this.#measure(namespace, shard.bytes);
    }
    return shard.size(this.totalBytes);
  }

  search(namespace: string, query: IndexQuery): IndexAnswer {
    return this.#answer(namespace, (shard) => searchShard(shard, query));
  }

  searchCosine(namespace: string, query: CosineQuery): IndexAnswer {
    return this.#answer(namespace, (shard) => searchByCosine(shard, query));
  }

  searchTfIdf(namespace: string, query: TfIdfQuery): IndexAnswer {
    return this.#answer(namespace, (shard) => searchByTfIdf(shard, query));
  }

  positions(namespace: string, container: ContainerRef): readonly number[] {
    return this.#shards.get(namespace)?.positions(container) ?? [];
  }

  /** The texts of the passages of a record. */
  passages(kind: RecallKind, bytes: Uint8Array): readonly string[] {
    const record = readRecord(this.#parts.codec, kind, bytes);
    return passageTexts(record).map(({ vector }) => vector);
  }

  /** Vectors of texts by the local model. Throws when there is none. */
  embed(texts: readonly string[]): readonly Float32Array[] {
    const { embedText } = this.#parts;
    if (embedText === undefined) throw new Error("the index has no model of its own");
    return texts.map(embedText);
  }

  drop(namespace: string): void {
    this.#shards.get(namespace)?.release();
    this.#shards.delete(namespace);
    this.#measure(namespace, 0);
    this.#sizes.delete(namespace);
  }

  /**
   * Does about a millisecond of the work that makes later searches fast. Gives whether there is
   * more; nothing depends on it being done.
   */
  step(): boolean {
    for (const [namespace, shard] of this.#shards) {
      if (!shard.step(STEP_BUDGET)) continue;
      this.#measure(namespace, shard.bytes);
      return true;
    }
    return false;
  }

  #answer(namespace: string, search: (shard: Shard) => Answer): IndexAnswer {
    const shard = this.#shards.get(namespace) ?? this.#empty;
    return { ...search(shard), size: shard.size(this.totalBytes) };
  }

  #measure(namespace: string, bytes: number): void {
    this.#shardBytes += bytes - (this.#sizes.get(namespace) ?? 0);
    this.#sizes.set(namespace, bytes);
  }
}
