// Wire forms of google.protobuf.Struct from plain values, for metadata in tests.

import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** A JSON value. */
export type Json =
  | null
  | number
  | string
  | boolean
  | readonly Json[]
  | { readonly [key: string]: Json };

function writeValue(value: Json, writer: BinaryWriter): void {
  if (value === null) writer.uint32(8).int32(0);
  else if (typeof value === "number") writer.uint32(17).double(value);
  else if (typeof value === "string") writer.uint32(26).string(value);
  else if (typeof value === "boolean") writer.uint32(32).bool(value);
  else if (Array.isArray(value)) {
    writer.uint32(50).fork();
    for (const item of value as readonly Json[]) {
      writer.uint32(10).fork();
      writeValue(item, writer);
      writer.join();
    }
    writer.join();
  } else {
    writer.uint32(42).fork();
    writeStruct(Object.entries(value), writer);
    writer.join();
  }
}

function writeStruct(entries: readonly (readonly [string, Json])[], writer: BinaryWriter): void {
  for (const [key, value] of entries) {
    writer.uint32(10).fork().uint32(10).string(key).uint32(18).fork();
    writeValue(value, writer);
    writer.join().join();
  }
}

/** The wire form of a Struct with these fields, in this order. */
export function struct(fields: Readonly<Record<string, Json>>): Buffer {
  return structOfEntries(Object.entries(fields));
}

/**
 * The wire form of a Struct from entries, which allow duplicate keys and keys such as `__proto__`.
 */
export function structOfEntries(entries: readonly (readonly [string, Json])[]): Buffer {
  const writer = new BinaryWriter();
  writeStruct(entries, writer);
  return Buffer.from(writer.finish());
}
