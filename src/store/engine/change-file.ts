// Changes that are noted in a file while the data file is copied, and carried out on the copy
// afterwards. Every transaction only puts and removes records, so one that the copy has already may
// be carried out again: after the last one the copy holds what the store holds.

import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import type { Environment } from "./environment.ts";
import { type Flight, writeFlight } from "./flight.ts";

const TABLES = ["message", "event", "journal", "index"] as const;
// A change is its table, whether it puts, the lengths of its key and its value, and both.
const HEAD_BYTES = 8;
const BATCH_BYTES = 1_048_576;

type Change = readonly [table: (typeof TABLES)[number], key: string, value: Buffer | undefined];

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
      const parts: Buffer[] = [];
      const [message, event, journal, index] = TABLES.map((_, table) => ({
        put: (key: string, value: Buffer) => parts.push(...encoded(table, key, value)),
        remove: (key: string) => parts.push(...encoded(table, key, undefined)),
      }));
      writeFlight({ message, event, journal, index } as never, flight);
      const bytes = Buffer.concat(parts);
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
    const { changes, end } = this.#next(BATCH_BYTES);
    await copy.root.batch(() => {
      for (const [table, key, value] of changes) {
        if (value === undefined) copy[table].remove(key);
        else copy[table].put(key, value);
      }
    });
    this.#done = end;
  }

  /** Removes the file. */
  remove(): void {
    this.#failure ??= new Error("The file of changes is closed.");
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  /** The whole changes among the next bytes; at least one. */
  #next(bytes: number): { readonly changes: readonly Change[]; readonly end: number } {
    const block = Buffer.allocUnsafe(Math.min(bytes, this.waitingBytes));
    const length = readSync(this.#file, block, 0, block.length, this.#done);
    const changes: Change[] = [];
    let at = 0;
    while (at + HEAD_BYTES <= length) {
      const keyStart = at + HEAD_BYTES;
      const valueStart = keyStart + block.readUInt16LE(at + 2);
      const end = valueStart + block.readUInt32LE(at + 4);
      if (end > length) break;
      const table = TABLES[block[at] ?? 0] ?? "index";
      const value = block[at + 1] === 1 ? block.subarray(valueStart, end) : undefined;
      changes.push([table, block.toString("latin1", keyStart, valueStart), value]);
      at = end;
    }
    if (at > 0) return { changes, end: this.#done + at };
    if (length < bytes) throw new Error("The file of changes was cut off.");
    return this.#next(2 * bytes);
  }
}

function encoded(table: number, key: string, value: Buffer | undefined): Buffer[] {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head[0] = table;
  head[1] = value === undefined ? 0 : 1;
  head.writeUInt16LE(key.length, 2);
  head.writeUInt32LE(value?.length ?? 0, 4);
  const named = Buffer.from(key, "latin1");
  return value === undefined ? [head, named] : [head, named, value];
}
