// The use case that makes sessions from snapshots, chunk by chunk.

import { replayOf } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { AppError, requestInvalid, snapshotInvalid, uploadNotFound } from "../../kit/errors.ts";
import type { Session } from "../rules/session.ts";
import { newSessionId } from "../sessions.ts";
import type { ChunkContent, DocumentCodec, ImportChunk } from "./api.ts";
import { importDocument } from "./import-document.ts";
import { SessionImport } from "./session-import.ts";
import { digestWith, type Upload, type Uploads } from "./uploads.ts";

/** Dependencies of imports. */
export interface ImportContext {
  readonly service: ServiceContext;
  readonly documents: DocumentCodec;
  readonly uploads: Uploads;
}

/** Takes a chunk of an import; with the last one it makes the session. */
export async function importChunk(
  context: ImportContext,
  call: Call,
  chunk: ImportChunk,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { uploads } = context;
  if (chunk.uploadId !== "") {
    const finished = uploads.finished(call, chunk);
    if (finished !== undefined) return await answerAgain(context, call, chunk);
    const run = (upload: Upload) => takeChunk(context, call, chunk, upload);
    return await uploads.take(call, chunk.uploadId, run, isUntouched);
  }
  if (chunk.more) {
    const upload = uploads.start(call, chunk);
    // Nobody knows the id of an upload whose first chunk failed.
    const run = () => takeChunk(context, call, chunk, upload);
    return await uploads.take(call, upload.id, run, () => false);
  }
  const upload = uploads.single(call, chunk);
  try {
    return await takeChunk(context, call, chunk, upload);
  } finally {
    uploads.abandon(upload);
  }
}

/** Whether a chunk failed before anything of it was taken, so that it may come again. */
function isUntouched(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const field = error.detail.metadata?.["field"];
  return error.reason === "UPLOAD_LIMIT_REACHED" || field === "chunk_index";
}

async function takeChunk(
  context: ImportContext,
  call: Call,
  chunk: ImportChunk,
  upload: Upload,
): Promise<Uint8Array> {
  const { chunkIndex, content } = chunk;
  const uploadId = upload.id;
  if (chunkIndex < upload.next) return chunk.encode({ uploadId, nextChunkIndex: upload.next });
  if (chunkIndex > upload.next) {
    const description = `must be ${upload.next}: the chunks come in order`;
    throw requestInvalid([{ field: "chunk_index", description }]);
  }
  const before = upload.digest;
  if (content.kind === "native") await takeNative(context.service, upload, content);
  else takePiece(context.uploads, upload, content.bytes);
  upload.digest = digestWith(before, call.digest);
  if (chunk.more) {
    upload.next += 1;
    return chunk.encode({ uploadId, nextChunkIndex: upload.next });
  }
  const answer = await publish(context, { ...call, digest: upload.digest }, chunk, upload);
  context.uploads.finish(upload, before);
  return answer;
}

async function takeNative(
  service: ServiceContext,
  upload: Upload,
  content: ChunkContent & { readonly kind: "native" },
): Promise<void> {
  if (upload.start.format !== "native") throw snapshotInvalid([notOf(upload, "chunk.messages")]);
  const { header } = content;
  if (upload.native === undefined) {
    const missing = { field: "chunk.header", description: "is required in the first chunk" };
    if (header === undefined) throw snapshotInvalid([missing]);
    upload.native = await SessionImport.start(service, header(), upload.writer);
  } else if (header !== undefined) {
    const again = { field: "chunk.header", description: "is only allowed in the first chunk" };
    throw snapshotInvalid([again]);
  }
  await upload.native.add(content.messageCount, content.message);
}

function takePiece(uploads: Uploads, upload: Upload, piece: Uint8Array): void {
  if (upload.start.format === "native") throw snapshotInvalid([notOf(upload, "chunk.document")]);
  uploads.addPiece(upload, piece);
}

function notOf(upload: Upload, field: string): { field: string; description: string } {
  return { field, description: `is not allowed with the format ${upload.start.format}` };
}

async function publish(
  context: ImportContext,
  call: Call,
  chunk: ImportChunk,
  upload: Upload,
): Promise<Uint8Array> {
  const { service } = context;
  const { namespace, format, replace } = upload.start;
  const ownId = upload.native?.session.sessionId ?? "";
  const wanted = upload.start.sessionId === "" ? ownId : upload.start.sessionId;
  const sessionId = wanted === "" ? newSessionId(service) : wanted;
  const end = {
    target: { namespace, sessionId },
    format,
    replace,
    encode: (session: Session) => chunk.encode({ session }),
  };
  if (upload.native !== undefined) return await upload.native.publish(call, end);
  return await importDocument(context, call, context.uploads.takeDocument(upload), end);
}

/**
 * Gives the answer to the last chunk of an upload once more, if it came with a request id. Throws
 * UPLOAD_NOT_FOUND otherwise.
 */
async function answerAgain(
  { service, uploads }: ImportContext,
  call: Call,
  chunk: ImportChunk,
): Promise<Uint8Array> {
  const finished = uploads.finished(call, chunk);
  if (finished === undefined || call.requestId === "") throw uploadNotFound(chunk.uploadId);
  const { namespace, sessionId } = finished.start;
  const whole = { ...call, digest: digestWith(finished.digest, call.digest) };
  const target = { namespace, sessionId, requestId: call.requestId, allowWhenFull: true };
  return await service.store.changeSession<Uint8Array>(target, (view) => {
    const result = replayOf(service, whole, view.reply);
    if (result === undefined) throw uploadNotFound(chunk.uploadId);
    return { kind: "answer", result };
  });
}
