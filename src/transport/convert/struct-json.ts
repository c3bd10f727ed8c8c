// Writes free-form data as compact JSON text, for counting its tokens. Reads the wire form
// directly: no object is built, so that no key can do harm. The bytes have passed checkStruct.

import { BinaryReader } from "@bufbuild/protobuf/wire";

function writeStruct(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  const entries: string[] = [];
  while (reader.pos < reader.len) {
    reader.uint32();
    entries.push(writeEntry(reader.bytes()));
  }
  return `{${entries.join(",")}}`;
}

function writeEntry(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let key = "";
  let value = "null";
  while (reader.pos < reader.len) {
    if (reader.uint32() >>> 3 === 1) key = reader.string();
    else value = writeValue(reader.bytes());
  }
  return `${JSON.stringify(key)}:${value}`;
}

function writeList(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  const values: string[] = [];
  while (reader.pos < reader.len) {
    reader.uint32();
    values.push(writeValue(reader.bytes()));
  }
  return `[${values.join(",")}]`;
}

function writeValue(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let text = "null";
  while (reader.pos < reader.len) {
    switch (reader.uint32() >>> 3) {
      case 1:
        reader.int32();
        text = "null";
        break;
      case 2:
        text = String(reader.double());
        break;
      case 3:
        text = JSON.stringify(reader.string());
        break;
      case 4:
        text = String(reader.bool());
        break;
      case 5:
        text = writeStruct(reader.bytes());
        break;
      default:
        text = writeList(reader.bytes());
    }
  }
  return text;
}

/** Gives the compact JSON text of a Struct, with its keys in the order they have. */
export function structToJson(bytes: Uint8Array): string {
  return writeStruct(bytes);
}
