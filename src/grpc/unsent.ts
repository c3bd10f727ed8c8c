// Limits on buffered bytes of requests and responses. Requests that are coming in and
// answers that are not read are counted apart, against the same limits.

import type { ServerUnaryCall } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { unreadAnswers } from "./error-status.ts";

/** The limits of one direction. */
export interface BufferLimits {
  /** Over all connections. */
  readonly bytesMax: number;
  readonly connectionBytesMax: number;
  /** Bytes that every connection may have waiting. */
  readonly connectionBytesShare: number;
  /** Time without progress after which a stream is stalled. */
  readonly timeoutMs: number;
}

/** The slowest peer that counts as one at work, in bytes per millisecond. */
export const SLOWEST_PEER = 4;

/** Bytes that wait. */
export interface Buffered {
  readonly connectionBytes: number;
  readonly allBytes: number;
}

/**
 * Gives the limit that so many bytes more would break. The first that wait on a connection do not
 * break its own limit, however many they are.
 */
export function brokenLimit(
  limits: BufferLimits,
  buffered: Buffered,
  bytes: number,
): number | undefined {
  const { bytesMax, connectionBytesMax, connectionBytesShare } = limits;
  const { connectionBytes, allBytes } = buffered;
  const wanted = connectionBytes + bytes;
  if (connectionBytes > 0 && wanted > connectionBytesMax) return connectionBytesMax;
  return wanted > connectionBytesShare && allBytes + bytes > bytesMax ? bytesMax : undefined;
}

// Answers on their way to readers. grpc-js queues them without an end when a client asks and does
// not read; here each one counts until it is out or its call is over, new work is refused while too
// much waits, and a connection that takes nothing is let go.

/** Memory of a waiting answer beside its bytes: its stream and its call. */
const ANSWER_OVERHEAD_BYTES = 8_192;
/** More bytes than a failed call sends: a caller that is refused takes none of its answers. */
const FAILURE_BYTES = 1_024;
const LOOKS_PER_TIMEOUT = 4;
/** The answer of a write cannot be refused any more; beyond so many limits its connection goes. */
const WRITES_FACTOR = 2;

/** A call whose answer is sent. */
export type AnsweredCall = Pick<ServerUnaryCall<unknown, unknown>, "cancelled" | "on">;

/** A connection, as node:http2 shows it. */
interface Connection {
  readonly socket?: { readonly bytesWritten: number };
  readonly destroy: () => void;
}

interface Stream {
  readonly destroyed: boolean;
  readonly session?: Connection;
}

/** Bytes that wait on one connection. */
interface Waiting {
  bytes: number;
  /** Whether an answer was refused since the last one that went. */
  full: boolean;
  /** Whether an answer was taken since the last look. */
  took: boolean;
  /** The bytes that the socket had taken when the reader was last seen at work. */
  written: number;
  sinceMs: number;
}

/**
 * Gives the stream of a call. grpc-js has no public way from a call to its connection: this looks
 * inside, and test/e2e/unread.test.ts fails when a new version keeps it elsewhere.
 */
function streamOf(call: AnsweredCall): Stream | undefined {
  return (call as { readonly call?: { readonly stream?: Stream } }).call?.stream;
}

