// Slots of the vectors of rows. As long as vectors come with rising rows and none is
// left out, row and slot are the same number and nothing is kept; the first row out of turn makes
// tables of both directions.

/** No slot, or no row. */
const NONE = 0xffff_ffff;

/** The slots of a block's rows. */
export class Slots {
  /** Slots that have been given out, those that are free again among them. */
  count = 0;
  #tables: { slotOfRow: Uint32Array; rowOfSlot: Uint32Array } | undefined = undefined;
  #free: number[] = [];

  /** Bytes that the tables take. */
  get bytes(): number {
    const tables = this.#tables;
    if (tables === undefined) return 0;
    return tables.slotOfRow.byteLength + tables.rowOfSlot.byteLength + this.#free.length * 8;
  }

  /** Whether a row that comes now would get the slot of its own number, behind all others. */
  isNext(row: number): boolean {
    return this.#tables === undefined && row === this.count;
  }

  /** Gives the slot of a row, or -1. Without tables, it may be one that is free again. */
  slotOf(row: number): number {
    const tables = this.#tables;
    if (tables === undefined) return row < this.count ? row : -1;
    const slot = tables.slotOfRow[row] ?? NONE;
    return slot === NONE ? -1 : slot;
  }

  /** Gives the row that a slot was given to last. */
  rowOf(slot: number): number {
    return this.#tables === undefined ? slot : (this.#tables.rowOfSlot[slot] ?? NONE);
  }

  /** Gives the slot that `take` would give to a row. */
  slotFor(row: number): number {
    const slot = this.slotOf(row);
    if (slot >= 0) return slot;
    return this.#tables === undefined ? this.count : (this.#free.at(-1) ?? this.count);
  }

  /** Gives a row its slot; `inUse` tells which slots are not free. */
  take(row: number, inUse: (slot: number) => boolean): number {
    const known = this.slotOf(row);
    if (known >= 0) return known;
    if (this.isNext(row)) return this.count++;
    const tables = this.#makeTables(inUse);
    const slot = this.#free.pop() ?? this.count++;
    tables.slotOfRow = grown(tables.slotOfRow, row + 1);
    tables.rowOfSlot = grown(tables.rowOfSlot, this.count);
    tables.slotOfRow[row] = slot;
    tables.rowOfSlot[slot] = row;
    return slot;
  }

  /** Frees the slot of a row. Without tables it stays the row's own. */
  drop(row: number): void {
    const tables = this.#tables;
    const slot = tables?.slotOfRow[row] ?? NONE;
    if (tables === undefined || slot === NONE) return;
    tables.slotOfRow[row] = NONE;
    this.#free.push(slot);
  }

  /** Forgets everything and takes over new rows, in the order of their slots. */
  reset(rows: Uint32Array): void {
    this.count = rows.length;
    this.#free = [];
    this.#tables = undefined;
    if (rows.every((row, slot) => row === slot)) return;
    const end = rows.reduce((most, row) => Math.max(most, row), 0) + 1;
    const slotOfRow = new Uint32Array(end).fill(NONE);
    rows.forEach((row, slot) => {
      slotOfRow[row] = slot;
    });
    this.#tables = { slotOfRow, rowOfSlot: rows };
  }

  #makeTables(inUse: (slot: number) => boolean): {
    slotOfRow: Uint32Array;
    rowOfSlot: Uint32Array;
  } {
    if (this.#tables !== undefined) return this.#tables;
    const slotOfRow = new Uint32Array(this.count).fill(NONE);
    const rowOfSlot = Uint32Array.from(slotOfRow, (_, slot) => slot);
    for (let slot = this.count - 1; slot >= 0; slot--) {
      if (inUse(slot)) slotOfRow[slot] = slot;
      else this.#free.push(slot);
    }
    this.#tables = { slotOfRow, rowOfSlot };
    return this.#tables;
  }
}

/** Gives the table itself, or a larger copy with room for `length` entries. */
function grown(table: Uint32Array, length: number): Uint32Array {
  if (length <= table.length) return table;
  const larger = new Uint32Array(Math.max(length, Math.ceil(table.length * 1.25), 16)).fill(NONE);
  larger.set(table);
  return larger;
}
