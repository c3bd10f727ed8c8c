// A bare HTTP/2 connection for unary gRPC calls: just enough of the protocol to load a server with
// little work of its own. It writes frames by hand into one buffer and disables the dynamic header
// table, so that trailers can be compared byte for byte with those of a good answer.

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

const FRAME_DATA = 0;
const FRAME_HEADERS = 1;
const FRAME_RST_STREAM = 3;
const FRAME_SETTINGS = 4;
const FRAME_PING = 6;
const FRAME_GOAWAY = 7;
const FRAME_WINDOW_UPDATE = 8;
const FLAG_END_STREAM = 1;
const FLAG_ACK = 1;
const FLAG_END_HEADERS = 4;
const HEADER_BYTES = 9;
const PREFIX_BYTES = 5;
/** Tag of a length-delimited field with number 1. */
const FIRST_FIELD = 0x0a;
const WINDOW_MAX = 0x7fffffff;
const WINDOW_DEFAULT = 65_535;
const CREDIT_AT = 1 << 28;

/** Outcome of one call. */
export interface WireAnswer {
  readonly ok: boolean;
  readonly bytes: number;
  /** The trailers as sent, to compare with those of a good answer. */
  readonly trailers: string;
}

/** Receives the answer of a stream. */
export type OnAnswer = (streamId: number, answer: WireAnswer) => void;

interface OpenStream {
  bytes: number;
  messages: number;
  /** Elements of the first field over all messages. */
  items: number;
  /** Remaining bytes to skip in the current element and in other fields of its message. */
  skip: number;
  /** Length of the current field, as far as it has arrived. */
  length: number;
  /** Place value of the next byte of the length; 0 until the tag has arrived. */
  scale: number;
  /** Remaining bytes of the current message. */
  left: number;
  /** Message prefix, as far as it has arrived. */
  prefix: Buffer;
  /** Received bytes that no window update has acknowledged. */
  uncredited: number;
}

/** Options of a connection. */
export interface WireOptions {
  readonly onAnswer: OnAnswer;
  readonly onError: (error: Error) => void;
  /** Counts the elements of the first field of each message. Default: messages are not parsed. */
  readonly countItems?: boolean;
  /** Initial flow-control window of a stream. Default: unlimited. */
  readonly streamWindow?: number;
}

/** Writes a frame header into a buffer. */
function putHeader(
  out: Buffer,
  at: number,
  frame: { length: number; type: number; flags: number; stream: number },
) {
  out.writeUIntBE(frame.length, at, 3);
  out[at + 3] = frame.type;
  out[at + 4] = frame.flags;
  out.writeUInt32BE(frame.stream, at + 5);
}

function frameOf(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const out = Buffer.alloc(HEADER_BYTES + payload.length);
  putHeader(out, 0, { length: payload.length, type, flags, stream });
  payload.copy(out, HEADER_BYTES);
  return out;
}

/** A header with an indexed name and a literal value. */
function literal(name: readonly number[], value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length >= 127) throw new Error("header value too long for the bench");
  return Buffer.concat([Buffer.from(name), Buffer.from([bytes.length]), bytes]);
}

/** The header block of a unary call, in HPACK without the dynamic table. */
export function headerBlock(path: string, authority: string): Buffer {
  const te = Buffer.from("te", "latin1");
  return Buffer.concat([
    Buffer.from([0x83, 0x86]), // :method POST, :scheme http
    literal([0x04], path),
    literal([0x01], authority),
    literal([0x0f, 0x10], "application/grpc+proto"), // content-type is entry 31
    literal([0x00, te.length, ...te], "trailers"),
  ]);
}

/** Adds the five-byte gRPC prefix to a message. */
export function grpcFrame(message: Uint8Array): Buffer {
  const out = Buffer.alloc(5 + message.length);
  out.writeUInt32BE(message.length, 1);
  out.set(message, 5);
  return out;
}

/** Counts the fields with number 1 in part of a message whose fields are all length-delimited. */
function countItems(open: OpenStream, part: Buffer): void {
  let at = 0;
  while (at < part.length) {
    const taken = Math.min(open.skip, part.length - at);
    open.skip -= taken;
    at += taken;
    if (at === part.length) return;
    const byte = part[at++] ?? 0;
    if (open.scale === 0) {
      if (byte === FIRST_FIELD) open.items += 1;
      open.scale = 1;
      continue;
    }
    open.length += (byte & 0x7f) * open.scale;
    open.scale *= 0x80;
    if (byte >= 0x80) continue;
    open.skip = open.length;
    open.length = 0;
    open.scale = 0;
  }
}

