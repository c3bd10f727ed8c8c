// Reads the wire form of metadata as filters look at it: flat, each path with its scalars. No
// object is built from the keys, so that none of them can do harm.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { LIMITS } from "../../domain/limits.ts";
import type { FlatMetadata, Scalar } from "../../domain/recall/filter.ts";

// The fields of Struct, of its entries, of Value and of ListValue by number, as in struct.proto.
const STRUCT_FIELDS = 1;
const ENTRY = { key: 1, value: 2 } as const;
const VALUE = { number: 2, text: 3, bool: 4, object: 5, list: 6 } as const;
const LIST_VALUES = 1;

const NOTHING: FlatMetadata = new Map();
const NO_SCALARS: readonly Scalar[] = [];

/** A piece of the bytes. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

/** What is being read, and what was found. */
interface Flattening {
  readonly reader: BinaryReader;
  readonly found: Map<string, readonly Scalar[]>;
}

function readSlice(reader: BinaryReader): Slice {
  const length = reader.uint32();
  const start = reader.pos;
  reader.pos += length;
  if (reader.pos > reader.len) throw new RangeError("Metadata ends in the middle of a field.");
  return { start, end: reader.pos };
}

/** Reads the entries of an object; of two with one key the last counts, as in any map. */
function readEntries(reader: BinaryReader, { start, end }: Slice): Map<string, Slice> {
  const entries = new Map<string, Slice>();
  reader.pos = start;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== STRUCT_FIELDS) {
      reader.skip(tag & 7);
      continue;
    }
    const entry = readSlice(reader);
    reader.pos = entry.start;
    let key = "";
    let value: Slice = { start: entry.end, end: entry.end };
    while (reader.pos < entry.end) {
      const inner = reader.uint32();
      if (inner >>> 3 === ENTRY.key) key = reader.string();
      else if (inner >>> 3 === ENTRY.value) value = readSlice(reader);
      else reader.skip(inner & 7);
    }
    entries.set(key, value);
  }
  return entries;
}

/** A value: a scalar, or where an object or a list is. */
type Read = { readonly scalar: Scalar } | { readonly object: Slice } | { readonly list: Slice };

function readValue(reader: BinaryReader, { start, end }: Slice): Read {
  let read: Read = { scalar: null };
  reader.pos = start;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case VALUE.number:
        read = { scalar: reader.double() };
        break;
      case VALUE.text:
        read = { scalar: reader.string() };
        break;
      case VALUE.bool:
        read = { scalar: reader.bool() };
        break;
      case VALUE.object:
        read = { object: readSlice(reader) };
        break;
      case VALUE.list:
        read = { list: readSlice(reader) };
        break;
      default:
        reader.skip(tag & 7);
        read = { scalar: null };
    }
  }
  return read;
}

function readList(reader: BinaryReader, { start, end }: Slice): readonly Scalar[] {
  const scalars: Scalar[] = [];
  let at = start;
  while (at < end) {
    reader.pos = at;
    const tag = reader.uint32();
    if (tag >>> 3 === LIST_VALUES) {
      const value = readSlice(reader);
      at = value.end;
      const read = readValue(reader, value);
      if ("scalar" in read) scalars.push(read.scalar);
    } else {
      reader.skip(tag & 7);
      at = reader.pos;
    }
  }
  return scalars;
}

function addValue(into: Flattening, path: string, slice: Slice): void {
  const { reader, found } = into;
  const read = readValue(reader, slice);
  if ("object" in read) {
    if (!found.has(path)) found.set(path, NO_SCALARS);
    addObject(into, `${path}.`, read.object);
    return;
  }
  // The path is taken by a longer key, which is the one that is meant.
  if (found.has(path)) return;
  found.set(path, "list" in read ? readList(reader, read.list) : [read.scalar]);
}

function addObject(into: Flattening, prefix: string, slice: Slice): void {
  const entries = [...readEntries(into.reader, slice)];
  // Two ways lead to one path only where a key holds a dot: the longest key comes first then.
  if (entries.some(([key]) => key.includes("."))) {
    entries.sort(([a], [b]) => b.length - a.length);
  }
  for (const [key, value] of entries) {
    const path = prefix + key;
    // Nobody can ask for a longer one, and paths may not outgrow what they name.
    if (path.length <= LIMITS.metadataPathBytes) addValue(into, path, value);
  }
}

/**
 * Gives the metadata of a record flat. A dot goes into an inner object; where a key holds a dot
 * itself, the longest key that fits is meant. A list gives its scalars; what is a list or an object
 * inside it is left out. An object, as a list without scalars, gives its path with none, because
 * there is a value. Paths that nobody can ask for are left out. Throws on damaged bytes.
 */
export function flattenMetadata(bytes: Uint8Array): FlatMetadata {
  if (bytes.length === 0) return NOTHING;
  const into: Flattening = { reader: new BinaryReader(bytes), found: new Map() };
  addObject(into, "", { start: 0, end: bytes.length });
  return into.found;
}
