// Sends the answers of a stream no faster than the reader takes them. grpc-js would queue without
// an end; here the bytes that are on their way are counted, and the sender waits while there are
// many.

import { constants } from "node:http2";
import type { ServerWritableStream } from "@grpc/grpc-js";

/** The most bytes on their way to a reader, one answer more or less. */
const BYTES_UNDER_WAY_MAX = 16_384;

/** Time that a stalled reader has to see how its call ended. */
const LEAVE_MS = 60_000;

/** Sink of the answers of a stream. */
export interface AnswerStream {
  /** Sends one answer; resolves when the next one may be sent, also when the call has ended. */
  readonly send: (answer: Uint8Array) => Promise<void> | undefined;
}

/** The stream of a call, as node:http2 shows it. */
interface Stream {
  readonly destroyed: boolean;
  readonly close: (code: number) => void;
  readonly once: (event: "close", listener: () => void) => unknown;
}

/** As in unsent.ts: grpc-js has no public way from a call to its stream. */
function streamOf(call: object): Stream | undefined {
  return (call as { readonly call?: { readonly stream?: Stream } }).call?.stream;
}

/** Makes the sender of a call. It stops waiting when the signal is aborted. */
export function createAnswerStream(
  call: Pick<ServerWritableStream<unknown, Uint8Array>, "write">,
  signal: AbortSignal,
): AnswerStream {
  let underWay = 0;
  let wake: (() => void) | undefined;
  const resume = (): void => {
    wake?.();
    wake = undefined;
  };
  signal.addEventListener("abort", resume, { once: true });
  return {
    send: (answer) => {
      if (signal.aborted) return undefined;
      // The callback must not hold the answer: a reader may leave it there for long.
      const size = answer.length;
      underWay += size;
      call.write(answer, () => {
        underWay -= size;
        if (underWay < BYTES_UNDER_WAY_MAX) resume();
      });
      if (underWay < BYTES_UNDER_WAY_MAX) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
  };
}

/**
 * Ends a call that failed, whether its reader takes the failure or not: what is still on its way to
 * it a minute later is dropped.
 */
export function letGo(call: object): void {
  const stream = streamOf(call);
  if (stream === undefined || stream.destroyed) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), LEAVE_MS).unref();
  stream.once("close", () => clearTimeout(timer));
}
