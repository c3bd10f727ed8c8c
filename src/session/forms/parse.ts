// From the bytes of a document to messages in their wire form. Runs on the main thread for small
// documents and in a thread of its own for others, so that what it takes and gives is plain data.

import {
  isObject,
  type Json,
  type JsonObject,
  parseJson as parseText,
} from "../../compat/common/json.ts";
import type { Format } from "../../compat/common/plain.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { AppError, type FieldViolation, snapshotInvalid, windowFull } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentSession } from "../snapshot/api.ts";
import { summaryMetadata, toKept, toStruct, toWire } from "./message.ts";

/** A document in its wire form. */
export interface ParsedDocument extends Pick<DocumentSession, "outside" | "summaries"> {
  readonly userId: string | undefined;
  readonly metadata: Uint8Array | undefined;
  /** An entry of metadata with what is kept of the document; undefined when nothing is. */
  readonly kept: Uint8Array | undefined;
  readonly summaryText: string;
  /** The options of the format's preset. */
  readonly options: JsonObject;
  readonly hasPolicy: boolean;
  /** In their wire form, without what the server adds. */
  readonly messages: readonly Uint8Array[];
}

/** The result of reading a document. */
export type ParseResult =
  | { readonly parsed: ParsedDocument }
  | { readonly violations: readonly FieldViolation[] }
  /** The ceiling that its window passes. */
  | { readonly full: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const ESCAPED_BYTES_MAX = 6;

/**
 * Gives how deep lists and objects lie in each other, and about how many values there are. Wrong
 * JSON is found by its parser, which must not meet what would take all memory.
 */
export function measure(document: Uint8Array): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inText = false;
  for (let at = 0; at < document.length; at++) {
    const byte = document[at] ?? 0;
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === COMMA) values += 1;
    else if (OPENING.has(byte)) {
      values += 1;
      deepest = Math.max(deepest, ++depth);
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return { depth: deepest, values };
}

function parseJson(document: Uint8Array): Json {
  const { depth, values } = measure(document);
  if (depth > LIMITS.documentDepth) tooLarge(`is more than ${LIMITS.documentDepth} levels deep`);
  if (values > LIMITS.documentValues) tooLarge(`holds more than ${LIMITS.documentValues} values`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(document);
    return parseText(text);
  } catch {
    throw snapshotInvalid([{ field: "document", description: "is not JSON in UTF-8" }]);
  }
}

function tooLarge(description: string): never {
  throw snapshotInvalid([{ field: "document", description }]);
}

/** Reads a document; a fault of it is a result. */
export function parseDocument(format: Format, document: Uint8Array): ParseResult {
  try {
    return { parsed: parsed(format, document) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { limit } = error.detail.metadata ?? {};
    if (error.reason === "WINDOW_FULL" && limit !== undefined) return { full: String(limit) };
    return { violations: error.detail.violations ?? [] };
  }
}

function metadataOf(format: Format, metadata: JsonObject): Uint8Array {
  // An escaped character takes 6 bytes at most. What is far too large is not even encoded.
  if (JSON.stringify(metadata).length > LIMITS.metadataBytes * ESCAPED_BYTES_MAX) {
    const description = `holds more than ${LIMITS.metadataBytes} bytes beside its messages`;
    throw snapshotInvalid([{ field: format.metadataField, description }]);
  }
  return new Uint8Array(toStruct(metadata));
}

/** Numbers of metadata are kept as they were written only where there is room for both forms. */
function keptOf(format: Format, kept: JsonObject, metadataBytes: number): Uint8Array {
  const whole = metadataOf(format, { [format.name]: toKept(kept) });
  const { fields } = kept;
  if (whole.length + metadataBytes <= LIMITS.metadataBytes || !isObject(fields)) return whole;
  const { additional_state: _, ...others } = fields;
  return metadataOf(format, { [format.name]: toKept({ ...kept, fields: others }) });
}

function parsed(format: Format, document: Uint8Array): ParsedDocument {
  const read = format.readDocument(parseJson(document));
  const metadata = read.metadata && metadataOf(format, read.metadata);
  const messages: Uint8Array[] = [];
  let bytes = 0;
  for (const [index, message] of read.messages.entries()) {
    const path = `messages[${index}]`;
    const wire = Message.encode(toWire(message, format, path)).finish();
    messages.push(wire);
    bytes += index < read.outside ? 0 : wire.length;
    if (bytes > LIMITS.windowBytes) throw windowFull(`${LIMITS.windowBytes} bytes`);
  }
  return {
    messages,
    outside: read.outside,
    summaries: read.summaries.map(({ leftovers, ...summary }) => ({
      ...summary,
      metadata: summaryMetadata(leftovers, format, "entries"),
    })),
    summaryText: read.summary,
    userId: read.userId,
    metadata,
    kept: read.kept && keptOf(format, read.kept, metadata?.length ?? 0),
    options: read.options,
    hasPolicy: read.hasPolicy,
  };
}
