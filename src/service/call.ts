// What comes with every call, whatever it asks for.

/** What every call carries. */
export interface Call {
  /** The rpc, for example `AppendMessages`. */
  readonly method: string;
  /** Empty when the caller gave none. */
  readonly requestId: string;
  /** A digest of the request without its request id; empty when there is no request id. */
  readonly digest: Uint8Array;
  /** Who calls: the name of the credential, or `local`. */
  readonly writer: string;
  /** Aborted at the deadline, on cancellation and on a forced stop. */
  readonly signal: AbortSignal;
}
