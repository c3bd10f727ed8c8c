// Reads a few fields of a message straight from its bytes: a table says which, and the rest is
// skipped. The generated code would make objects of everything.

import type { BinaryReader } from "@bufbuild/protobuf/wire";

/** Reads a field. Gets what was read of it before, and all that was read of its message. */
export type ReadField<V, T = unknown> = (reader: BinaryReader, before: V, into: T) => V;

/** A field by its number: the property that it goes to, and how it is read. */
type Field<T> = {
  [K in keyof T]: readonly [no: number, to: K, read: ReadField<T[K], T>];
}[keyof T];

/** The wanted fields of a message by number. */
export type FieldTable<T> = readonly (Field<T> | undefined)[];

/** Declares the wanted fields of a message. */
export function fieldTable<T>(...fields: readonly Field<T>[]): FieldTable<T> {
  const table: (Field<T> | undefined)[] = [];
  for (const field of fields) table[field[0]] = field;
  return table;
}

/** Reads the wanted fields up to `end` into an object. */
export function readFields<T>(
  reader: BinaryReader,
  table: FieldTable<T>,
  into: T,
  end = reader.len,
): T {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = table[tag >>> 3];
    if (field === undefined) {
      reader.skip(tag & 7);
      continue;
    }
    const to = field[1];
    into[to] = field[2](reader, into[to], into);
  }
  return into;
}

/** Reads the wanted fields of a message in a field; the reader stands before its length. */
export function readMessageField<T>(reader: BinaryReader, table: FieldTable<T>, into: T): T {
  const end = reader.uint32() + reader.pos;
  return readFields(reader, table, into, end);
}

export const aText = (reader: BinaryReader): string => reader.string();
export const aDouble = (reader: BinaryReader): number => reader.double();
export const anInt32 = (reader: BinaryReader): number => reader.int32();
export const anInt64 = (reader: BinaryReader): number => Number(reader.int64());
