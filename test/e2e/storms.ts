// Rude clients over bare HTTP/2: streams that are reset at once, deadlines that cannot be met,
// calls that are given up.

import { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect, constants } from "node:http2";
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

async function open(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`);
  session.on("error", () => {});
  await new Promise((resolve) => session.once("connect", resolve));
  return session;
}

function start(session: ClientHttp2Session, call: RawCall) {
  const stream = session.request({
    ":method": "POST",
    ":path": call.path,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...call.headers,
  });
  stream.on("error", () => {});
  stream.resume();
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
