// Steps into the JSON of a form. A fault is told with the path inside the JSON.

import { isBase64 } from "../compat/common/content.ts";
import {
  type At,
  child,
  isList,
  isNone,
  isObject,
  type JsonObject,
  parseObject,
} from "../compat/common/json.ts";
import { LIMITS } from "../kit/limits.ts";
import { refuse } from "./elements.ts";
import type { CallPart, FormPart, ResultPart, Source } from "./form.ts";

/** An object with its path. */
export interface ObjectAt {
  readonly value: JsonObject;
  readonly path: string;
}

export function objectAt({ value, path }: At): ObjectAt {
  if (isObject(value)) return { value, path };
  return refuse(path, isNone(value) ? "is required" : "must be an object");
}

/** A field of an object; the first of the names that it has. */
export function fieldAt({ value, path }: ObjectAt, ...names: readonly string[]): At {
  const found = names.find((name) => !isNone(child(value, name, "").value)) ?? names[0] ?? "";
  return child(value, found, path);
}

/** A text; empty when it is missing or null. */
export function textAt({ value, path }: At): string {
  if (isNone(value)) return "";
  if (typeof value !== "string") return refuse(path, "must be a text");
  return value.isWellFormed() ? value : refuse(path, "is not well-formed Unicode");
}

/** A text that may not be missing or longer than an id. */
export function idAt(at: At): string {
  const text = textAt(at);
  if (text === "") refuse(at.path, "is required");
  const { callIdBytes: max } = LIMITS;
  const bytes = Buffer.byteLength(text);
  if (bytes > max) refuse(at.path, `takes ${bytes} bytes; at most ${max}`, max);
  return text;
}

/** The elements of a list with their paths; none when it is missing or null. */
export function itemsAt({ value, path }: At): readonly At[] {
  if (isNone(value)) return [];
  if (!isList(value)) return refuse(path, "must be an array");
  return value.map((one, index) => ({ value: one, path: `${path}[${index}]` }));
}

/** A boolean; false when it is missing or null. */
export function flagAt({ value, path }: At): boolean {
  if (isNone(value)) return false;
  return typeof value === "boolean" ? value : refuse(path, "must be true or false");
}

/** One of the names that a role, or a type, may have. */
export function nameAt<Name extends string>(at: At, names: readonly Name[]): Name {
  const { value, path } = at;
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  return refuse(path, `must be one of ${names.join(", ")}`);
}

/** Keys that say something and that a reader does not know. */
export function extrasOf(value: JsonObject, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(value).filter((key) => {
    const inner = value[key];
    return !known.has(key) && !isNone(inner) && !(isList(inner) && inner.length === 0);
  });
}

/** Content that is a text or a list of parts. */
export function contentAt(at: At, read: (part: ObjectAt) => FormPart): readonly FormPart[] {
  const { value } = at;
  if (typeof value === "string") {
    const text = textAt(at);
    return text === "" ? [] : [{ kind: "text", text }];
  }
  if (!isNone(value) && !isList(value)) refuse(at.path, "must be a text or an array of parts");
  return itemsAt(at).map((part) => read(objectAt(part)));
}

/** The result of a call, by the place of the call's id. */
export function resultAt(id: At, parts: readonly FormPart[]): ResultPart {
  return { kind: "result", parts, isError: false, callId: idAt(id), path: id.path };
}

const DATA_URL = /^data:([^;,]*);base64,/;

/** The place of bytes in an address, which may hold them. */
export function sourceOfUrl(url: string): { source: Source; mediaType: string } {
  const [start, mediaType = ""] = DATA_URL.exec(url) ?? [];
  const base64 = start === undefined ? "" : url.slice(start.length);
  if (isBase64(base64)) return { source: { base64 }, mediaType };
  return { source: { url }, mediaType: "" };
}

/** The address of a place of bytes. Undefined for one without. */
export function urlOfSource(source: Source, mediaType: string): string | undefined {
  if ("url" in source) return source.url;
  if ("base64" in source) return `data:${mediaType};base64,${source.base64}`;
  return undefined;
}

/** Arguments of a call as an object: free text stands under `input`. */
export function argumentsObject({ arguments: text }: Pick<CallPart, "arguments">): JsonObject {
  if (text.trim() === "") return {};
  return parseObject(text) ?? { input: text };
}
