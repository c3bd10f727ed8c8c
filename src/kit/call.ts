// The part that all calls have in common.

import { AppError } from "./errors.ts";

/** Fields of every call. */
export interface Call {
  /** The rpc, for example `AppendMessages`. */
  readonly method: string;
  /** Empty when the caller gave none. */
  readonly requestId: string;
  /**
   * A digest of the request without its request id, whose characters are bytes; empty when there is
   * no request id.
   */
  readonly digest: string;
  /** Caller: the name of the credential, or `local`. */
  readonly writer: string;
  /** Aborted at the deadline, on cancellation and on a forced stop. */
  readonly signal: AbortSignal;
  /** Time at which the caller stops waiting, in milliseconds since 1970. Default: never. */
  readonly deadlineMs?: number;
}

/** Throws when the caller no longer waits. */
export function checkLive(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new AppError("DEADLINE_EXCEEDED", "The deadline passed or the call was canceled.");
  }
}

/** The call of a change that the server makes by itself. */
export function serverCall(): Call {
  return {
    method: "",
    requestId: "",
    digest: "",
    writer: "server",
    signal: new AbortController().signal,
  };
}