/** Follows the messages of a stream through its DATA frames, whose boundaries may differ. */
function countMessages(open: OpenStream, payload: Buffer, inside: boolean): void {
  open.bytes += payload.length;
  let at = 0;
  while (at < payload.length) {
    if (open.left > 0) {
      const taken = Math.min(open.left, payload.length - at);
      if (inside) countItems(open, payload.subarray(at, at + taken));
      open.left -= taken;
      at += taken;
      continue;
    }
    const missing = PREFIX_BYTES - open.prefix.length;
    const prefix = Buffer.concat([open.prefix, payload.subarray(at, at + missing)]);
    at += missing;
    const whole = prefix.length === PREFIX_BYTES;
    if (whole) {
      open.messages += 1;
      open.left = prefix.readUInt32BE(1);
    }
    open.prefix = whole ? Buffer.alloc(0) : prefix;
  }
}

/** One connection. `send` starts calls; `flush` writes them to the socket. */
export class WireConnection {
  readonly #socket: Socket;
  readonly #block: Buffer;
  readonly #options: WireOptions;
  readonly #open = new Map<number, OpenStream>();
  #rest: Buffer = Buffer.alloc(0);
  #out: Buffer = Buffer.alloc(1 << 16);
  #used = 0;
  #nextStream = 1;
  #sendWindow = WINDOW_DEFAULT;
  #received = 0;
  readonly #waiting: { stream: number; body: Buffer }[] = [];
  #closed = false;

  private constructor(socket: Socket, block: Buffer, options: WireOptions) {
    this.#socket = socket;
    this.#block = block;
    this.#options = options;
  }

