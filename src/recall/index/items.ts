// Conditions of a filter on labels, metadata and ids of items, in two forms: as a test of one
// item, and as a set of bits for all of them.

import type { MetadataCondition, RecallFilter, ValueTest } from "../rules/filter.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { Bits, bytesColumn, CountsColumn, doublesColumn, PlacesColumn } from "./columns.ts";
import type { ValueTable } from "./values.ts";

/** Names of columns of the value table: labels and metadata must not meet. */
export const NAMES = {
  label: (key: string): string => `l${key}`,
  metadata: (path: string): string => `m${path}`,
  documentId: "d",
  sourceId: "s",
} as const;

/** A condition on values: the names under which one must be found. */
interface ValueCondition {
  readonly names: readonly string[];
  readonly test: ValueTest;
  readonly negated: boolean;
}

/** A condition on an item. */
export type ItemCondition =
  | ValueCondition
  | { readonly of: "all" | "any" | "none"; readonly conditions: readonly ItemCondition[] };

/** The conditions of a filter; all of them must hold. */
export function conditionsOf(filter: RecallFilter): ItemCondition[] {
  const equal = (names: readonly string[], value: string): ItemCondition => {
    return { names, test: { kind: "one-of", values: [value] }, negated: false };
  };
  const { sourceDocumentId: source } = filter;
  return [
    ...[...filter.labels].map(([key, value]) => equal([NAMES.label(key)], value)),
    ...filter.metadata.map(metadataCondition),
    ...(source === "" ? [] : [equal([NAMES.documentId, NAMES.sourceId], source)]),
  ];
}

function metadataCondition(condition: MetadataCondition): ItemCondition {
  if ("of" in condition) {
    return { of: condition.of, conditions: condition.conditions.map(metadataCondition) };
  }
  const { test } = condition;
  const negated = test.kind === "exists" && !test.exists;
  const name = "path" in condition ? NAMES.metadata(condition.path) : NAMES.label(condition.label);
  return { names: [name], test, negated };
}

/** Makes the test of one item by a condition. */
export function itemTester(
  values: ValueTable,
  condition: ItemCondition,
): (item: number) => boolean {
  if ("of" in condition) {
    const testers = condition.conditions.map((one) => itemTester(values, one));
    if (condition.of === "all") return (item) => testers.every((fits) => fits(item));
    const isAny = condition.of === "any";
    return (item) => testers.some((fits) => fits(item)) === isAny;
  }
  const { names, test, negated } = condition;
  const testers = names.map((name) => values.tester(name, test));
  return (item) => testers.some((fits) => fits(item)) !== negated;
}

/**
 * Bits of the items below `count` for which all conditions hold, at least one. Bits behind `count`,
 * and those of dead items, are of no meaning.
 */
export function itemBits(
  values: ValueTable,
  conditions: readonly ItemCondition[],
  count: number,
): Uint32Array {
  return allOf(conditions.map((condition) => bitsOf(values, condition, count)));
}

function bitsOf(values: ValueTable, condition: ItemCondition, count: number): Uint32Array {
  if ("of" in condition) {
    const parts = condition.conditions.map((one) => bitsOf(values, one, count));
    if (condition.of === "all") return allOf(parts);
    const any = anyOf(parts);
    return condition.of === "any" ? any : inverted(any);
  }
  const words = new Uint32Array((count + 31) >>> 5);
  for (const name of condition.names) values.mark(name, condition.test, words);
  return condition.negated ? inverted(words) : words;
}

// Each of these overwrites the first set that it gets.

function allOf([first = new Uint32Array(0), ...rest]: readonly Uint32Array[]): Uint32Array {
  for (const words of rest) {
    for (let at = 0; at < first.length; at++) first[at] = (first[at] ?? 0) & (words[at] ?? 0);
  }
  return first;
}

function anyOf([first = new Uint32Array(0), ...rest]: readonly Uint32Array[]): Uint32Array {
  for (const words of rest) {
    for (let at = 0; at < first.length; at++) first[at] = (first[at] ?? 0) | (words[at] ?? 0);
  }
  return first;
}

function inverted(words: Uint32Array): Uint32Array {
  for (let at = 0; at < words.length; at++) words[at] = ~(words[at] ?? 0);
  return words;
}

// The table of the items of a shard: messages, documents and memories by number, each with its
// rows.
//
// An item never changes. One that is replaced or deleted is dead from then on, and its number and
// its rows are not used again until a compaction numbers everything anew.

/** Importance counts as this where nothing was said. */
const IMPORTANCE_UNSAID = 0.5;
const SHORT_MAX = 65_535;
const ROLES = [0, 1, 2, 3, 4] as const;
/** An entry of a map of numbers, about. */
const ENTRY_BYTES = 40;

