// Snapshots on their way: what an import takes, and the requests that bring it.

import { isMemorySidecarError } from "./errors.ts";
import { Message } from "./gen/memorysidecar/v1/message.ts";
import {
  type ExportSessionResponse,
  ImportSessionRequest,
  type ImportSessionResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
import { SnapshotHeader } from "./gen/memorysidecar/v1/snapshot.ts";
import type { JsonObject } from "./message.ts";

/** The formats of snapshots. */
export type FormatName = "native" | "selectools" | "lauren" | "definable" | "marsys";

/** A chunk of an export. */
export type SnapshotChunk = ExportSessionResponse;

/**
 * The chunks of an export, or the document of another system: as it was read from a file, or as
 * `JSON.parse` gives it.
 */
export type SnapshotInput =
  | Iterable<SnapshotChunk>
  | AsyncIterable<SnapshotChunk>
  | Uint8Array
  | string
  | JsonObject
  | readonly JsonObject[];

const CHUNK_BYTES = 1_048_576;
const CHUNK_MESSAGES = 10_000;

/** What a request of an import brings. */
type Body = Partial<Pick<ImportSessionRequest, "header" | "messages" | "document">>;

function isStream(snapshot: SnapshotInput): snapshot is AsyncIterable<SnapshotChunk> {
  return typeof snapshot === "object" && Symbol.asyncIterator in snapshot;
}

function isChunk(value: unknown): boolean {
  return typeof value === "object" && value !== null && "chunk" in value;
}

/** The bytes of a document; undefined for the chunks of an export. */
function toDocument(snapshot: SnapshotInput): Uint8Array | undefined {
  if (snapshot instanceof Uint8Array) return snapshot;
  if (typeof snapshot === "string") return Buffer.from(snapshot);
  if (isStream(snapshot)) return undefined;
  const isChunks = Array.isArray(snapshot)
    ? snapshot.length === 0 || isChunk(snapshot[0])
    : Symbol.iterator in snapshot;
  return isChunks ? undefined : Buffer.from(JSON.stringify(snapshot));
}

function* cutDocument(document: Uint8Array): Generator<Body> {
  for (let start = 0; start < document.length; start += CHUNK_BYTES) {
    yield { document: Buffer.from(document.subarray(start, start + CHUNK_BYTES)) };
  }
}

/** Cuts a snapshot into what requests bring: at most 1 MiB each, or one message. */
async function* bodiesOf(snapshot: SnapshotInput): AsyncGenerator<Body, void, undefined> {
  const document = toDocument(snapshot);
  if (document !== undefined) {
    yield* cutDocument(document);
    return;
  }
  let body: Body = {};
  let messages: Message[] = [];
  let bytes = 0;
  for await (const { chunk } of snapshot as Iterable<SnapshotChunk>) {
    if (chunk?.$case === "document") yield* cutDocument(chunk.value);
    if (chunk?.$case === "header") {
      body = { header: chunk.value };
      bytes = SnapshotHeader.encode(chunk.value).finish().length;
    }
    for (const message of chunk?.$case === "messages" ? chunk.value.messages : []) {
      const size = Message.encode(message).finish().length + 8;
      const full = bytes + size > CHUNK_BYTES || messages.length >= CHUNK_MESSAGES;
      if (full && bytes > 0) {
        yield { ...body, messages };
        [body, messages, bytes] = [{}, [], 0];
      }
      messages.push(message);
      bytes += size;
    }
  }
  if (bytes > 0) yield { ...body, messages };
}

/** Says whether a snapshot can be read again from its beginning. */
export function isRepeatable(snapshot: SnapshotInput): boolean {
  if (typeof snapshot !== "object") return true;
  const values: unknown = snapshot;
  if (isStream(snapshot)) return snapshot[Symbol.asyncIterator]() !== values;
  return !(Symbol.iterator in snapshot) || snapshot[Symbol.iterator]() !== values;
}

/** Says whether the server forgot an upload. */
export function isForgotten(error: unknown): boolean {
  return isMemorySidecarError(error, "UPLOAD_NOT_FOUND");
}

/** Sends a snapshot chunk by chunk and gives the answer to the last one. */
export async function upload(
  snapshot: SnapshotInput,
  first: Partial<ImportSessionRequest>,
  send: (request: ImportSessionRequest) => Promise<ImportSessionResponse>,
): Promise<ImportSessionResponse> {
  let held: Body | undefined;
  let uploadId = "";
  let chunkIndex = 0;
  const request = (body: Body, more: boolean) =>
    ImportSessionRequest.fromPartial({ ...first, ...body, uploadId, chunkIndex, more });
  for await (const body of bodiesOf(snapshot)) {
    if (held !== undefined) {
      const answer = await send(request(held, true));
      uploadId = answer.uploadId;
      chunkIndex++;
    }
    held = body;
  }
  return send(request(held ?? {}, false));
}