/** Counts the answers that wait for their readers, against limits. */
export class UnsentAnswers {
  readonly #limits: BufferLimits;
  readonly #parts: { readonly log: Logger; readonly nowMs: () => number };
  readonly #connections = new Map<Connection, Waiting>();
  /** Below it no limit can be reached. */
  readonly #fewBytes: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: BufferLimits, parts: { readonly log: Logger; readonly nowMs: () => number }) {
    this.#limits = limits;
    this.#parts = parts;
    this.#fewBytes = Math.min(limits.bytesMax, limits.connectionBytesMax) - ANSWER_OVERHEAD_BYTES;
  }

  /** Throws OVERLOADED when too much waits for the caller, or for all and not little for it. */
  checkRoom(call: AnsweredCall, readOnly: boolean): void {
    if (this.#bytes === 0) return;
    const connection = streamOf(call)?.session;
    const waiting = connection === undefined ? undefined : this.#connections.get(connection);
    // An answer is not made again and again only to be refused; writes have small ones.
    if (readOnly && waiting?.full === true) throw unreadAnswers(this.#limits.connectionBytesMax);
    if (this.#bytes >= this.#fewBytes) this.#refuse(waiting, ANSWER_OVERHEAD_BYTES);
  }

  /**
   * Counts an answer that is about to be sent until it is out. Throws OVERLOADED when there is no
   * room for the answer of a call that changed nothing.
   */
  add(call: AnsweredCall, answerBytes: number, readOnly: boolean): void {
    const stream = streamOf(call);
    const connection = stream?.session;
    // Without a connection nothing is sent any more.
    if (call.cancelled || stream === undefined || connection === undefined) return;
    const bytes = answerBytes + ANSWER_OVERHEAD_BYTES;
    const waiting = this.#connections.get(connection) ?? this.#watch(connection);
    if (readOnly) {
      if (this.#bytes + bytes > this.#fewBytes) this.#refuse(waiting, bytes);
    } else if (this.#bytes + bytes > this.#fewBytes && this.#farBeyond(waiting, bytes))
      this.#drop(connection, waiting);
    waiting.bytes += bytes;
    this.#bytes += bytes;
    // Said once for every call: when the answer is in the hands of the system, or cannot be sent.
    call.on("cancelled", () => {
      waiting.bytes -= bytes;
      this.#bytes -= bytes;
      waiting.full = false;
      if (!stream.destroyed) waiting.took = true;
    });
  }

  /** Keeps the answer of a failed call from being taken for one that was read. */
  failed(call: AnsweredCall): void {
    if (this.#bytes === 0) return;
    const connection = streamOf(call)?.session;
    const waiting = connection === undefined ? undefined : this.#connections.get(connection);
    if (waiting !== undefined) waiting.written += FAILURE_BYTES;
  }

  #refuse(waiting: Waiting | undefined, bytes: number): void {
    const limit = brokenLimit(this.#limits, this.#buffered(waiting), bytes);
    if (limit === undefined) return;
    if (waiting !== undefined && waiting.bytes > 0) waiting.full = limit !== this.#limits.bytesMax;
    throw unreadAnswers(limit);
  }

  #farBeyond(waiting: Waiting, bytes: number): boolean {
    const { bytesMax, connectionBytesMax } = this.#limits;
    const far = {
      ...this.#limits,
      bytesMax: WRITES_FACTOR * bytesMax,
      connectionBytesMax: WRITES_FACTOR * connectionBytesMax,
    };
    return brokenLimit(far, this.#buffered(waiting), bytes) !== undefined;
  }

  #buffered(waiting: Waiting | undefined): Buffered {
    return { connectionBytes: waiting?.bytes ?? 0, allBytes: this.#bytes };
  }

  #watch(connection: Connection): Waiting {
    const written = connection.socket?.bytesWritten ?? 0;
    const waiting = { bytes: 0, full: false, took: false, written, sinceMs: this.#parts.nowMs() };
    this.#connections.set(connection, waiting);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), this.#limits.timeoutMs / LOOKS_PER_TIMEOUT);
      this.#timer.unref();
    }
    return waiting;
  }

  /** Checks who reads. */
  #look(): void {
    const { timeoutMs } = this.#limits;
    const now = this.#parts.nowMs();
    for (const [connection, waiting] of this.#connections) {
      const written = connection.socket?.bytesWritten ?? 0;
      if (waiting.bytes === 0) this.#connections.delete(connection);
      else if (waiting.took || written - waiting.written >= timeoutMs * SLOWEST_PEER) {
        waiting.took = false;
        waiting.written = written;
        waiting.sinceMs = now;
      } else if (now - waiting.sinceMs >= timeoutMs) this.#drop(connection, waiting);
    }
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #drop(connection: Connection, waiting: Waiting): void {
    const fields = { waiting_bytes: waiting.bytes };
    this.#parts.log.warn(fields, "connection dropped: its answers are not read");
    connection.destroy();
  }
}
