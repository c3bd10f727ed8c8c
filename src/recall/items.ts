// The table of the items of a shard: messages, documents and memories by number, each with its
// rows.
//
// An item never changes. One that is replaced or deleted is dead from then on, and its number and
// its rows are not used again until a compaction numbers everything anew.

import { Bits, bytesColumn, CountsColumn, doublesColumn, PlacesColumn } from "./columns.ts";

/** Importance counts as this where nothing was said. */
const IMPORTANCE_UNSAID = 0.5;
const SHORT_MAX = 65_535;
const ROLES = [0, 1, 2, 3, 4] as const;
/** An entry of a map of numbers, about. */
const ENTRY_BYTES = 40;

/** What is kept of an item. */
export interface ItemDraft {
  readonly container: number;
  readonly position: number;
  /** How many rows it gets, at least 1. */
  readonly passages: number;
  readonly words: number;
  /** What `itemFlags` says of it. */
  readonly flags: number;
  /** 0 for a document or a memory. */
  readonly role: number;
  readonly trust: number;
  readonly timeMs: number;
  /** Number of the author's name. */
  readonly author: number;
  readonly importance: number | undefined;
  /** What `idHash` makes of the id of a message; 0 for others. */
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
  private readonly importances = new Map<number, number>();

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
    const columns = [
      ...[this.container, this.position, this.firstRow, this.passages, this.words, this.flags],
      ...[this.kind, this.timeMs, this.author, this.idHash, this.itemOfRow, this.live],
      ...this.rowsOfRole,
    ];
    const all = columns.reduce((sum, { bytes }) => sum + bytes, 0);
    return all + this.importances.size * ENTRY_BYTES;
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
    if (draft.importance !== undefined) this.importances.set(item, draft.importance);
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
    this.importances.delete(item);
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
    return this.importances.get(item) ?? IMPORTANCE_UNSAID;
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
      importance: this.importances.get(item),
      idHash: this.idHash.at(item),
    };
  }
}
