// Sends the answers of a stream no faster than the reader takes them. grpc-js would queue without
// an end; here the bytes that are on their way are counted, and the sender waits while there are
// many.

import type { ServerWritableStream } from "@grpc/grpc-js";

/** The most bytes on their way to a reader, one answer more or less. */
const BYTES_UNDER_WAY_MAX = 16_384;

/** Where a stream's answers go. */
export interface AnswerStream {
  /** Sends one answer; resolves when the next one may be sent, also when the call has ended. */
  readonly send: (answer: Uint8Array) => Promise<void> | undefined;
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
  };
}
