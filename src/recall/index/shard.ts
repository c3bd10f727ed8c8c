// The index of one namespace. It takes changes in; search.ts and its neighbors read it.
//
// Nothing is changed in place: a message that changes is a new item with new rows, and the old ones
// are dead. When too much is dead, a compaction numbers the rest anew.

import { ROLE } from "../../window/rules/types.ts";
import { LexicalIndex } from "../lexical/index.ts";
import { itemFlags, STATIC_BACKGROUND } from "../rank/relevance.ts";
import type { Background } from "../rank/types.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { TfIdfIndex } from "../rules/tf-idf.ts";
import { wordCount } from "../text/passages.ts";
import { indexTerms } from "../text/terms.ts";
import { VectorBlock } from "../vector/block.ts";
import { backgroundOf, type IndexParts, VectorSample } from "./background.ts";
import { Bits, Interner, idHash } from "./columns.ts";
import { Compaction } from "./compaction.ts";
import { type Container, ContainerTable, placeOf } from "./containers.ts";
import { DocumentScopes } from "./document-scopes.ts";
import { ItemTable, NAMES } from "./items.ts";
import { MemoryTable } from "./memories.ts";
import type {
  ContainerRef,
  IndexChange,
  IndexedRecord,
  IndexItem,
  IndexSize,
  LoadedContainer,
} from "./port.ts";
import { KINDS, passageTexts, readRecord } from "./record.ts";
import { GivenSpaces } from "./spaces.ts";
import { ValueTable } from "./values.ts";

/** The objects of an empty shard, about. */
const SHARD_BYTES = 8_000;
/** The least number of dead rows for a compaction. */
const DEAD_ROWS_MIN = 1_024;
/** A compaction costs as much as the whole shard, so a third of it must be dead. */
const LIVE_PER_DEAD = 2;
/** The most rows that are compacted at once: some tens of milliseconds. */
const AT_ONCE_MAX = 8_192;
/** Products of a scan that take as long as copying a posting. */
const PRODUCTS_PER_POSTING = 500;

/** One namespace. */
export class Shard {
  items = new ItemTable();
  values = new ValueTable();
  memories = new MemoryTable();
  documentScopes = new DocumentScopes();
  authors = new Interner();
  /** Items that have their vectors. */
  embedded = new Bits();
  readonly containers = new ContainerTable();
  readonly lexical: LexicalIndex;
  readonly vectors: VectorBlock | undefined;
  readonly spaces: GivenSpaces;
  readonly parts: IndexParts;
  /** The sample of an outside model's cosines; the background of the static one is known. */
  #sample: VectorSample | undefined;
  /** Counts up when an item dies or gets vectors later than its words. */
  changesInPlace = 0;
  #tfIdfBytes = 0;
  #compaction: Compaction | undefined;

  constructor(parts: IndexParts) {
    const { model, arena, scratch, hashKey } = parts;
    this.parts = parts;
    this.lexical = new LexicalIndex(scratch, hashKey);
    this.spaces = new GivenSpaces(arena);
    this.vectors = model.id === "" ? undefined : new VectorBlock(model.dimensions, { arena });
    this.#sample = model.id === "" || model.isLocal ? undefined : new VectorSample();
  }

