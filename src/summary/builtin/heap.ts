// A binary heap of numbered items, the largest value first. Equal values come in the order of their
// items, which keeps results deterministic.

/** An item with its value. */
export interface HeapItem {
  readonly value: number;
  readonly item: number;
}

/** Gives the item with the largest value first, and of equal ones the lowest. */
export class MaxHeap {
  readonly #items: HeapItem[] = [];

  /** The largest value; minus infinity when there is none. */
  best(): number {
    return this.#items[0]?.value ?? Number.NEGATIVE_INFINITY;
  }

  /** Adds an item. */
  push(value: number, item: number): void {
    const items = this.#items;
    const added = { value, item };
    let place = items.length;
    items.push(added);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent];
      if (above === undefined || !isBefore(added, above)) break;
      items[place] = above;
      place = parent;
    }
    items[place] = added;
  }

  /** Takes the best item out; undefined when there is none. */
  pop(): HeapItem | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const child = isBefore(items[left + 1], items[left]) ? left + 1 : left;
      const below = items[child];
      if (below === undefined || !isBefore(below, last)) break;
      items[place] = below;
      place = child;
    }
    items[place] = last;
    return top;
  }
}

function isBefore(a: HeapItem | undefined, b: HeapItem | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.value > b.value || (a.value === b.value && a.item < b.item);
}
