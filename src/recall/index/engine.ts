// The whole index: a shard for each namespace. Everything here runs in one thread and, but for
// saving and loading, at once.

import { setImmediate, setTimeout } from "node:timers/promises";
import type { RecallKind } from "../rules/filter.ts";
import { readParts, writeParts } from "../saved/file.ts";
import type { IndexParts } from "./background.ts";
import { countShard } from "./count.ts";
import { searchByCosine, searchByTfIdf } from "./document-search.ts";
import type {
  ContainerRef,
  CosineQuery,
  CountQuery,
  IndexAnswer,
  IndexChange,
  IndexMethods,
  IndexQuery,
  IndexSize,
  ItemCounts,
  LoadedContainer,
  SaveOrder,
  SaveOutcome,
  TfIdfQuery,
} from "./port.ts";
import { passageTexts, readRecord } from "./record.ts";
import { type Answer, searchShard } from "./search.ts";
import { Shard } from "./shard.ts";

/** About how many products of numbers one step of background work does: a millisecond. */
const STEP_BUDGET = 10_000_000;

/** A write that is not urgent rests so long after every 4 MiB. */
const REST_MS = 25;

/** The shard is no longer what was to be saved. */
class ShardChanged extends Error {}

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

  count(namespace: string, query: CountQuery): ItemCounts {
    return countShard(this.#shards.get(namespace) ?? this.#empty, query);
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

  async save(namespace: string, { path, header, isUrgent }: SaveOrder): Promise<SaveOutcome> {
    const shard = this.#shards.get(namespace);
    if (shard === undefined) return { kind: "changed" };
    // The texts of what is dead must not get into a file. The header says nothing of changes that
    // come while it is taken out.
    if (shard.hasDead) {
      await this.#compact(shard);
      return { kind: "changed" };
    }
    const { changesInPlace } = shard;
    const check = (): void => {
      const isSame = shard.changesInPlace === changesInPlace;
      if (!isSame || this.#shards.get(namespace) !== shard) throw new ShardChanged();
    };
    try {
      const rest = isUrgent ? {} : { rest: () => setTimeout(REST_MS) };
      const bytes = await writeParts(path, shard.saved(), { header, check, ...rest });
      return { kind: "saved", bytes };
    } catch (error) {
      if (error instanceof ShardChanged) return { kind: "changed" };
      const { code } = error as NodeJS.ErrnoException;
      return { kind: "failed", code: code ?? (error instanceof Error ? error.name : "unknown") };
    }
  }

  async load(namespace: string, path: string): Promise<readonly LoadedContainer[] | undefined> {
    const shard = new Shard(this.#parts);
    try {
      await readParts(path, (read) => shard.load(read));
    } catch {
      shard.release();
      return undefined;
    }
    if (this.#shards.has(namespace)) throw new Error("changes came while an index was loaded");
    this.#shards.set(namespace, shard);
    this.#measure(namespace, shard.bytes);
    return shard.loadedContainers();
  }

  /** Takes what is dead out of a shard, in slices. */
  async #compact(shard: Shard): Promise<void> {
    shard.beginCompaction();
    while (shard.isCompacting) {
      shard.step(STEP_BUDGET);
      await setImmediate();
    }
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
