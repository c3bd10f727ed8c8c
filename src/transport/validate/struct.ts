// Walks the wire form of a google.protobuf.Struct without building objects: the server keeps
// free-form data as the bytes it got. A Struct holds entries (1: key, 2: value); a value is one of
// null (1), number (2), text (3), bool (4), Struct (5), list (6); a list holds values (1).

import { isUtf8 } from "node:buffer";

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

/** What a field holds; undefined for one that the shape does not have. */
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
