// Shared base of the client's parts: the connection, the defaults of calls, and the calls.

import { randomBytes } from "node:crypto";
import type { MethodDefinition } from "@grpc/grpc-js";
import * as calls from "./call.ts";
import { openChannel, type RawClients } from "./channel.ts";
import type { ConnectOptions } from "./options.ts";
import { callStream } from "./stream.ts";

/** A connection with the defaults of its calls. */
export class ClientBase {
  /** The generated clients on the same connection: no defaults, no retries, plain grpc errors. */
  readonly raw: RawClients;
  protected readonly caller: calls.Caller;
  protected readonly namespace: string;
  readonly #closed = new AbortController();

  /** Use `connect`. */
  constructor(address: string, settings: ConnectOptions) {
    this.raw = openChannel(address, settings);
    this.namespace = settings.namespace ?? "";
    this.caller = calls.makeCaller(this.raw.sessions, address, this.#closed.signal, settings);
  }

  /** Closes the connection. Streams end; calls that still run fail. */
  close(): void {
    this.#closed.abort();
    this.raw.sessions.close();
  }

  protected call<Request, Response>(
    method: MethodDefinition<Request, Response>,
    request: Request,
    opts: calls.CallOptions,
  ): Promise<Response> {
    return calls.callUnary(this.caller, method, request, opts);
  }

  protected stream<Request, Response>(
    method: MethodDefinition<Request, Response>,
    request: Request,
    opts: calls.CallOptions,
  ): AsyncGenerator<Response, void, undefined> {
    return callStream(this.caller, method, request, opts);
  }

  protected at(opts: calls.CallOptions): string {
    return opts.namespace ?? this.namespace;
  }

  protected session(sessionId: string, opts: calls.CallOptions) {
    return { namespace: this.at(opts), sessionId };
  }

  protected change(opts: calls.MutationOptions) {
    return { namespace: this.at(opts), requestId: opts.requestId ?? newRequestId() };
  }
}

/**
 * The id of a request: its time in ms, and 80 random bits. The server keeps answers in the order of
 * their ids. Those that rise with time lie on the same pages of its disk; with random ones it
 * writes up to three times as much.
 */
function newRequestId(): string {
  return Date.now().toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
}
