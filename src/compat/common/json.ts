// JSON values as documents hold them, and the checks that every format shares. Faults are told with
// the path in the document.

import { snapshotInvalid, windowFull } from "../errors.ts";
import { LIMITS } from "../limits.ts";

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

/** Whether a value is an object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

/** A text, empty when it is missing or null; a fault for everything else. */
export function textAt({ value, path }: At): string {
  if (isNone(value)) return "";
  return typeof value === "string" ? value : fault(path, "must be a text or null");
}

/** A text that is not empty. */
export function requiredTextAt(at: At): string {
  const text = textAt(at);
  return text === "" ? fault(at.path, "must not be empty") : text;
}

/** Whether two values are the same; the order of keys does not count. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
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
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    // Arguments of tools are whatever a model wrote.
    return undefined;
  }
}
