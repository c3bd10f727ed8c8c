// Depth of a JSON text. The server parses nothing else of it and keeps the bytes as received.

import { isUtf8 } from "node:buffer";
import { BinaryReader } from "@bufbuild/protobuf/wire";

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Gives how many objects and arrays a JSON text has one within the other, at most; undefined for
 * bytes that are no JSON in UTF-8.
 */
export function jsonDepth(bytes: Uint8Array): number | undefined {
  try {
    const text = UTF_8.decode(bytes);
    JSON.parse(text);
    return depthOf(text);
  } catch {
    return undefined;
  }
}

/** The depth of a text that is JSON. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at);
        break;
      case "{":
      case "[":
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case "}":
      case "]":
        depth -= 1;
        break;
      default:
    }
  }
  return deepest;
}

/** End of the string that begins here. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at += 1;
    else if (json[at] === '"') return at;
  }
  return json.length;
}

// Walks the wire form of a google.protobuf.Struct without building objects: the server keeps
// free-form data as the bytes it got. A Struct holds entries (1: key, 2: value); a value is one of
// null (1), number (2), text (3), bool (4), Struct (5), list (6); a list holds values (1).

/** Bytes that are not a Struct. */
export const STRUCT_MALFORMED = -1;

// Deeper than every limit: the walk stops here and says so, so that it cannot be made to recurse.
const DEPTH_CUT = 64;

type Shape = "struct" | "entry" | "value" | "list";

let position = 0;

function readVarint(bytes: Uint8Array, end: number): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10; count++) {
    if (position >= end) return -1;
    const byte = bytes[position++] as number;
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte < 0x80) return value;
  }
  return -1;
}

/** Type of a field; undefined for one that the shape does not have. */
function contentOf(shape: Shape, tag: number): Shape | "text" | "varint" | "fixed64" | undefined {
  switch (shape) {
    case "struct":
      return tag === 10 ? "entry" : undefined;
    case "entry":
      if (tag === 10) return "text";
      return tag === 18 ? "value" : undefined;
    case "list":
      return tag === 10 ? "value" : undefined;
    case "value":
      break;
  }
  switch (tag) {
    case 8:
    case 32:
      return "varint";
    case 17:
      return "fixed64";
    case 26:
      return "text";
    case 42:
      return "struct";
    case 50:
      return "list";
    default:
      return undefined;
  }
}

function walk(bytes: Uint8Array, end: number, shape: Shape, depth: number): number {
  if (depth > DEPTH_CUT) {
    position = end;
    return depth;
  }
  let deepest = depth;
  while (position < end) {
    const content = contentOf(shape, readVarint(bytes, end));
    if (content === undefined) return STRUCT_MALFORMED;
    if (content === "varint") {
      if (readVarint(bytes, end) < 0) return STRUCT_MALFORMED;
      continue;
    }
    const length = content === "fixed64" ? 8 : readVarint(bytes, end);
    if (length < 0 || length > end - position) return STRUCT_MALFORMED;
    const stop = position + length;
    if (content === "text" && !isUtf8(bytes.subarray(position, stop))) return STRUCT_MALFORMED;
    if (content === "text" || content === "fixed64") {
      position = stop;
      continue;
    }
    const inner = content === "struct" || content === "list" ? depth + 1 : depth;
    const below = walk(bytes, stop, content, inner);
    if (below < 0) return STRUCT_MALFORMED;
    if (below > deepest) deepest = below;
  }
  return position === end ? deepest : STRUCT_MALFORMED;
}

/**
 * Measures how deep a Struct is: 1 for one without objects and lists inside. Gives STRUCT_MALFORMED
 * for bytes that are not a Struct or hold text that is not UTF-8.
 */
export function structDepth(bytes: Uint8Array): number {
  position = 0;
  return walk(bytes, bytes.length, "struct", 1);
}

// Writes free-form data as compact JSON text, for counting its tokens. Reads the wire form
// directly: no object is built, so that no key can do harm. The bytes have passed checkStruct.

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
