// From the bytes of a document to messages in their wire form. Runs on the main thread for small
// documents and in a thread of its own for others, so that what it takes and gives is plain data.

import { AppError, type FieldViolation, snapshotInvalid, windowFull } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import { FORMATS } from "../../domain/snapshots/index.ts";
import type { Json, JsonObject } from "../../domain/snapshots/json.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import type { DocumentFormat, DocumentSession } from "../../service/snapshot-api.ts";
import { toStruct, toWire } from "./message.ts";

/** What a document says. */
export interface ParsedDocument extends Pick<DocumentSession, "outside" | "summaries"> {
  readonly userId: string | undefined;
  readonly metadata: Uint8Array | undefined;
  readonly summaryText: string;
  /** The options of the format's preset. */
  readonly options: JsonObject;
  readonly hasPolicy: boolean;
  /** In their wire form, without what the server adds. */
  readonly messages: readonly Uint8Array[];
}

/** What came of a document. */
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
const MS = 1_000;
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
    return JSON.parse(text) as Json;
  } catch {
    throw snapshotInvalid([{ field: "document", description: "is not JSON in UTF-8" }]);
  }
}

function tooLarge(description: string): never {
  throw snapshotInvalid([{ field: "document", description }]);
}

/** Reads a document; a fault of it is a result. */
export function parseDocument(format: DocumentFormat, document: Uint8Array): ParseResult {
  try {
    return { parsed: parsed(format, document) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { limit } = error.detail.metadata ?? {};
    if (error.reason === "WINDOW_FULL" && limit !== undefined) return { full: limit };
    return { violations: error.detail.violations ?? [] };
  }
}

/** The part of a document that becomes metadata of the session. */
export function metadataField(format: DocumentFormat): string {
  return format === "marsys" ? "additional_state" : "document";
}

function metadataOf(format: DocumentFormat, metadata: JsonObject): Uint8Array {
  // An escaped character takes 6 bytes at most. What is far too large is not even encoded.
  if (JSON.stringify(metadata).length > LIMITS.metadataBytes * ESCAPED_BYTES_MAX) {
    const description = `holds more than ${LIMITS.metadataBytes} bytes beside its messages`;
    throw snapshotInvalid([{ field: metadataField(format), description }]);
  }
  return new Uint8Array(toStruct(metadata));
}

function parsed(format: DocumentFormat, document: Uint8Array): ParsedDocument {
  const read = FORMATS[format].readDocument(parseJson(document));
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
    // Messages are well-formed text once they are in their wire form; so is this from here on.
    summaries: read.summaries.map(({ after, createSeconds, messageId, text }) => ({
      messageId: messageId.toWellFormed(),
      text: text.toWellFormed(),
      after,
      createMs: Math.floor(createSeconds * MS),
    })),
    summaryText: read.summary.toWellFormed(),
    userId: read.userId?.toWellFormed(),
    metadata: read.metadata && metadataOf(format, read.metadata),
    options: read.options,
    hasPolicy: read.hasPolicy,
  };
}
