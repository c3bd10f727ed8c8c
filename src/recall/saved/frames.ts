// A file of frames: each has its length, a checksum and up to 256 KiB of content. The checksum goes
// over the length and the content and begins with that of the frame before, so that a frame that is
// changed, missing, twice there or from another file is noticed. An empty frame is the last one.

import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

const FRAME_BYTES = 262_144;
const FRAME_HEADER_BYTES = 8;
/** Every file begins with this and a random number, with which the checksums begin. */
const MAGIC = Buffer.from("MSRECALL");
const SALT_BYTES = 4;

/** The file is damaged, cut off, or no file of frames. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";

  constructor() {
    super("The file is damaged.");
  }
}

function newFrame(): Buffer {
  return Buffer.from(new ArrayBuffer(FRAME_HEADER_BYTES + FRAME_BYTES));
}

/** Writes frames. What was put is in the file once `end` is done. */
export class FrameWriter {
  readonly #handle: FileHandle;
  #frame: Buffer = newFrame();
  #used = FRAME_HEADER_BYTES;
  #waiting: Buffer[] = [];
  /** Frames that were written, to be used again: each new one would be garbage for long. */
  readonly #spare: Buffer[] = [];
  #sum: number;
  /** Bytes of the file. */
  bytes = 0;

  constructor(handle: FileHandle) {
    const salt = randomBytes(SALT_BYTES);
    this.#handle = handle;
    this.#sum = salt.readUInt32LE();
    this.#waiting.push(Buffer.concat([MAGIC, salt]));
  }

  /** Takes content; it is copied at once. */
  put(content: Uint8Array): void {
    for (let at = 0; at < content.length; ) {
      if (this.#used === this.#frame.length) this.seal();
      const taken = Math.min(content.length - at, this.#frame.length - this.#used);
      this.#frame.set(content.subarray(at, at + taken), this.#used);
      this.#used += taken;
      at += taken;
    }
  }

  /** Ends the frame. */
  seal(): void {
    const frame = this.#frame.subarray(0, this.#used);
    frame.writeUInt32LE(frame.length - FRAME_HEADER_BYTES, 0);
    this.#sum = sumOf(frame, this.#sum);
    frame.writeUInt32LE(this.#sum, 4);
    this.#waiting.push(frame);
    this.#frame = this.#spare.pop() ?? newFrame();
    this.#used = FRAME_HEADER_BYTES;
  }

  /** Writes the frames that have ended. */
  async drain(): Promise<void> {
    for (const frame of this.#waiting.splice(0)) {
      for (let at = 0; at < frame.length; ) {
        const { bytesWritten } = await this.#handle.write(frame, at);
        at += bytesWritten;
      }
      this.bytes += frame.length;
      // The beginning of the file is a buffer of its own.
      if (frame.buffer.byteLength === this.#frame.buffer.byteLength) {
        this.#spare.push(Buffer.from(frame.buffer));
      }
    }
  }

  /** Ends the file. */
  async end(): Promise<void> {
    if (this.#used > FRAME_HEADER_BYTES) this.seal();
    this.seal();
    await this.drain();
  }
}

/** Reads frames. Everything throws DamagedFile where the file is not as it was written. */
export class FrameReader {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(FRAME_HEADER_BYTES + FRAME_BYTES);
  #content: Buffer = Buffer.alloc(0);
  #at = 0;
  #sum = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Reads the beginning of the file. */
  async begin(): Promise<void> {
    const start = await this.#read(MAGIC.length + SALT_BYTES);
    if (
      start.length < MAGIC.length + SALT_BYTES ||
      !start.subarray(0, MAGIC.length).equals(MAGIC)
    ) {
      throw new DamagedFile();
    }
    this.#sum = start.readUInt32LE(MAGIC.length);
    this.#at = start.length;
  }

  /** The rest of this frame, or the whole next one. Good until the next call. */
  async frame(): Promise<Buffer> {
    if (this.#content.length === 0) await this.#next();
    const { length } = this.#content;
    return this.#take(length);
  }

  /** Fills an array. */
  async fill(target: Uint8Array): Promise<void> {
    for (let at = 0; at < target.length; ) {
      if (this.#content.length === 0) await this.#next();
      if (this.#content.length === 0) throw new DamagedFile();
      const part = this.#take(Math.min(this.#content.length, target.length - at));
      target.set(part, at);
      at += part.length;
    }
  }

  /** Checks that nothing is left. */
  async end(): Promise<void> {
    const isOver = this.#content.length === 0 && (await this.frame()).length === 0;
    if (!isOver || (await this.#read(1)).length > 0) throw new DamagedFile();
  }

  #take(length: number): Buffer {
    const part = this.#content.subarray(0, length);
    this.#content = this.#content.subarray(length);
    return part;
  }

  async #next(): Promise<void> {
    const read = await this.#read(this.#buffer.length);
    const length = read.length < FRAME_HEADER_BYTES ? -1 : read.readUInt32LE(0);
    const frame = read.subarray(0, FRAME_HEADER_BYTES + length);
    if (length < 0 || frame.length !== FRAME_HEADER_BYTES + length) throw new DamagedFile();
    this.#sum = sumOf(frame, this.#sum);
    if (frame.readUInt32LE(4) !== this.#sum) throw new DamagedFile();
    this.#at += frame.length;
    this.#content = frame.subarray(FRAME_HEADER_BYTES);
  }

  /** Reads so many bytes, or those that are left. */
  async #read(length: number): Promise<Buffer> {
    let filled = 0;
    while (filled < length) {
      const at = this.#at + filled;
      const { bytesRead } = await this.#handle.read(this.#buffer, filled, length - filled, at);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return this.#buffer.subarray(0, filled);
  }
}

/** The checksum of a frame, without the place of the checksum itself. */
function sumOf(frame: Buffer, before: number): number {
  return crc32(frame.subarray(FRAME_HEADER_BYTES), crc32(frame.subarray(0, 4), before));
}
