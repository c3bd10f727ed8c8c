// Messages between the index's thread and the others. Records and vectors travel in one buffer
// each, which is handed over and not copied; packing copies them once, since they lie in shared
// buffers.

import type { IndexCall, IndexChange, IndexItem, IndexModel } from "./port.ts";

/** The worker data of the thread. */
export interface ThreadSettings {
  readonly model: IndexModel;
}

/** A call as it travels: the changes of an `apply` are packed. */
export type SentCall =
  | Exclude<IndexCall, { readonly method: "apply" }>
  | { readonly method: "apply"; readonly args: readonly [string, PackedChanges] };

/** A call with its number. */
export interface IndexRequest {
  readonly id: number;
  readonly call: SentCall;
}

/** The answer to the call of this number. */
export type IndexResponse =
  | { readonly id: number; readonly result: unknown }
  /** The name of the error: its message could hold what a record says. */
  | { readonly id: number; readonly failed: string };

/** The vectors of an item, one behind the other in the shared buffer. */
interface PackedVectors {
  readonly item: number;
  readonly count: number;
  readonly dimensions: number;
}

type ItemsChange = IndexChange & { readonly kind: "items" };
type VectorsChange = IndexChange & { readonly kind: "vectors" };

type PackedChange =
  | Exclude<IndexChange, ItemsChange | VectorsChange>
  | (Omit<VectorsChange, "vectors"> & { readonly packed: PackedVectors })
  | (Omit<ItemsChange, "items"> & {
      readonly positions: readonly number[];
      readonly sizes: readonly number[];
      readonly vectors: readonly PackedVectors[];
      readonly given: readonly (PackedVectors & { readonly model: string })[];
    });

/** Changes as they travel. */
export interface PackedChanges {
  readonly changes: readonly PackedChange[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly numbers: Float32Array<ArrayBuffer>;
}

/** Packs changes into new buffers. */
export function packChanges(changes: readonly IndexChange[]): PackedChanges {
  const records: Uint8Array[] = [];
  const vectors: Float32Array[] = [];
  const add = (item: number, list: readonly Float32Array[]): PackedVectors => {
    vectors.push(...list);
    return { item, count: list.length, dimensions: list[0]?.length ?? 0 };
  };
  const packed = changes.map((change): PackedChange => {
    if (change.kind === "vectors") {
      const { vectors: own, ...rest } = change;
      return { ...rest, packed: add(0, own) };
    }
    if (change.kind !== "items") return change;
    const { items, ...rest } = change;
    records.push(...items.map(({ bytes }) => bytes));
    const withVectors = items.flatMap((item, at) =>
      item.vectors === undefined ? [] : [add(at, item.vectors)],
    );
    const given = items.flatMap((item, at) =>
      item.given === undefined
        ? []
        : [{ ...add(at, [item.given.values]), model: item.given.model }],
    );
    const positions = items.map(({ position }) => position);
    const sizes = items.map(({ bytes }) => bytes.length);
    return { ...rest, positions, sizes, vectors: withVectors, given };
  });
  return { changes: packed, ...joined(records, vectors) };
}

function joined(records: readonly Uint8Array[], vectors: readonly Float32Array[]) {
  const bytes = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  const numbers = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const record of records) {
    bytes.set(record, at);
    at += record.length;
  }
  at = 0;
  for (const vector of vectors) {
    numbers.set(vector, at);
    at += vector.length;
  }
  return { bytes, numbers };
}

/** Gives the changes that were packed; their records and vectors are parts of the buffers. */
export function unpackChanges({ changes, bytes, numbers }: PackedChanges): IndexChange[] {
  let byteAt = 0;
  let numberAt = 0;
  const take = ({ count, dimensions }: PackedVectors): Float32Array[] =>
    Array.from({ length: count }, () => {
      numberAt += dimensions;
      return numbers.subarray(numberAt - dimensions, numberAt);
    });
  return changes.map((change): IndexChange => {
    if (change.kind === "vectors") {
      const { packed, ...rest } = change;
      return { ...rest, vectors: take(packed) };
    }
    if (change.kind !== "items") return change;
    const { positions, sizes, vectors, given, ...rest } = change;
    const made = new Map(vectors.map((one) => [one.item, take(one)]));
    const own = new Map(given.map((one) => [one.item, { model: one.model, values: take(one)[0] }]));
    const items = positions.map((position, at): IndexItem => {
      byteAt += sizes[at] ?? 0;
      const record = bytes.subarray(byteAt - (sizes[at] ?? 0), byteAt);
      const passages = made.get(at);
      const values = own.get(at)?.values;
      return {
        position,
        bytes: record,
        ...(passages === undefined ? {} : { vectors: passages }),
        ...(values === undefined ? {} : { given: { model: own.get(at)?.model ?? "", values } }),
      };
    });
    return { ...rest, items };
  });
}

/** A piece of an `apply` is about so large that it takes five milliseconds. */
const PIECE_BYTES = 65_536;
/** The cost of a change beside its records and vectors. */
const CHANGE_BYTES = 256;
/** Numbers of vectors are only copied: they cost less than text. */
const BYTES_PER_NUMBER = 0.25;

/** Some changes, and about how much work they are, in bytes of text. */
interface Piece {
  readonly changes: readonly IndexChange[];
  readonly bytes: number;
}

/**
 * Cuts changes into pieces, so that what else is asked of the thread need not wait for all. An item
 * that is larger than a piece is a piece by itself. There is always one piece.
 */
export function piecesOf(changes: readonly IndexChange[]): Piece[] {
  const pieces: Piece[] = [];
  let current: IndexChange[] = [];
  let bytes = 0;
  const add = (change: IndexChange, cost: number): void => {
    if (bytes + cost > PIECE_BYTES && current.length > 0) {
      pieces.push({ changes: current, bytes });
      current = [];
      bytes = 0;
    }
    current.push(change);
    bytes += cost;
  };
  for (const change of changes) {
    for (const part of change.kind === "items" ? partsOf(change) : [change]) {
      add(part, costOf(part));
    }
  }
  return [...pieces, { changes: current, bytes }];
}

/** Cuts what a container holds in a range into ranges that follow one another. */
function partsOf(change: ItemsChange): ItemsChange[] {
  const parts: ItemsChange[] = [];
  let { firstPosition } = change;
  let items: IndexItem[] = [];
  let cost = 0;
  for (const item of change.items) {
    const own = itemCost(item);
    if (items.length > 0 && cost + own > PIECE_BYTES) {
      const lastPosition = item.position - 1;
      parts.push({ ...change, firstPosition, lastPosition, items });
      firstPosition = item.position;
      items = [];
      cost = 0;
    }
    items.push(item);
    cost += own;
  }
  return [...parts, { ...change, firstPosition, items }];
}

function costOf(change: IndexChange): number {
  if (change.kind === "items") {
    return change.items.reduce((sum, item) => sum + itemCost(item), CHANGE_BYTES);
  }
  return CHANGE_BYTES + (change.kind === "vectors" ? vectorCost(change.vectors) : 0);
}

function itemCost({ bytes, vectors, given }: IndexItem): number {
  return CHANGE_BYTES + bytes.length + vectorCost([...(vectors ?? []), ...givenValues(given)]);
}

function givenValues(given: IndexItem["given"]): readonly Float32Array[] {
  return given === undefined ? [] : [given.values];
}

function vectorCost(vectors: readonly Float32Array[]): number {
  return vectors.reduce((sum, { length }) => sum + length * BYTES_PER_NUMBER, 0);
}
