// Snapshots on their way: what an import takes, and the requests that bring it.

import { isMemorySidecarError } from "./errors.ts";
import {
  ImportSessionRequest,
  type ImportSessionResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
import { SnapshotChunk } from "./gen/memorysidecar/v1/snapshot.ts";
import type { JsonObject } from "./message.ts";

/** The formats of snapshots. */
export type FormatName = "native" | "selectools" | "lauren" | "definable" | "marsys";

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

function isStream(snapshot: SnapshotInput): snapshot is AsyncIterable<SnapshotChunk> {
  return typeof snapshot === "object" && Symbol.asyncIterator in snapshot;
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function isChunk(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && "document" in value && isBytes(value.document)
  );
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

/** Gives the chunks of a snapshot: those of an export as they came, a document in pieces. */
async function* chunksOf(snapshot: SnapshotInput): AsyncGenerator<SnapshotChunk, void, undefined> {
  const document = toDocument(snapshot);
  if (document === undefined) {
    yield* snapshot as Iterable<SnapshotChunk>;
    return;
  }
  for (let start = 0; start < document.length; start += CHUNK_BYTES) {
    const piece = Buffer.from(document.subarray(start, start + CHUNK_BYTES));
    yield SnapshotChunk.fromPartial({ document: piece });
  }
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
  let held: SnapshotChunk | undefined;
  let uploadId = "";
  let chunkIndex = 0;
  const request = (chunk: SnapshotChunk, more: boolean) =>
    ImportSessionRequest.fromPartial({ ...first, chunk, uploadId, chunkIndex, more });
  for await (const chunk of chunksOf(snapshot)) {
    if (held !== undefined) {
      const answer = await send(request(held, true));
      uploadId = answer.uploadId;
      chunkIndex++;
    }
    held = chunk;
  }
  return send(request(held ?? SnapshotChunk.create(), false));
}
