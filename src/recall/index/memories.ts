// The table of the memories of a shard: the values that filters read, the messages that they
// come from, and the names in them. Few items are memories, so they are numbered by themselves.

import { seqOfMessageId } from "../../kit/ids.ts";
import { MEMORY_KINDS, type MemoryKind } from "../../memory/rules/memory.ts";
import type { FilterTimes, MemoryConditions } from "../rules/item-tests.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { nameKey } from "../text/name-keys.ts";
import {
  bytesColumn,
  CountsColumn,
  doublesColumn,
  Interner,
  idHash,
  lowerBound,
  wordsColumn,
} from "./columns.ts";
import type { IndexedMemory } from "./port.ts";

/** The bit of the kinds column that says that it is superseded. */
const SUPERSEDED = 16;
/** The three lists of the items of a name, without their entries. */
const LIST_BYTES = 260;
const LISTED_BYTES = 9;

/** A message that a memory names. */
export interface CitedMessage {
  readonly sessionId: string;
  /** The `idHash` of its id. */
  readonly hash: number;
  /** Position, if its id says so or it was found before. */
  readonly seq: number | undefined;
  /** Its place in the list of all that are named, for `noteSeq` and `noteMissing`. */
  readonly at: number;
  /** The state of its session in which it was missing; 0 when it was never searched. */
  readonly missingIn: number;
}

/** Marks an unknown place in the column of seqs. */
const UNKNOWN = -1;

/** The items that have a name and are not dead; each list rises. */
export interface NamedItems {
  readonly entities: number[];
  /** Relations with the name at an end. */
  readonly relations: number[];
  /** Memories about it. */
  readonly others: number[];
}

const NOT_NAMED: NamedItems = { entities: [], relations: [], others: [] };

