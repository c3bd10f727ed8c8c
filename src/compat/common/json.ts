// JSON values as documents hold them, and the checks that every format shares. Faults are told with
// the path in the document.
//
// A document comes out with the numbers that went in, and Python tells 1.0 from 1 and has integers
// of any length. So a number that a double would write differently stays a raw one.

import { snapshotInvalid, windowFull } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";

declare global {
  // The types of TypeScript do not know these yet.
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): boolean;
  }
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A place in a document: a value and its path. */
export interface At {
  readonly value: Json | undefined;
  readonly path: string;
}

/** Refuses a document. Throws SNAPSHOT_INVALID. */
export function fault(path: string, description: string): never {
  throw snapshotInvalid([{ field: path === "" ? "document" : path, description }]);
}

/** The value in a JSON text, with raw numbers. Throws a SyntaxError. */
export function parseJson(text: string): Json {
  return JSON.parse(text, keepNumber as Parameters<typeof JSON.parse>[1]) as Json;
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return JSON.rawJSON(source);
}

/** A number as a double: raw ones are rounded, and null when they are beyond all doubles. */
export function numberOf(value: Json | undefined): Json | undefined {
  if (!JSON.isRawJSON(value)) return value;
  const number = Number((value as unknown as { rawJSON: string }).rawJSON);
  return Number.isFinite(number) ? number : null;
}

/** Whether plain data says a value: it has no raw numbers, and all texts are Unicode. */
export function isPlain(value: Json | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (isList(value)) return value.every(isPlain);
  if (!isObject(value)) return !JSON.isRawJSON(value);
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isPlain(inner));
}

/** The plain data that comes closest to a value. */
export function plainOf(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (isList(value)) return value.map(plainOf);
  if (!isObject(value)) return numberOf(value) ?? null;
  return objectOf(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), plainOf(inner)]),
  );
}

/** Whether a value is an object. */
export function isObject(value: Json | undefined): value is JsonObject {
  const isAny = typeof value === "object" && value !== null && !Array.isArray(value);
  return isAny && !JSON.isRawJSON(value);
}

/** Whether a value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a value is missing or null. */
export function isNone(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Steps into a field. */
export function child(object: JsonObject, key: string, path: string): At {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return { value, path: path === "" ? key : `${path}.${key}` };
}

/** An object; a fault for everything else. */
export function objectAt({ value, path }: At): JsonObject {
  return isObject(value) ? value : fault(path, "must be an object");
}

/** A list, empty when it is missing or null; a fault for everything else. */
export function listAt({ value, path }: At): readonly Json[] {
  if (isNone(value)) return [];
  return isList(value) ? value : fault(path, "must be a list");
}

/** The messages of a document. Throws WINDOW_FULL: all of them are a window. */
export function messagesAt(at: At): readonly Json[] {
  const list = listAt(at);
  if (list.length > LIMITS.windowMessages) throw windowFull(`${LIMITS.windowMessages} messages`);
  return list;
}

/** A text in Unicode, empty when it is missing or null; a fault for everything else. */
export function textAt({ value, path }: At): string {
  if (isNone(value)) return "";
  return typeof value === "string" ? value.toWellFormed() : fault(path, "must be a text or null");
}

/** A text that is not empty. */
export function requiredTextAt(at: At): string {
  const text = textAt(at);
  return text === "" ? fault(at.path, "must not be empty") : text;
}

/** Whether two values are the same; the order of keys does not count. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (JSON.isRawJSON(a)) return JSON.isRawJSON(b) && JSON.stringify(a) === JSON.stringify(b);
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** An object out of entries, whatever their keys: none of them reaches a prototype. */
export function objectOf(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The JSON object in a text; undefined when it holds none. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Arguments of tools are whatever a model wrote.
    return undefined;
  }
}
