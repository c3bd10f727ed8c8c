// Changes that are noted in a file while the data file is copied, and carried out on the copy
// afterwards.

import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import type { Environment } from "./environment.ts";
import {
  carryOut,
  decodeWrites,
  encodeWrites,
  type Flight,
  type Write,
  writeFlight,
} from "./flight.ts";

const BATCH_BYTES = 1_048_576;

/** Notes the changes of a store. */
export class ChangeFile {
  readonly #path: string;
  readonly #file: number;
  readonly #checkRoom: (bytes: number) => void;
  #noted = 0;
  #done = 0;
  #failure: unknown;

  /** `checkRoom` throws when the disk has no room for so many bytes more. */
  constructor(path: string, checkRoom: (bytes: number) => void) {
    this.#path = path;
    this.#checkRoom = checkRoom;
    this.#file = openSync(path, "wx+", 0o600);
  }

  /** Bytes that are noted and not carried out. */
  get waitingBytes(): number {
    return this.#noted - this.#done;
  }

  /** Notes a transaction. After a failure nothing more is noted, and `carryOut` throws it. */
  note(flight: Flight): void {
    if (this.#failure !== undefined) return;
    try {
      const bytes = Buffer.concat(
        encodeWrites((tables) => {
          writeFlight(tables, flight);
        }),
      );
      this.#checkRoom(bytes.length);
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#noted + at);
      }
      this.#noted += bytes.length;
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Carries out what comes next, about 1 MiB, in one transaction of the copy. */
  async carryOut(copy: Environment): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { writes, end } = this.#next(BATCH_BYTES);
    await carryOut(copy, writes);
    this.#done = end;
  }

  /** Removes the file. */
  remove(): void {
    this.#failure ??= new Error("The file of changes is closed.");
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  /** The whole writes among the next bytes; at least one. */
  #next(bytes: number): { readonly writes: readonly Write[]; readonly end: number } {
    const block = Buffer.allocUnsafe(Math.min(bytes, this.waitingBytes));
    const length = readSync(this.#file, block, 0, block.length, this.#done);
    const { writes, end } = decodeWrites(block.subarray(0, length));
    if (end > 0) return { writes, end: this.#done + end };
    if (length < bytes) throw new Error("The file of changes was cut off.");
    return this.#next(2 * bytes);
  }
}
