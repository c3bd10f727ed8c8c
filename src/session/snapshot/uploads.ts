// Imports that come in several chunks. What has come of a native snapshot is in the store already,
// in a log that is nobody's; documents are gathered here, within bounds. An upload is given up when
// nothing comes of it for a while, when a chunk fails half-way, and when the server stops; a
// restart forgets it.
//
// A repeat of a whole import is known by a digest over the digests of its chunks. Of a finished
// upload what came before its last chunk is remembered for a while, so that a repeat of the last
// chunk alone is known, too.

import { hash } from "node:crypto";
import type { Call } from "../../kit/call.ts";
import {
  AppError,
  requestInvalid,
  uploadBytesReached,
  uploadLimitReached,
  uploadNotFound,
} from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { Shares } from "../../kit/shares.ts";
import type { ImportChunk } from "./api.ts";
import type { SessionImport } from "./session-import.ts";

const ID_BYTES = 16;
const DIGEST_BYTES = 16;
const FINISHED_MAX = 64;

/** Fields of the first chunk that hold for the whole upload. */
export type UploadStart = Pick<ImportChunk, "namespace" | "sessionId" | "format" | "replace">;

/** An upload that is under way. */
export interface Upload {
  readonly id: string;
  readonly start: UploadStart;
  readonly writer: string;
  /** The number of the chunk that comes next. */
  next: number;
  /** Over the chunks that came; undefined before the first. */
  digest: string | undefined;
  /** Of a native snapshot. */
  native: SessionImport | undefined;
  /** Of a document. */
  readonly pieces: Uint8Array[];
  bytes: number;
}

/** The record of a finished upload. */
interface Finished {
  readonly start: UploadStart;
  readonly writer: string;
  readonly digest: string | undefined;
  readonly next: number;
}

interface Known {
  readonly upload: Upload;
  timer: NodeJS.Timeout;
  /** The chunks of an upload are taken one after the other. */
  tail: Promise<unknown>;
  gone: boolean;
}

/** The digest over the chunks so far and one more. */
export function digestWith(before: string | undefined, chunk: string): string {
  if (before === undefined || chunk === "") return chunk;
  return hash("sha256", Buffer.from(before + chunk, "latin1"), "binary").slice(0, DIGEST_BYTES);
}

