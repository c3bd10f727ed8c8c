// One unary call: deadline, cancellation, typed errors and retries.

import { setTimeout as wait } from "node:timers/promises";
import { type Client, Metadata, type MethodDefinition } from "@grpc/grpc-js";
import { type SentCall, toClientError } from "./errors.ts";
import { backoffMs, DEFAULT_RETRY, isRetryable, type RetryPolicy } from "./retry.ts";

/** Options of every call. */
export interface CallOptions {
  /** The namespace; default: that of the client. */
  readonly namespace?: string | undefined;
  /** Time limit of the call with all its attempts, in milliseconds; default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call early; the call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export const CALL_OPTIONS = { namespace: true, timeoutMs: true, signal: true } as const;
/** The options of calls that concern no namespace. */
export const SERVER_CALL_OPTIONS = { timeoutMs: true, signal: true } as const;

/** Options of every call that changes data. */
export interface MutationOptions extends CallOptions {
  /**
   * Names this change, so that a repeat takes effect once; at most 128 bytes. Default: a random one
   * for this call. Give your own to repeat a call safely yourself, for example after a crash.
   */
  readonly requestId?: string | undefined;
}

export const MUTATION_OPTIONS = { ...CALL_OPTIONS, requestId: true } as const;

/** Client and defaults of calls. */
export interface Caller {
  readonly client: Client;
  /** For messages of errors, as is the next one. */
  readonly address: string;
  readonly isSecure: boolean;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** Is aborted when the client is closed: nothing is repeated then. */
  readonly closed: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The longest timeout, in milliseconds: longer ones overflow the timers of server and client. */
export const MAX_TIMEOUT_MS = 24 * 86_400_000 - 1;

/** Checks a timeout and cuts it to what timers can hold. */
export function clampTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be above 0, not ${timeoutMs}`);
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

/** Builds a caller, with defaults filled in. */
export function makeCaller(
  client: Client,
  address: string,
  closed: AbortSignal,
  settings: {
    readonly timeoutMs?: number | undefined;
    readonly retry?: Partial<RetryPolicy> | undefined;
    readonly tls?: unknown;
  },
): Caller {
  return {
    client,
    address,
    isSecure: Boolean(settings.tls),
    closed,
    timeoutMs: clampTimeout(settings.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    retry: { ...DEFAULT_RETRY, ...settings.retry },
  };
}

/** The part of an answer that the contract always sets. */
export function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the server left out what the contract promises");
  return value;
}

/** Waits; fails with the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Calls a unary rpc. Repeats it while the server is away or asks for a repeat, until the attempts
 * or the time are used up; then the last error is thrown.
 */
export async function callUnary<Request, Response>(
  caller: Caller,
  method: MethodDefinition<Request, Response>,
  request: Request,
  options: CallOptions,
): Promise<Response> {
  const deadline = Date.now() + clampTimeout(options.timeoutMs ?? caller.timeoutMs);
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return await callOnce(caller, method, request, { deadline, signal: options.signal });
    } catch (error) {
      if (!isRetryable(error) || attempt >= caller.retry.maxAttempts) throw error;
      const delay = backoffMs(attempt, caller.retry, error.retryDelayMs);
      if (caller.closed.aborted || Date.now() + delay >= deadline) throw error;
      await pause(delay, options.signal);
    }
  }
}

/** Describes a sent call, to explain its error. */
export function sentCall<Request, Response>(
  { address, isSecure }: Caller,
  method: MethodDefinition<Request, Response>,
  request: Request,
): SentCall {
  return { address, isSecure, request, byteCount: () => method.requestSerialize(request).length };
}

interface Attempt {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

function callOnce<Request, Response>(
  caller: Caller,
  method: MethodDefinition<Request, Response>,
  request: Request,
  { deadline, signal }: Attempt,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = caller.client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      new Metadata(),
      { deadline },
      (error, response) => {
        signal?.removeEventListener("abort", cancel);
        if (signal?.aborted) reject(signal.reason);
        else if (error)
          reject(toClientError(error, method.path, sentCall(caller, method, request)));
        else resolve(response as Response);
      },
    );
    const cancel = (): void => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
  });
}
