// The saved form of an index: a list of parts, which each table gives of itself and reads back in
// the same order. Parts become bytes in recall/saved.
//
// The parts are taken at once and written over time, while rows are still added. So a part is
// something that later rows do not change: a beginning of a column, a copy, texts up to a number.

/**
 * The number of the form. Raise it whenever the parts change, or what they hold of the same
 * records: files of another form are made anew.
 */
export const SAVED_FORM = 4;

/** Numbers of one width. */
export type SavedNumbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Texts in their order; read when they are written. */
export interface SavedTexts {
  readonly texts: Iterable<string>;
}

/** Bytes in memory that may move: each piece is read when it is written. */
export interface SavedPieces {
  readonly pieces: Iterable<Uint8Array>;
}

/** One part of a saved form. */
export type SavedPart = number | SavedNumbers | SavedTexts | SavedPieces;

/** Reads parts in the order in which they were given. Each throws when the next is another kind. */
export interface SavedReader {
  number(): Promise<number>;
  numbers(): Promise<SavedNumbers>;
  bytes(): Promise<Uint8Array>;
  shorts(): Promise<Uint16Array>;
  words(): Promise<Uint32Array<ArrayBuffer>>;
  doubles(): Promise<Float64Array>;
  texts(take: (text: string) => void): Promise<void>;
  /** The pieces are those that were given; each is good until the next. */
  pieces(take: (piece: Uint8Array) => void): Promise<void>;
}

/** The first texts of an iteration: what comes later is not part of the saved form. */
export function* firstTexts(texts: Iterable<string>, count: number): Generator<string> {
  let left = count;
  for (const text of texts) {
    if (left === 0) return;
    left -= 1;
    yield text;
  }
}