/** The memories of a shard. Places rise with the items. */
export class MemoryTable {
  /** The item of each place. */
  readonly items = wordsColumn();
  readonly #kinds = bytesColumn();
  /** The kinds that there are; one that is gone counts until a compaction. */
  readonly #ofKind = new Set<MemoryKind>();
  readonly #category = new CountsColumn();
  readonly #confidence = doublesColumn();
  readonly #validFrom = doublesColumn();
  readonly #validTo = doublesColumn();
  readonly #expire = doublesColumn();
  /** The session of the source, and the end of its messages in the two lists. */
  readonly #session = new CountsColumn();
  readonly #citedEnd = new CountsColumn();
  readonly #hashes = doublesColumn();
  readonly #seqs = doublesColumn();
  /** The end of its names in the list: twice the number of the name, and 1 more for a topic. */
  readonly #namesEnd = new CountsColumn();
  readonly #names = wordsColumn();
  readonly #texts = new Interner();
  readonly #byName = new Map<number, NamedItems>();
  /** Places of what is superseded or is true or kept for a time only. */
  readonly #bounded = wordsColumn();
  readonly #columns = [
    ...[this.#texts, this.#kinds, this.items, this.#names, this.#bounded, this.#category],
    ...[this.#session, this.#citedEnd, this.#namesEnd, this.#confidence, this.#validFrom],
    ...[this.#validTo, this.#expire, this.#hashes],
  ];
  #listed = 0;
  /** Memories that are not dead. */
  count = 0;

  get bytes(): number {
    const lists = this.#byName.size * LIST_BYTES + this.#listed * LISTED_BYTES;
    return this.#columns.reduce((sum, { bytes }) => sum + bytes, this.#seqs.bytes + lists);
  }

  /** Adds a memory; items come with rising numbers. */
  add(item: number, memory: IndexedMemory): void {
    const { source, names, topics } = memory;
    this.items.push(item);
    this.#kinds.push(MEMORY_KINDS.indexOf(memory.kind) | (memory.isSuperseded ? SUPERSEDED : 0));
    this.#ofKind.add(memory.kind);
    this.#category.push(this.#texts.add(memory.category));
    this.#confidence.push(memory.confidence);
    this.#validFrom.push(memory.validFromMs ?? Number.NEGATIVE_INFINITY);
    this.#validTo.push(memory.validToMs ?? Number.POSITIVE_INFINITY);
    this.#expire.push(memory.expireMs ?? Number.POSITIVE_INFINITY);
    this.#noteBounds(this.items.length - 1);
    this.#session.push(this.#texts.add(source.sessionId));
    for (const id of source.sessionId === "" ? [] : source.messageIds) {
      this.#hashes.push(idHash(id));
      this.#seqs.push(seqOfMessageId(id) ?? UNKNOWN);
    }
    this.#citedEnd.push(this.#hashes.length);
    const keys = new Set<number>();
    for (const name of names) this.#addName(nameKey(name), keys, 0);
    for (const topic of topics) this.#addName(nameKey(topic), keys, 1);
    this.#namesEnd.push(this.#names.length);
    this.count += 1;
  }

  /** Notes that an item is dead, if it is a memory. */
  kill(item: number): void {
    const place = this.placeOf(item);
    if (place === undefined) return;
    this.count -= 1;
    for (const name of this.namesAt(place, true)) this.#dropName(name, item);
  }

  /** The place of an item; undefined when it is no memory. */
  placeOf(item: number): number | undefined {
    const { length } = this.items;
    // Nearly all shards hold none, and what is new is at the end.
    if (length === 0 || item > this.items.at(length - 1)) return undefined;
    const place = lowerBound(this.items, item);
    return this.items.at(place) === item ? place : undefined;
  }

  /** The places that may fail a filter; undefined when all may. */
  doubtful(
    filter: MemoryConditions,
  ): { readonly length: number; at(index: number): number } | undefined {
    const { memoryKinds, categories, minConfidence } = filter;
    const asksKinds =
      memoryKinds.size > 0 && [...this.#ofKind].some((kind) => !memoryKinds.has(kind));
    const asksMore = asksKinds || categories.size > 0 || minConfidence !== undefined;
    return asksMore ? undefined : this.#bounded;
  }

  /** Makes the test of places by what a filter says of memories: the same as memoryPasses. */
  tester(
    filter: MemoryConditions,
    { nowMs, referenceMs }: FilterTimes,
  ): (place: number) => boolean {
    const { validity, minConfidence = Number.NEGATIVE_INFINITY } = filter;
    const kinds = MEMORY_KINDS.map(
      (kind) => filter.memoryKinds.size === 0 || filter.memoryKinds.has(kind),
    );
    const named = [...filter.categories].flatMap((category) => this.#texts.find(category) ?? []);
    const categories = filter.categories.size === 0 ? undefined : new Set(named);
    const withPast = typeof validity !== "string" || validity === "any";
    const isTimed = typeof validity !== "string" || validity === "now";
    const atMs = typeof validity === "string" ? referenceMs : validity;
    return (place) => {
      const code = this.#kinds.at(place);
      if (this.#expire.at(place) <= nowMs) return false;
      if (code >= SUPERSEDED && !withPast) return false;
      if (kinds[code & (SUPERSEDED - 1)] !== true) return false;
      if (categories !== undefined && !categories.has(this.#category.at(place))) return false;
      if (this.#confidence.at(place) < minConfidence) return false;
      return !isTimed || (this.#validFrom.at(place) <= atMs && atMs < this.#validTo.at(place));
    };
  }

  confidenceAt(place: number): number {
    return this.#confidence.at(place);
  }

  kindAt(place: number): MemoryKind {
    return MEMORY_KINDS[this.#kinds.at(place) & (SUPERSEDED - 1)] ?? "fact";
  }

  /** The messages that a memory comes from. */
  citedAt(place: number): CitedMessage[] {
    const sessionId = this.#texts.textOf(this.#session.at(place));
    const cited: CitedMessage[] = [];
    const end = this.#citedEnd.at(place);
    for (let at = place === 0 ? 0 : this.#citedEnd.at(place - 1); at < end; at++) {
      const known = this.#seqs.at(at);
      const seq = known < 0 ? undefined : known;
      const missingIn = known < UNKNOWN ? UNKNOWN - known : 0;
      cited.push({ sessionId, hash: this.#hashes.at(at), seq, at, missingIn });
    }
    return cited;
  }

  /** Notes where a message is that a memory names. */
  noteSeq(at: number, seq: number): void {
    this.#seqs.data[at] = seq;
  }

  /** Notes in which state of its session, above 0, a message is not there. */
  noteMissing(at: number, state: number): void {
    this.#seqs.data[at] = UNKNOWN - state;
  }

  /** The number of a name or topic; undefined when no memory has it. */
  nameNumber(key: string): number | undefined {
    const number = this.#texts.find(key);
    return number !== undefined && this.#byName.has(number) ? number : undefined;
  }

  nameText(number: number): string {
    return this.#texts.textOf(number);
  }

  /** The items that have a name or topic. */
  itemsOf(name: number): NamedItems {
    return this.#byName.get(name) ?? NOT_NAMED;
  }

  /** The numbers of the names of a memory, or with `withTopics` of what it is about as well. */
  namesAt(place: number, withTopics: boolean): number[] {
    const found: number[] = [];
    const end = this.#namesEnd.at(place);
    for (let at = place === 0 ? 0 : this.#namesEnd.at(place - 1); at < end; at++) {
      const code = this.#names.at(at);
      if (withTopics || (code & 1) === 0) found.push(code >>> 1);
    }
    return found;
  }

  /** Whether there are names at all. */
  get hasNames(): boolean {
    return this.#byName.size > 0;
  }

  /** Whether a memory names messages. */
  get hasSources(): boolean {
    return this.#hashes.length > 0;
  }

  /** The memories of now, none of which may be dead. */
  saved(): SavedPart[] {
    // Searches note places in this column, and states that mean nothing to another table.
    const { data, length } = this.#seqs;
    const seqs = Float64Array.from(data.subarray(0, length), (seq) => Math.max(UNKNOWN, seq));
    return [...this.#columns.flatMap((one) => one.saved()), seqs];
  }

  /** Reads memories into a table that has none yet. */
  async load(read: SavedReader): Promise<void> {
    for (const one of [...this.#columns, this.#seqs]) await one.load(read);
    this.count = this.items.length;
    for (let place = 0; place < this.count; place++) {
      this.#ofKind.add(this.kindAt(place));
      const start = place === 0 ? 0 : this.#namesEnd.at(place - 1);
      for (let at = start; at < this.#namesEnd.at(place); at++) {
        const code = this.#names.at(at);
        this.#list(code >>> 1, place, (code & 1) === 1);
      }
    }
  }

  /** Gives the table of the items that have a new number, which rise as the old ones do. */
  remapped(newItem: (item: number) => number): MemoryTable {
    const table = new MemoryTable();
    for (let place = 0; place < this.items.length; place++) {
      const item = newItem(this.items.at(place));
      if (item >= 0) this.#copyTo(table, place, item);
    }
    return table;
  }

  #copyTo(table: MemoryTable, place: number, item: number): void {
    const texts = table.#texts;
    const textAt = (column: CountsColumn): number =>
      texts.add(this.#texts.textOf(column.at(place)));
    table.items.push(item);
    table.#kinds.push(this.#kinds.at(place));
    table.#ofKind.add(this.kindAt(place));
    table.#category.push(textAt(this.#category));
    table.#confidence.push(this.#confidence.at(place));
    table.#validFrom.push(this.#validFrom.at(place));
    table.#validTo.push(this.#validTo.at(place));
    table.#expire.push(this.#expire.at(place));
    table.#noteBounds(table.items.length - 1);
    table.#session.push(textAt(this.#session));
    for (const { hash, seq } of this.citedAt(place)) {
      table.#hashes.push(hash);
      table.#seqs.push(seq ?? UNKNOWN);
    }
    table.#citedEnd.push(table.#hashes.length);
    const topics = new Set<number>();
    const names = new Set(this.namesAt(place, false));
    for (const name of names) table.#addName(this.nameText(name), topics, 0);
    for (const name of this.namesAt(place, true)) {
      if (!names.has(name)) table.#addName(this.nameText(name), topics, 1);
    }
    table.#namesEnd.push(table.#names.length);
    table.count += 1;
  }

  #addName(key: string, known: Set<number>, bit: 0 | 1): void {
    if (key === "") return;
    const number = this.#texts.add(key);
    if (known.has(number)) return;
    known.add(number);
    this.#names.push(number * 2 + bit);
    this.#list(number, this.items.length - 1, bit === 1);
  }

  /** Lists the item of a place under one of its names. */
  #list(name: number, place: number, isTopic: boolean): void {
    const named = this.#byName.get(name) ?? { entities: [], relations: [], others: [] };
    this.#byName.set(name, named);
    const item = this.items.at(place);
    const kind = isTopic ? undefined : this.kindAt(place);
    if (kind === "entity") named.entities.push(item);
    else if (kind === "relation") named.relations.push(item);
    else named.others.push(item);
    this.#listed += 1;
  }

  /** Takes a dead item out of the lists of a name: hubs change often. */
  #dropName(name: number, item: number): void {
    const named = this.#byName.get(name);
    if (named === undefined) return;
    const { entities, relations, others } = named;
    for (const list of [entities, relations, others]) {
      const at = firstFrom(list, item);
      if (list[at] !== item) continue;
      list.splice(at, 1);
      this.#listed -= 1;
    }
    if (entities.length + relations.length + others.length === 0) this.#byName.delete(name);
  }

  #noteBounds(place: number): void {
    const isFree =
      this.#kinds.at(place) < SUPERSEDED &&
      this.#validFrom.at(place) === Number.NEGATIVE_INFINITY &&
      this.#validTo.at(place) === Number.POSITIVE_INFINITY &&
      this.#expire.at(place) === Number.POSITIVE_INFINITY;
    if (!isFree) this.#bounded.push(place);
  }
}

/** The first place in a rising list whose value is not below `value`. */
export function firstFrom(list: readonly number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
