// Requests on their way in. grpc-js gathers each of them, up to its largest size, before any rpc
// hears of it; here those that do not come in one piece are counted until their call is over, more
// are refused while too much waits, and one that stops half way, or creeps, is given up.

import type { Metadata, ServerInterceptingCall, ServerInterceptor } from "@grpc/grpc-js";
import type { Auth } from "./auth.ts";
import type { Carrier, Connections } from "./connections.ts";
import { memoryShort, requestStalled, requestsUnfinished, toErrorStatus } from "./error-status.ts";
import type { MemoryPressure } from "./memory-pressure.ts";
import { type BufferLimits, brokenLimit, SLOWEST_PEER } from "./unsent.ts";

/** Bytes that may arrive before the count begins: a stream may send so much before it is read. */
const FIRST_BYTES = 65_536;

const HEALTH = "/grpc.health.";

type InterceptedCall = Parameters<ServerInterceptor>[1];

/** A stream, as node:http2 shows it. */
interface Stream {
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  readonly session?: { readonly socket?: Carrier };
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  setTimeout(ms: number, listener?: () => void): unknown;
  close(code?: number): void;
}

/** Bytes of the requests that come in on one connection: those that count, and all that came. */
interface Incoming {
  bytes: number;
  received: number;
}

/** Parts that requests on their way in depend on. */
interface IncomingParts {
  readonly connections: Connections;
  readonly auth: Auth;
  readonly pressure: MemoryPressure;
}

/** Counts the requests that are coming in, against limits. */
export class IncomingRequests {
  readonly #limits: BufferLimits;
  readonly #connections = new WeakMap<object, Incoming>();
  #bytes = 0;
  #young: InterceptedCall[] = [];

  readonly #parts: IncomingParts;

  constructor(limits: BufferLimits, parts: IncomingParts) {
    this.#limits = limits;
    this.#parts = parts;
  }

  /** Sees every call as it begins. It wraps none of them: that would slow all of them down. */
  readonly interceptor: ServerInterceptor = (method, call) => {
    this.#begin(method.path, call);
    // A client of a request stream may be silent for as long as it likes.
    if (!method.requestStream) {
      if (this.#young.length === 0) setImmediate(() => this.#look());
      this.#young.push(call);
    }
    return call as ServerInterceptingCall;
  };

  /** Counts a call for its connection when its headers are here; what follows may never come. */
  #begin(path: string, call: InterceptedCall): void {
    const { stream, metadata } = call as { readonly stream?: Stream; readonly metadata?: Metadata };
    if (stream === undefined || stream.destroyed || metadata === undefined) return;
    const { connections, auth } = this.#parts;
    const socket = stream.session?.socket;
    if (path.startsWith(HEALTH)) stream.on("close", connections.beginProbe(socket));
    // Reflection needs no token either, and keeps no connection open.
    else if (!path.startsWith("/grpc.") && auth.isKnown(metadata)) {
      stream.on("close", connections.begin(socket));
    }
  }

  /** Follows the calls whose requests are not here yet. Most come in one piece and are. */
  #look(): void {
    const calls = this.#young;
    this.#young = [];
    for (const call of calls) {
      // grpc-js has no public way from a call to its stream: this looks inside, and
      // test/e2e/unread.test.ts fails when a new version keeps it elsewhere.
      const { stream } = call as { readonly stream?: Stream };
      if (stream !== undefined && !stream.readableEnded && !stream.destroyed) {
        this.#follow(call, stream);
      }
    }
  }

  #follow(call: InterceptedCall, stream: Stream): void {
    const { session } = stream;
    if (session === undefined) return;
    const connection = this.#connections.get(session) ?? { bytes: 0, received: 0 };
    this.#connections.set(session, connection);
    let counted = 0;
    let refused = false;
    const refuse = (error: Error): void => {
      if (refused) return;
      refused = true;
      call.sendStatus(toErrorStatus(error));
      // The status goes first; then nothing of the request is kept.
      setImmediate(() => stream.close());
    };
    const add = (bytes: number): void => {
      if (refused) return;
      const error = this.#problem(connection.bytes, bytes, counted === 0);
      if (error !== undefined) {
        refuse(error);
        return;
      }
      counted += bytes;
      connection.bytes += bytes;
      this.#bytes += bytes;
    };
    const giveUp = (): void => refuse(requestStalled(this.#limits.timeoutMs));
    const timer = this.#watchPace(connection, giveUp);
    stream.on("close", () => {
      clearInterval(timer);
      connection.bytes -= counted;
      this.#bytes -= counted;
    });
    stream.on("data", (chunk) => {
      connection.received += chunk.length;
      add(chunk.length);
    });
    stream.on("end", () => {
      clearInterval(timer);
      stream.setTimeout(0);
    });
    stream.setTimeout(this.#limits.timeoutMs, giveUp);
    add(FIRST_BYTES);
  }

  /** The reason to refuse bytes of a request that has begun, or a new one. */
  #problem(connectionBytes: number, bytes: number, isNew: boolean): Error | undefined {
    const limit = brokenLimit(this.#limits, { connectionBytes, allBytes: this.#bytes }, bytes);
    if (limit !== undefined) return requestsUnfinished(limit);
    // One may always come in: garbage is collected only while there is work.
    const isShort = isNew && this.#bytes > 0 && this.#parts.pressure.isHigh();
    return isShort ? memoryShort() : undefined;
  }

  /**
   * Gives a request up when all that come in on its connection creep together: one that is slow
   * beside others waits for its turn.
   */
  #watchPace(connection: Incoming, giveUp: () => void): NodeJS.Timeout {
    const { timeoutMs } = this.#limits;
    let before = connection.received;
    return setInterval(() => {
      const moved = connection.received - before;
      before = connection.received;
      if (moved < timeoutMs * SLOWEST_PEER) giveUp();
    }, timeoutMs).unref();
  }
}