/** The columns of an item. */
export interface ItemDraft {
  readonly container: number;
  readonly position: number;
  /** Number of rows that it gets, at least 1. */
  readonly passages: number;
  readonly words: number;
  /** From `itemFlags`. */
  readonly flags: number;
  /** 0 for a document or a memory. */
  readonly role: number;
  readonly trust: number;
  readonly timeMs: number;
  /** Number of the author's name. */
  readonly author: number;
  readonly importance: number | undefined;
  /** The `idHash` of the id of a message; 0 for others. */
  readonly idHash: number;
}

/** The items of a shard. Columns are public for loops and are written only here. */
export class ItemTable {
  readonly container = new CountsColumn();
  readonly position = new CountsColumn();
  readonly firstRow = new PlacesColumn();
  readonly passages = new CountsColumn();
  readonly words = new CountsColumn();
  readonly flags = new CountsColumn();
  /** The role in the low four bits, the trust above. */
  readonly kind = bytesColumn();
  readonly timeMs = doublesColumn();
  readonly author = new CountsColumn();
  readonly idHash = doublesColumn();
  /** The item of a row. */
  readonly itemOfRow = new PlacesColumn();
  /** Items that are not dead. */
  readonly live = new Bits();
  /** Rows of items that are not dead, by role. */
  readonly rowsOfRole = ROLES.map(() => new Bits());
  readonly #columns = [
    ...[this.container, this.position, this.passages, this.words, this.flags, this.author],
    ...[this.kind, this.timeMs, this.idHash, this.firstRow, this.itemOfRow, this.live],
    ...this.rowsOfRole,
  ];
  readonly #importances = new Map<number, number>();

  /** Items that were ever added, dead ones included. */
  get count(): number {
    return this.container.length;
  }

  /** Rows that were ever added, those of dead items included. */
  get rowCount(): number {
    return this.itemOfRow.length;
  }

  get liveRows(): number {
    return this.rowsOfRole.reduce((sum, { count }) => sum + count, 0);
  }

  get bytes(): number {
    const all = this.#columns.reduce((sum, { bytes }) => sum + bytes, 0);
    return all + this.#importances.size * ENTRY_BYTES;
  }

  /** Adds an item and gives its number. */
  add(draft: ItemDraft): number {
    const item = this.count;
    const firstRow = this.rowCount;
    const passages = Math.min(SHORT_MAX, draft.passages);
    this.container.push(draft.container);
    this.position.push(draft.position);
    this.firstRow.push(firstRow);
    this.passages.push(passages);
    this.words.push(Math.min(SHORT_MAX, draft.words));
    this.flags.push(draft.flags);
    this.kind.push(draft.role | (draft.trust << 4));
    this.timeMs.push(draft.timeMs);
    this.author.push(draft.author);
    this.idHash.push(draft.idHash);
    if (draft.importance !== undefined) this.#importances.set(item, draft.importance);
    this.live.set(item);
    const ofRole = this.rowsOfRole[draft.role];
    for (let row = firstRow; row < firstRow + passages; row++) {
      this.itemOfRow.push(item);
      ofRole?.set(row);
    }
    return item;
  }

  /** Makes an item dead. */
  kill(item: number): void {
    const ofRole = this.rowsOfRole[this.roleOf(item)];
    this.live.clear(item);
    for (let row = this.firstRow.at(item); row < this.endRow(item); row++) ofRole?.clear(row);
    this.#importances.delete(item);
  }

  /** The row behind the last one of an item. */
  endRow(item: number): number {
    return this.firstRow.at(item) + this.passages.at(item);
  }

  roleOf(item: number): number {
    return this.kind.at(item) & 15;
  }

  trustOf(item: number): number {
    return this.kind.at(item) >>> 4;
  }

  importanceOf(item: number): number {
    return this.#importances.get(item) ?? IMPORTANCE_UNSAID;
  }

  /** The items of now, none of which may be dead. */
  saved(): SavedPart[] {
    return [
      ...this.#columns.flatMap((one) => one.saved()),
      Float64Array.from(this.#importances.keys()),
      Float64Array.from(this.#importances.values()),
    ];
  }

  /** Reads items into a table that has none yet. */
  async load(read: SavedReader): Promise<void> {
    for (const one of this.#columns) await one.load(read);
    const said = await read.doubles();
    const importances = await read.doubles();
    for (const [at, item] of said.entries()) this.#importances.set(item, importances[at] ?? 0);
  }

  /** The draft that gives the same item in another table. */
  draftOf(item: number): ItemDraft {
    return {
      container: this.container.at(item),
      position: this.position.at(item),
      passages: this.passages.at(item),
      words: this.words.at(item),
      flags: this.flags.at(item),
      role: this.roleOf(item),
      trust: this.trustOf(item),
      timeMs: this.timeMs.at(item),
      author: this.author.at(item),
      importance: this.#importances.get(item),
      idHash: this.idHash.at(item),
    };
  }
}
