// The call of a change that the server makes by itself.

import type { Call } from "../api.ts";

/** Makes such a call. */
export function serverCall(): Call {
  return {
    method: "",
    requestId: "",
    digest: new Uint8Array(),
    writer: "server",
    signal: new AbortController().signal,
  };
}
