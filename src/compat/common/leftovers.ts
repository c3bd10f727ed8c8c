// Content of a format that a plain message cannot hold: found by writing the plain message back and
// comparing. So nothing is lost, whatever a document holds, and a format needs no list of the ways
// in which it may be written; the ways it names only keep what is left over small.

import {
  fault,
  isList,
  isNone,
  isObject,
  isSame,
  type Json,
  type JsonObject,
  objectOf,
  parseObject,
  plainOf,
} from "./json.ts";
import type {
  Format,
  Leftovers,
  PlainMessage,
  ReadMessage,
  WriteContext,
  WrittenSession,
} from "./plain.ts";

/** Reads a message of a document. Throws SNAPSHOT_INVALID. */
export function readMessage(
  format: Format,
  source: JsonObject,
  path: string,
  context: WriteContext,
): ReadMessage {
  const message = format.readMessage(source, path);
  let best: { leftovers: Leftovers | undefined; size: number } | undefined;
  for (const shape of format.shapes) {
    const written = format.writeMessage(message, shape, context);
    const found = leftoversOf(source, written, shape === format.shapes[0] ? undefined : shape);
    if (best === undefined || found.size < best.size) best = found;
    if (found.size === 0) break;
  }
  if (best === undefined) return fault(path, "cannot be read");
  return { message, leftovers: best.leftovers };
}

/** The fields of a source that differ from its written form. */
export function leftoversOf(
  source: JsonObject,
  written: JsonObject,
  shape: string | undefined,
): { readonly leftovers: Leftovers | undefined; readonly size: number } {
  const keys = Object.keys(source);
  const different = keys.filter(
    (key) => !Object.hasOwn(written, key) || !isSame(source[key], written[key]),
  );
  const absent = Object.keys(written).filter((key) => !Object.hasOwn(source, key));
  const fields = objectOf(different.map((key) => [key, source[key] ?? null]));
  const size = absent.length + (different.length === 0 ? 0 : JSON.stringify(fields).length);
  if (size === 0 && shape === undefined) return { leftovers: undefined, size };
  const leftovers = {
    ...(shape === undefined ? {} : { shape }),
    ...(absent.length === 0 ? {} : { absent }),
    ...(different.length === 0 ? {} : { fields }),
  };
  return { leftovers, size };
}

/**
 * Writes a message. Of one that was edited since it was read only fields count that the format does
 * not know or that last: the others were about the old content.
 */
export function writeMessage(
  format: Format,
  message: PlainMessage,
  left: { readonly leftovers: Leftovers | undefined; readonly edited: boolean },
  context: WriteContext,
): JsonObject {
  const { leftovers, edited } = left;
  const known = leftovers?.shape;
  const shape = known !== undefined && format.shapes.includes(known) ? known : format.shapes[0];
  const written = format.writeMessage(message, shape ?? "", context);
  if (leftovers === undefined) return written;
  const { absent = [], fields = {} } = leftovers;
  const lasts = (key: string): boolean => !edited || format.lasting.includes(key);
  const gone = new Set(absent.filter(lasts));
  const kept = Object.entries(written).filter(([key]) => !gone.has(key));
  const extra = Object.entries(fields).filter(
    ([key]) => lasts(key) || !Object.hasOwn(written, key),
  );
  return objectOf([...kept, ...extra]);
}

/** Reads a format's entry of metadata: data, or JSON text where data cannot say it. */
export function keptIn(value: Json | undefined): JsonObject {
  const kept = typeof value === "string" ? parseObject(value) : value;
  return isObject(kept) ? kept : {};
}

/** Reads leftovers. Anybody may have written there: only what has the right form counts. */
export function readLeftovers(value: Json | undefined): Leftovers {
  const { absent, fields, shape } = keptIn(value);
  return {
    ...(typeof shape === "string" ? { shape } : {}),
    ...(isList(absent) ? { absent: absent.map(String) } : {}),
    ...(isObject(fields) ? { fields } : {}),
  };
}

const OBJECT = "object";

/** The fields of a document, messages aside, that differ from `written`, those of its session. */
export function documentLeftovers(
  format: Format,
  document: Json,
  written: JsonObject,
): JsonObject | undefined {
  if (!isObject(document)) return undefined;
  const source = Object.entries(document).filter(([key]) => key !== format.list);
  const shape = format.isBare ? OBJECT : undefined;
  const { leftovers } = leftoversOf(objectOf(source), written, shape);
  return leftovers && objectOf(Object.entries(leftovers));
}

/** Whether a field says nothing, in one of the ways to do so. */
function isEmpty(value: Json | undefined): boolean {
  return isNone(value) || value === "" || (isObject(value) && Object.keys(value).length === 0);
}

/**
 * Gives what stands before and after the messages of a document, which are separated by commas. A
 * field comes back as it was while the session says the same.
 */
export function frameOf(format: Format, session: WrittenSession): { head: string; tail: string } {
  const { absent = [], fields = {}, shape } = readLeftovers(session.metadata[format.name]);
  const written = format.fields(session);
  const isTold = (key: string): boolean => format.telling.includes(key) && !isNone(written[key]);
  const gone = new Set(absent.filter((key) => !isTold(key)));
  const entries = Object.entries(written).flatMap(([key, now]): [string, Json][] => {
    if (gone.has(key)) return [];
    const was = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (was === undefined) return [[key, now]];
    const isKept = isEmpty(was) ? !isTold(key) : isStill(format, was, now);
    return [[key, isKept ? was : now]];
  });
  for (const [key, value] of Object.entries(fields)) {
    if (key !== format.list && !Object.hasOwn(written, key)) entries.push([key, value]);
  }
  if (format.isBare && shape !== OBJECT) return { head: "[", tail: "]" };
  const text = JSON.stringify(objectOf(entries)).slice(0, -1);
  const comma = entries.length === 0 ? "" : ",";
  return { head: `${text}${comma}${JSON.stringify(format.list)}:[`, tail: "]}" };
}

/** Whether a field still says what it did. What stands under the name of the format is its own. */
function isStill(format: Format, was: Json, now: Json): boolean {
  const plain = plainOf(was);
  const others = isObject(plain)
    ? objectOf(Object.entries(plain).filter(([key]) => key !== format.name))
    : plain;
  return isSame(others, now) || (isEmpty(others) && isEmpty(now));
}
