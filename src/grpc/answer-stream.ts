// Sends the answers of a stream no faster than the reader takes them. grpc-js would queue without
// an end; here the bytes that are on their way are counted, and the sender waits while there are
// many.

import { constants } from "node:http2";
import type { ServerWritableStream } from "@grpc/grpc-js";

/** The most bytes on their way to a reader, one answer more or less. */
const BYTES_UNDER_WAY_MAX = 16_384;

/** How long a reader that took nothing may take to see how its call ended. */
const LEAVE_MS = 60_000;

/** Where a stream's answers go. */
export interface AnswerStream {
  /** Sends one answer; resolves when the next one may be sent, also when the call has ended. */
  readonly send: (answer: Uint8Array) => Promise<void> | undefined;
  /**
   * Says that the call ends now, whether its reader takes the end or not: what is still on its way
   * to it a minute later is dropped.
   */
  readonly letGo: () => void;
}

/** The stream of a call, as node:http2 shows it. */
interface Stream {
  readonly close: (code: number) => void;
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
      // What calls back must not hold the answer: a reader may leave it there for long.
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
    letGo: () => {
      if (signal.aborted) return;
      const timer = setTimeout(() => streamOf(call)?.close(constants.NGHTTP2_CANCEL), LEAVE_MS);
      timer.unref();
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    },
  };
}
