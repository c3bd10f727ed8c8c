// Unary calls over node:http2 with every answer checked: they fill a store before a measurement and
// count afterwards. The load itself comes from loader.ts.

import { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect } from "node:http2";
import { grpcFrame } from "./wire.ts";

const WINDOW_BYTES = 16 * 1_048_576;

/** Encoder and decoder of a message. */
export interface Codec<T> {
  encode(value: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

/** A connection for checked calls. */
export class Caller {
  readonly #session: ClientHttp2Session;

  constructor(port: number) {
    this.#session = connect(`http://127.0.0.1:${port}`, {
      settings: { initialWindowSize: WINDOW_BYTES },
    });
    this.#session.on("error", () => {});
    this.#session.on("connect", () => this.#session.setLocalWindowSize(WINDOW_BYTES));
  }

  /** Makes one call; rejects unless its status is OK. */
  call<Q, A>(path: string, request: Uint8Array | { codec: Codec<Q>; value: Q }, answer: Codec<A>) {
    const bytes =
      request instanceof Uint8Array ? request : request.codec.encode(request.value).finish();
    return new Promise<A>((resolve, reject) => {
      const stream = this.#session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc+proto",
        te: "trailers",
      });
      const chunks: Buffer[] = [];
      let status = "";
      const takeStatus = (headers: Record<string, unknown>): void => {
        if (headers["grpc-status"] !== undefined) {
          status = `${headers["grpc-status"]} ${headers["grpc-message"] ?? ""}`.trim();
        }
      };
      stream.on("response", takeStatus);
      stream.on("trailers", takeStatus);
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("close", () => {
        if (!/^0\b/.test(status)) reject(new Error(`${path}: status ${status || "missing"}`));
        else resolve(answer.decode(Buffer.concat(chunks).subarray(5)));
      });
      stream.end(grpcFrame(bytes));
    });
  }

  /** Closes the connection. */
  close(): void {
    this.#session.destroy();
  }
}

/** Runs numbered jobs with a few in flight. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, runner));
}