  /** Connects and sends the preface. */
  static async open(port: number, block: Buffer, options: WireOptions): Promise<WireConnection> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    const wire = new WireConnection(socket, block, options);
    wire.#start();
    return wire;
  }

  #start(): void {
    const settings = Buffer.alloc(18);
    settings.writeUInt16BE(1, 0); // header table size 0: every block stands alone
    settings.writeUInt16BE(4, 6); // initial window of a stream
    settings.writeUInt32BE(this.#options.streamWindow ?? WINDOW_MAX, 8);
    settings.writeUInt16BE(2, 12); // no push
    this.#append(Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1"));
    this.#append(frameOf(FRAME_SETTINGS, 0, 0, settings));
    this.#credit(WINDOW_MAX - WINDOW_DEFAULT);
    this.flush();
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  #fail(error: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onError(error);
  }

  /** Closes without waiting. */
  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  /** Stops reading, so that the server's writes stall. */
  pause(): void {
    this.#socket.pause();
  }

  /** Resumes reading. */
  resume(): void {
    this.#socket.resume();
  }

  /** Number of messages received on open streams. */
  messages(): number {
    let sum = 0;
    for (const open of this.#open.values()) sum += open.messages;
    return sum;
  }

  /** Number of elements of the first field received on open streams. */
  items(): number {
    let sum = 0;
    for (const open of this.#open.values()) sum += open.items;
    return sum;
  }

  /** Starts a call. The body carries its gRPC prefix. Returns the id of the stream. */
  send(body: Buffer): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const prefix = Buffer.alloc(0);
    const counts = { bytes: 0, messages: 0, items: 0, skip: 0, length: 0, scale: 0 };
    this.#open.set(stream, { ...counts, left: 0, prefix, uncredited: 0 });
    if (this.#waiting.length > 0 || body.length > this.#sendWindow) {
      this.#waiting.push({ stream, body: Buffer.from(body) });
    } else {
      this.#write(stream, body);
    }
    return stream;
  }

  #write(stream: number, body: Buffer): void {
    this.#sendWindow -= body.length;
    this.#room(2 * HEADER_BYTES + this.#block.length + body.length);
    const flags = FLAG_END_HEADERS;
    const length = this.#block.length;
    putHeader(this.#out, this.#used, { length, type: FRAME_HEADERS, flags, stream });
    this.#block.copy(this.#out, this.#used + HEADER_BYTES);
    this.#used += HEADER_BYTES + length;
    const data = { length: body.length, type: FRAME_DATA, flags: FLAG_END_STREAM, stream };
    putHeader(this.#out, this.#used, data);
    body.copy(this.#out, this.#used + HEADER_BYTES);
    this.#used += HEADER_BYTES + body.length;
  }

  #room(bytes: number): void {
    if (this.#used + bytes <= this.#out.length) return;
    const bigger = Buffer.alloc(Math.max(this.#out.length * 2, this.#used + bytes));
    this.#out.copy(bigger, 0, 0, this.#used);
    this.#out = bigger;
  }

  #append(bytes: Buffer): void {
    this.#room(bytes.length);
    bytes.copy(this.#out, this.#used);
    this.#used += bytes.length;
  }

  /** Writes the calls started since the last flush. */
  flush(): void {
    if (this.#used === 0 || this.#closed) return;
    this.#socket.write(Buffer.from(this.#out.subarray(0, this.#used)));
    this.#used = 0;
  }

  #credit(bytes: number, stream = 0): void {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(bytes, 0);
    this.#append(frameOf(FRAME_WINDOW_UPDATE, 0, stream, payload));
  }

  #creditStream(stream: number, open: OpenStream, bytes: number): void {
    const window = this.#options.streamWindow;
    if (window === undefined) return;
    open.uncredited += bytes;
    if (open.uncredited * 2 < window) return;
    this.#credit(open.uncredited, stream);
    open.uncredited = 0;
  }

  #read(chunk: Buffer): void {
    let input = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (input.length - at >= HEADER_BYTES) {
      const length = input.readUIntBE(at, 3);
      if (input.length - at < HEADER_BYTES + length) break;
      const payload = input.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
      const stream = input.readUInt32BE(at + 5) & WINDOW_MAX;
      this.#frame(input[at + 3] ?? 0, input[at + 4] ?? 0, stream, payload);
      at += HEADER_BYTES + length;
    }
    input = input.subarray(at);
    // The rest is copied, as a view would keep the whole chunk alive.
    this.#rest = input.length === 0 ? input : Buffer.from(input);
    if (this.#received > CREDIT_AT) {
      this.#credit(this.#received);
      this.#received = 0;
    }
    this.flush();
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FRAME_DATA) {
      this.#received += payload.length;
      const open = this.#open.get(stream);
      if (open !== undefined) {
        countMessages(open, payload, this.#options.countItems === true);
        this.#creditStream(stream, open, payload.length);
      }
      if ((flags & FLAG_END_STREAM) !== 0) this.#end(stream, "");
    } else if (type === FRAME_HEADERS) {
      if ((flags & FLAG_END_STREAM) !== 0) this.#end(stream, payload.toString("latin1"));
    } else if (type === FRAME_RST_STREAM) {
      if (this.#open.has(stream)) this.#end(stream, "reset");
    } else {
      this.#control(type, flags, stream, payload);
    }
  }

  #control(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FRAME_SETTINGS && (flags & FLAG_ACK) === 0) {
      this.#append(frameOf(FRAME_SETTINGS, FLAG_ACK, 0, Buffer.alloc(0)));
    } else if (type === FRAME_PING && (flags & FLAG_ACK) === 0) {
      this.#append(frameOf(FRAME_PING, FLAG_ACK, 0, payload));
    } else if (type === FRAME_WINDOW_UPDATE && stream === 0) {
      this.#sendWindow += payload.readUInt32BE(0);
      this.#sendWaiting();
    } else if (type === FRAME_GOAWAY) {
      this.#fail(new Error(`the server sent GOAWAY ${payload.readUInt32BE(4)}`));
    }
  }

  #sendWaiting(): void {
    let next = this.#waiting[0];
    while (next !== undefined && next.body.length <= this.#sendWindow) {
      this.#waiting.shift();
      this.#write(next.stream, next.body);
      next = this.#waiting[0];
    }
  }

  #end(stream: number, trailers: string): void {
    const open = this.#open.get(stream);
    if (open === undefined) return;
    this.#open.delete(stream);
    // grpc-js sends errors as trailers only, so an answer without a message is a failure.
    this.#options.onAnswer(stream, { ok: open.bytes >= PREFIX_BYTES, bytes: open.bytes, trailers });
  }
}
