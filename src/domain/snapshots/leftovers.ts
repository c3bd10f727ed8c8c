// What a format says and a plain message does not: found by writing the plain message back and
// comparing. So nothing is lost, whatever a document holds, and a format needs no list of the ways
// in which it may be written; the ways it names only keep what is left over small.

import { fault, isSame, type JsonObject, objectOf } from "./json.ts";
import type { Format, Leftovers, PlainMessage, ReadMessage, WriteContext } from "./plain.ts";

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

function leftoversOf(
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
 * not know: the others were about the old content.
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
  const gone = new Set(edited ? [] : absent);
  const kept = Object.entries(written).filter(([key]) => !gone.has(key));
  const extra = Object.entries(fields).filter(([key]) => !edited || !Object.hasOwn(written, key));
  return objectOf([...kept, ...extra]);
}