  /** The tables in the order in which they are saved. */
  get #tables() {
    const { containers, items, values, memories, documentScopes, authors, embedded } = this;
    return [containers, items, values, memories, documentScopes, authors, embedded];
  }

  /** Bytes that the shard takes. */
  get bytes(): number {
    const rest =
      SHARD_BYTES + this.#tfIdfBytes + (this.#compaction?.bytes ?? 0) + (this.#sample?.bytes ?? 0);
    const own = this.#tables.reduce((sum, { bytes }) => sum + bytes, rest);
    return own + this.lexical.bytes() + (this.vectors?.bytes ?? 0) + this.spaces.bytes;
  }

  /** Size of the shard; the total is that of all shards. */
  size(totalBytes: number): IndexSize {
    const items = this.items.live.count;
    return {
      bytes: this.bytes,
      totalBytes,
      containers: this.containers.count,
      items,
      rows: this.items.liveRows,
      withoutVector: this.vectors === undefined ? 0 : items - this.embedded.count,
    };
  }

  /** Whether there are items or rows that are dead, whose texts are not gone yet. */
  get hasDead(): boolean {
    return this.items.live.count < this.items.count || this.lexical.deadCount > 0;
  }

  /**
   * The whole of the shard as it is now, without what is made anew from it: partitions, samples and
   * TF-IDF. Nothing may be dead. The parts are good while `changesInPlace` stays as it is; rows
   * may be added.
   */
  saved(): SavedPart[] {
    return [
      ...this.#tables.flatMap((table) => table.saved()),
      ...this.lexical.saved(),
      ...this.spaces.saved(),
      ...(this.vectors?.saved() ?? []),
    ];
  }

  /** Reads the whole of a shard into one that holds nothing yet. Release it when that fails. */
  async load(read: SavedReader): Promise<void> {
    for (const table of this.#tables) await table.load(read);
    await this.lexical.load(read);
    await this.spaces.load(read);
    await this.vectors?.load(read);
    this.containers.list(this.items);
    if (this.#sample !== undefined) this.#sampleAnew();
  }

  /** The containers with what the index holds of each. */
  loadedContainers(): LoadedContainer[] {
    const { position } = this.items;
    const isMadeElsewhere = this.vectors !== undefined && !this.parts.model.isLocal;
    return [...this.containers.all()].map((container) => {
      const { items } = container;
      return {
        container: this.containers.infoOf(container),
        count: items.length,
        top: position.at(items.at(-1) ?? this.items.count),
        lacksVectors: isMadeElsewhere && items.some((item) => !this.embedded.has(item)),
      };
    });
  }

  /** Takes a change in. Throws when the container of items is not known. */
  apply(change: IndexChange): void {
    switch (change.kind) {
      case "container":
        this.containers.put(change.container);
        return;
      case "drop-container":
        this.#drop(change.container);
        break;
      case "items":
        this.#replace(change);
        break;
      case "vectors":
        this.#addVectors(change);
        return;
      case "want-tf-idf": {
        const container = this.containers.find(change.container);
        if (container !== undefined) container.tfIdf ??= new TfIdfIndex();
        return;
      }
    }
    const { rowCount, liveRows } = this.items;
    const dead = rowCount - liveRows;
    if (dead < DEAD_ROWS_MIN || dead * LIVE_PER_DEAD < liveRows) return;
    if (rowCount <= AT_ONCE_MAX) this.compact();
    else this.beginCompaction();
  }

  /** The positions that a container holds, rising. */
  positions(ref: ContainerRef): number[] {
    const found = this.containers.find(ref)?.items ?? [];
    return found.map((item) => this.items.position.at(item));
  }

  /** The cosines of a query with texts at random; undefined when they say nothing. */
  backgroundOf(vector: Float32Array): Background | undefined {
    const { vectors, embedded } = this;
    const sample = this.#sample;
    if (sample === undefined) return STATIC_BACKGROUND;
    if (vectors === undefined) return undefined;
    if (sample.isTooCoarse(embedded.count)) this.#sampleAnew();
    const live = (this.#sample ?? sample)
      .items(embedded.count)
      .filter((item) => embedded.has(item));
    const rows = live.map((item) => this.items.firstRow.at(item));
    return backgroundOf(vectors, rows, vector);
  }

  /** Gives memory back that the collector has not, or would give back late. */
  release(): void {
    this.lexical.release();
    this.vectors?.release();
    this.spaces.release();
  }

  /**
   * Does a part of the work that makes searches fast and gives memory back.
   *
   * @param budget - About how many products of two numbers to do.
   * @returns Whether there is more to do.
   */
  step(budget: number): boolean {
    if (this.#compaction === undefined) return this.vectors?.step(budget) ?? false;
    if (!this.#compaction.step(budget / PRODUCTS_PER_POSTING)) this.compact();
    return true;
  }

  get isCompacting(): boolean {
    return this.#compaction !== undefined;
  }

  /** Begins to give items and rows new numbers, unless it is under way; `step` goes on with it. */
  beginCompaction(): void {
    this.#compaction ??= new Compaction(this);
  }

  /** Does all of a compaction, or what is left of it, at once. */
  compact(): void {
    const compaction = this.#compaction ?? new Compaction(this);
    this.#compaction = undefined;
    Object.assign(this, compaction.finish());
    if (this.#sample !== undefined) this.#sampleAnew();
  }

  #sampleAnew(): void {
    this.#sample = new VectorSample();
    for (let item = 0; item < this.items.count; item++) {
      if (this.embedded.has(item)) this.#noteVector(item);
    }
  }

  #noteVector(item: number): void {
    const container = this.containers.at(this.items.container.at(item));
    if (container !== undefined) this.#sample?.add(item, container, this.items.position.at(item));
  }

  #drop(ref: ContainerRef): void {
    const container = this.containers.find(ref);
    if (container === undefined) return;
    for (const item of container.items) this.#kill(item);
    this.changesInPlace += 1;
    this.#tfIdfBytes -= container.tfIdf?.bytes ?? 0;
    this.containers.remove(container);
  }

  #replace(change: IndexChange & { readonly kind: "items" }): void {
    const container = this.containers.find(change.container);
    if (container === undefined) throw new Error("items came for a container that is not known");
    const { position } = this.items;
    const start = placeOf(container.items, position, change.firstPosition);
    const end = placeOf(container.items, position, change.lastPosition + 1);
    this.#tfIdfBytes -= container.tfIdf?.bytes ?? 0;
    for (const item of container.items.slice(start, end)) {
      this.#kill(item);
      container.tfIdf?.remove(position.at(item));
    }
    const added = change.items.map((item) => this.#add(container, item));
    this.containers.splice(container, { start, end }, added);
    this.#tfIdfBytes += container.tfIdf?.bytes ?? 0;
  }

  #add(container: Container, source: IndexItem): number {
    const record = readRecord(this.parts.codec, KINDS[container.kind], source.bytes);
    const passages = passageTexts(record);
    const isAssistant = record.role === ROLE.assistant;
    const item = this.items.add({
      container: container.number,
      position: source.position,
      passages: passages.length,
      // Up to one passage the number makes no difference, so it need not be counted.
      words: passages.length === 1 ? 1 : wordCount(record.text),
      flags: itemFlags({ isAssistant, author: record.author, text: record.text }),
      role: record.role,
      trust: record.trust,
      timeMs: record.timeMs,
      author: this.authors.add(record.author),
      importance: record.importance,
      idHash: record.messageId === undefined ? 0 : idHash(record.messageId),
    });
    const first = this.items.firstRow.at(item);
    for (const [place, { words }] of passages.entries()) {
      this.lexical.add(first + place, words === "" ? [] : indexTerms(words));
    }
    if (this.lexical.divide()) this.changesInPlace += 1;
    const { embedText } = this.parts;
    const vectors = embedText ? passages.map(({ vector }) => embedText(vector)) : source.vectors;
    if (vectors !== undefined) this.#putVectors(item, vectors);
    if (source.given !== undefined) this.spaces.add(item, source.given);
    this.#addValues(item, record);
    if (record.memory !== undefined) this.memories.add(item, record.memory);
    if (record.scope !== undefined) this.documentScopes.add(item, record.scope);
    const content = source.given ? { vector: source.given.values } : { text: record.text };
    container.tfIdf?.put(source.position, content);
    return item;
  }

  #addValues(item: number, record: IndexedRecord): void {
    const { labels, metadata, documentId, sourceDocumentId } = record;
    for (const [key, value] of labels) this.values.add(NAMES.label(key), item, [value]);
    for (const [path, values] of metadata) this.values.add(NAMES.metadata(path), item, values);
    if (documentId !== "") this.values.add(NAMES.documentId, item, [documentId]);
    if (sourceDocumentId !== "") this.values.add(NAMES.sourceId, item, [sourceDocumentId]);
  }

  #addVectors(change: IndexChange & { readonly kind: "vectors" }): void {
    const found = this.containers.find(change.container)?.items ?? [];
    const item = found[placeOf(found, this.items.position, change.position)];
    if (item === undefined || this.items.position.at(item) !== change.position) return;
    this.changesInPlace += 1;
    this.#putVectors(item, change.vectors);
  }

  /** Passes over vectors that do not belong to the passages of today. */
  #putVectors(item: number, vectors: readonly Float32Array[]): void {
    const { vectors: block } = this;
    const isWhole = vectors.length === this.items.passages.at(item);
    if (block === undefined || !isWhole) return;
    if (!vectors.every(({ length }) => length === block.dimensions)) return;
    const first = this.items.firstRow.at(item);
    for (const [place, vector] of vectors.entries()) block.put(first + place, vector);
    if (!this.embedded.has(item)) this.#noteVector(item);
    this.embedded.set(item);
  }

  #kill(item: number): void {
    this.changesInPlace += 1;
    const first = this.items.firstRow.at(item);
    const rows = Array.from({ length: this.items.passages.at(item) }, (_, at) => first + at);
    this.lexical.remove(rows);
    for (const row of rows) this.vectors?.remove(row);
    this.spaces.remove(item);
    this.embedded.clear(item);
    this.memories.kill(item);
    this.items.kill(item);
  }
}
