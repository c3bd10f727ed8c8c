// The elements of a JSON list with their exact bytes: what came in goes out byte for byte.

import { isList, type Json, parseJson } from "../compat/common/json.ts";
import { requestInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";

/** An element of a list: its value, and its JSON text as it came. */
export interface Element {
  readonly value: Json;
  readonly text: string;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Refuses a request. Throws REQUEST_INVALID. */
export function refuse(field: string, description: string, limit?: number): never {
  throw requestInvalid([{ field, description }], limit);
}

/** Takes a JSON list of so many elements at least apart. Throws REQUEST_INVALID. */
export function elementsOf(bytes: Uint8Array, field: string, least: 0 | 1): readonly Element[] {
  const text = textOf(bytes, field);
  const value = parsed(text, field);
  if (!isList(value)) return refuse(field, "must be a JSON array");
  const { appendMessages: max } = LIMITS;
  if (value.length < least) return refuse(field, "must have 1 element at least", least);
  if (value.length > max) {
    return refuse(field, `has ${value.length} elements; at most ${max}`, max);
  }
  const texts = splitList(text);
  return value.map((one, index) => ({ value: one, text: texts[index] ?? "" }));
}

/** The value of a JSON text in UTF-8. Throws REQUEST_INVALID. */
export function elementOf(bytes: Uint8Array, field: string): Element {
  const text = textOf(bytes, field);
  return { value: parsed(text, field), text };
}

function textOf(bytes: Uint8Array, field: string): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return refuse(field, "is not UTF-8");
  }
}

function parsed(text: string, field: string): Json {
  const depth = depthOf(text);
  const { formDepth: max } = LIMITS;
  if (depth > max) return refuse(field, `is more than ${max} levels deep`, max);
  try {
    return parseJson(text);
  } catch {
    return refuse(field, "is not JSON");
  }
}

/** Depth of lists and objects in a text, whether it is JSON or not. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  walk(text, (code) => {
    if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  });
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Tells every character outside of strings. */
function walk(text: string, see: (code: number, at: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else see(code, at);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** The texts of the elements of a list, which is known to be JSON. */
function splitList(text: string): readonly string[] {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  walk(text, (code, at) => {
    if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) texts.push(text.slice(start, at).trim());
    } else if (code === COMMA && depth === 1) {
      texts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  });
  return texts;
}