/** The uploads under way. */
export class Uploads {
  readonly #random: (length: number) => Uint8Array;
  readonly #known = new Map<string, Known>();
  readonly #finished = new Map<string, Finished>();
  readonly #places = new Shares({ limit: LIMITS.uploads });
  readonly #bytes = new Shares({
    limit: LIMITS.uploadBytes,
    kept: LIMITS.uploadBytes - LIMITS.namespaceUploadBytes,
    few: LIMITS.namespaceUploadBytes,
  });
  #closed = false;

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random;
  }

  /** An upload that is no longer than its call, and so does not count. */
  single(call: Call, chunk: ImportChunk): Upload {
    return this.#make(call, chunk);
  }

  /** Starts an upload. Throws UPLOAD_LIMIT_REACHED. */
  start(call: Call, chunk: ImportChunk): Upload {
    if (this.#closed) throw new AppError("SHUTTING_DOWN", "The server is stopping. Retry.");
    const full = this.#places.take(chunk.namespace);
    if (full !== undefined) throw uploadLimitReached(full);
    const upload = this.#make(call, chunk);
    const timer = this.#timer(upload);
    this.#known.set(upload.id, { upload, timer, tail: Promise.resolve(), gone: false });
    return upload;
  }

  /**
   * Takes the next chunk of an upload, after those under way. A failure ends the upload unless
   * `keeps` says otherwise of it. Throws UPLOAD_NOT_FOUND.
   */
  async take<T>(
    call: Call,
    uploadId: string,
    run: (upload: Upload) => Promise<T>,
    keeps: (error: unknown) => boolean,
  ): Promise<T> {
    const known = this.#known.get(uploadId);
    if (known === undefined || known.upload.writer !== call.writer) throw uploadNotFound(uploadId);
    const turn = known.tail.then(async () => {
      if (known.gone) throw uploadNotFound(uploadId);
      clearTimeout(known.timer);
      try {
        const result = await run(known.upload);
        this.#rest(known);
        return result;
      } catch (error) {
        if (keeps(error)) this.#rest(known);
        else this.abandon(known.upload);
        throw error;
      }
    });
    known.tail = turn.catch(() => undefined);
    return await turn;
  }

  /** Adds a piece of a document. Throws REQUEST_INVALID and UPLOAD_LIMIT_REACHED. */
  addPiece(upload: Upload, piece: Uint8Array): void {
    if (upload.bytes + piece.length > LIMITS.snapshotDocumentBytes) {
      const description = `all pieces take more than ${LIMITS.snapshotDocumentBytes} bytes`;
      throw requestInvalid([{ field: "chunk.document", description }]);
    }
    const full = this.#bytes.take(upload.start.namespace, piece.length);
    if (full !== undefined) throw uploadBytesReached(full);
    // A copy of its own: what was decoded is a slice of the whole request.
    upload.pieces.push(new Uint8Array(piece));
    upload.bytes += piece.length;
  }

  /** Gives the document that the pieces make. It counts until the upload ends. */
  takeDocument(upload: Upload): Uint8Array {
    const document = Buffer.concat(upload.pieces);
    upload.pieces.length = 0;
    return document;
  }

  /** Ends an upload that was answered; `before` is the digest before its last chunk. */
  finish(upload: Upload, before: string | undefined): void {
    // Of an answer that was given before nothing is needed of what came now.
    upload.native?.abandon();
    if (!this.#forget(upload)) return;
    const { start, writer, next } = upload;
    this.#finished.set(upload.id, { start, writer, next, digest: before });
    for (const id of this.#finished.keys()) {
      if (this.#finished.size <= FINISHED_MAX) break;
      this.#finished.delete(id);
    }
  }

  /** The record of a finished upload whose last chunk this may be. */
  finished(call: Call, chunk: ImportChunk): Finished | undefined {
    const finished = this.#finished.get(chunk.uploadId);
    const isLast = finished?.next === chunk.chunkIndex && finished.writer === call.writer;
    return isLast ? finished : undefined;
  }

  /** Gives an upload up. */
  abandon(upload: Upload): void {
    upload.native?.abandon();
    this.#forget(upload);
  }

  /** Gives all uploads up and takes no more. */
  close(): void {
    this.#closed = true;
    for (const { upload } of [...this.#known.values()]) this.abandon(upload);
  }

  #make(call: Call, { namespace, sessionId, format, replace }: ImportChunk): Upload {
    return {
      id: Buffer.from(this.#random(ID_BYTES)).toString("hex"),
      start: { namespace, sessionId, format, replace },
      writer: call.writer,
      next: 0,
      digest: undefined,
      native: undefined,
      pieces: [],
      bytes: 0,
    };
  }

  #forget(upload: Upload): boolean {
    this.#bytes.give(upload.start.namespace, upload.bytes);
    upload.bytes = 0;
    upload.pieces.length = 0;
    const known = this.#known.get(upload.id);
    if (known === undefined) return false;
    known.gone = true;
    clearTimeout(known.timer);
    this.#places.give(upload.start.namespace);
    return this.#known.delete(upload.id);
  }

  /** Waits for the next chunk, unless the upload is finished or was given up meanwhile. */
  #rest(known: Known): void {
    if (!known.gone) known.timer = this.#timer(known.upload);
  }

  #timer(upload: Upload): NodeJS.Timeout {
    const timer = setTimeout(() => this.abandon(upload), LIMITS.uploadIdleMs);
    timer.unref();
    return timer;
  }
}
