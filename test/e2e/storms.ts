// Rude clients over bare HTTP/2: streams that are reset at once, deadlines that cannot be met,
// calls that are given up, answers that are not read.

import { Buffer } from "node:buffer";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type Settings,
} from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

/** A call as bytes. */
export interface RawCall {
  readonly path: string;
  /** The message without its gRPC prefix. */
  readonly message: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

function framed(message: Uint8Array): Buffer {
  const out = Buffer.alloc(5 + message.length);
  out.writeUInt32BE(message.length, 1);
  out.set(message, 5);
  return out;
}

async function open(address: string, settings?: Settings): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`, {
    // Much waits to be sent, and statuses must get in all the same.
    maxSessionMemory: 2_000,
    ...(settings === undefined ? {} : { settings }),
  });
  session.on("error", () => {});
  await new Promise((resolve) => session.once("connect", resolve));
  return session;
}

function request(session: ClientHttp2Session, call: Omit<RawCall, "message">) {
  const stream = session.request({
    ":method": "POST",
    ":path": call.path,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...call.headers,
  });
  stream.on("error", () => {});
  stream.resume();
  return stream;
}

function start(session: ClientHttp2Session, call: RawCall) {
  const stream = request(session, call);
  stream.end(framed(call.message));
  return stream;
}

/** Starts calls on one connection and resets each at once. Returns how many it could start. */
export async function rapidReset(address: string, call: RawCall, count: number): Promise<number> {
  const session = await open(address);
  let started = 0;
  for (let i = 0; i < count && !session.destroyed && !session.closed; i++) {
    const stream = start(session, call);
    stream.close(constants.NGHTTP2_CANCEL);
    started += 1;
    if (i % 50 === 0) await sleep(1);
  }
  session.destroy();
  return started;
}

/** Starts calls and lets go of the connection in the middle of them. */
export async function vanish(address: string, call: RawCall, count: number): Promise<void> {
  const session = await open(address);
  for (let i = 0; i < count; i++) start(session, call);
  await sleep(5);
  session.destroy();
}

/** A connection whose owner reads no answer. */
export interface Hoarder {
  /** Number of ended calls, by their status; a stream that ends without one counts as `reset`. */
  readonly ended: ReadonlyMap<string, number>;
  /** Says that the server has let go of the connection. */
  readonly dropped: () => boolean;
  /** Makes more calls. */
  readonly call: (call: RawCall, count: number) => void;
  /** Begins calls with this part of a request of 4 MB, and leaves it at that. */
  readonly begin: (path: string, bytes: number, count: number) => void;
  /** Gives every call up, but not the connection. */
  readonly cancel: () => void;
  readonly close: () => void;
}

/** Opens a connection on which no answer gets out: each of its streams has a window of zero. */
export async function hoard(address: string): Promise<Hoarder> {
  const session = await open(address, { initialWindowSize: 0 });
  const ended = new Map<string, number>();
  const streams = new Set<ClientHttp2Stream>();
  const follow = (stream: ClientHttp2Stream): void => {
    streams.add(stream);
    let status = "reset";
    const take = (headers: Record<string, unknown>): void => {
      if (headers["grpc-status"] !== undefined) status = String(headers["grpc-status"]);
    };
    stream.on("response", take);
    stream.on("trailers", take);
    stream.on("close", () => {
      streams.delete(stream);
      ended.set(status, (ended.get(status) ?? 0) + 1);
    });
  };
  return {
    ended,
    dropped: () => session.destroyed,
    call: (call, count) => {
      for (let i = 0; i < count; i++) follow(start(session, call));
    },
    begin: (path, bytes, count) => {
      const part = framed(new Uint8Array(4_000_000)).subarray(0, bytes);
      for (let i = 0; i < count; i++) {
        const stream = request(session, { path });
        stream.write(part);
        follow(stream);
      }
    },
    cancel: () => {
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    },
    close: () => session.destroy(),
  };
}

/**
 * Begins calls whose requests come so many bytes every 100 milliseconds, and never end. Gives how
 * many of them are still open.
 */
export async function creep(
  address: string,
  path: string,
  { bytes, count }: { readonly bytes: number; readonly count: number },
): Promise<{ readonly open: () => number; readonly close: () => void }> {
  const session = await open(address);
  const streams = Array.from({ length: count }, () => request(session, { path }));
  const head = framed(new Uint8Array(4_000_000)).subarray(0, 5);
  for (const stream of streams) stream.write(head);
  const timer = setInterval(() => {
    for (const stream of streams) if (!stream.destroyed) stream.write(Buffer.alloc(bytes));
  }, 100);
  return {
    open: () => streams.filter((stream) => !stream.closed).length,
    close: () => {
      clearInterval(timer);
      session.destroy();
    },
  };
}

/** Makes a call and reads its answer slowly: so many bytes every 100 milliseconds. */
export async function trickle(
  address: string,
  call: RawCall,
  bytes: number,
): Promise<Pick<Hoarder, "dropped" | "close">> {
  const session = await open(address);
  const stream = start(session, call);
  stream.pause();
  const timer = setInterval(() => stream.read(bytes) ?? stream.read(), 100);
  const close = (): void => {
    clearInterval(timer);
    session.destroy();
  };
  return { dropped: () => session.destroyed, close };
}

/** Makes calls and counts their statuses; a stream that ends without one counts as `reset`. */
export async function statuses(
  address: string,
  calls: readonly RawCall[],
): Promise<Map<string, number>> {
  const session = await open(address);
  const counts = new Map<string, number>();
  await Promise.all(
    calls.map(
      (call) =>
        new Promise<void>((resolve) => {
          const stream = start(session, call);
          let status = "reset";
          const take = (headers: Record<string, unknown>): void => {
            if (headers["grpc-status"] !== undefined) status = String(headers["grpc-status"]);
          };
          stream.on("response", take);
          stream.on("trailers", take);
          stream.on("close", () => {
            counts.set(status, (counts.get(status) ?? 0) + 1);
            resolve();
          });
        }),
    ),
  );
  session.destroy();
  return counts;
}
