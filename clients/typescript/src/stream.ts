// One call that answers with a stream: deadline, cancellation, typed errors, and retries until the
// first answer came.

import { type ClientReadableStream, Metadata, type MethodDefinition } from "@grpc/grpc-js";
import { type Caller, type CallOptions, clampTimeout, pause, sentCall } from "./call.ts";
import { toClientError } from "./errors.ts";
import { backoffMs, isRetryable } from "./retry.ts";

/**
 * Gives the answers of a call. Repeats the call while the server is away, as long as no answer has
 * been given: what comes after must be of the same call. The time is for all answers.
 */
export async function* callStream<Request, Response>(
  caller: Caller,
  method: MethodDefinition<Request, Response>,
  request: Request,
  options: CallOptions,
): AsyncGenerator<Response, void, undefined> {
  const { signal } = options;
  const deadline = Date.now() + clampTimeout(options.timeoutMs ?? caller.timeoutMs);
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const call = open(caller, method, request, deadline);
    const cancel = (): void => call.cancel();
    for (const end of [signal, caller.closed]) end?.addEventListener("abort", cancel);
    let begun = false;
    try {
      for await (const answer of call as AsyncIterable<Response>) {
        begun = true;
        yield answer;
      }
      return;
    } catch (cause) {
      signal?.throwIfAborted();
      const error = toClientError(cause, method.path, sentCall(caller, method, request));
      if (begun || !isRetryable(error) || attempt >= caller.retry.maxAttempts) throw error;
      const delay = backoffMs(attempt, caller.retry, error.retryDelayMs);
      if (caller.closed.aborted || Date.now() + delay >= deadline) throw error;
      await pause(delay, signal);
    } finally {
      for (const end of [signal, caller.closed]) end?.removeEventListener("abort", cancel);
      call.cancel();
    }
  }
}

function open<Request, Response>(
  { client }: Caller,
  method: MethodDefinition<Request, Response>,
  request: Request,
  deadline: number,
): ClientReadableStream<Response> {
  const call = client.makeServerStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    new Metadata(),
    { deadline },
  );
  // The iterator reports errors; without a listener a late one would end the process.
  call.on("error", () => {});
  return call;
}
