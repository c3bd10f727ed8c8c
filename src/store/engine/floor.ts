// The free-space floor. LMDB must never meet a full disk: a failed commit is fatal. So writes are
// turned away while there is still room for what is under way. Another program may fill the disk
// all the same: then background writes wait, and deletes get the space of the reserve.

import { randomBytes } from "node:crypto";
import { rmSync, statfsSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storeFull } from "../../kit/errors.ts";

/** The space of a filesystem in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** When writes are turned away. */
export interface FloorOptions {
  /** Free bytes below which writes are turned away. Default 256 MiB. 0 turns the check off. */
  readonly bytes?: number;
  /** Share of the disk below which writes are turned away; default 0. */
  readonly share?: number;
  /** Reader of the free space; tests supply their own. */
  readonly readSpace?: () => DiskSpace;
}

const DEFAULT_BYTES = 268_435_456;
const DEFAULT_SHARE = 0;
// A share of a very large disk is far more than is needed.
const SHARE_BYTES_MAX = 10_737_418_240;
const STALE_MS = 500;
const STALE_BYTES = 16_777_216;
// Below this, and below half of the floor, the disk counts as full.
const FULL_BYTES = 16_777_216;
// With less than this to spare, another program may fill the disk at any moment.
const TIGHT_BYTES = 134_217_728;
const TIGHT_MS = 20;

/** Room on the disk for commits. */
export interface DiskRoom {
  /** Only deletes may still write. */
  readonly isFull: boolean;
  /** Whether a commit of so many bytes fits, with the space of the reserve if need be. */
  fits(bytes: number): boolean;
  /** Whether a commit of so many bytes fits without the space of the reserve. */
  fitsBesideReserve(bytes: number): boolean;
  /** Counts bytes that go to the disk. */
  wrote(bytes: number): void;
}

/** Watches the free space of the filesystem that holds a directory. */
export class Floor implements DiskRoom {
  readonly #reserve: Reserve;
  readonly #bytes: number;
  readonly #share: number;
  readonly #readSpace: () => DiskSpace;
  readonly #monotonicMs: () => number;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #written = 0;
  #freeBytes = 0;
  #floorBytes = 0;

  constructor(directory: string, options: FloorOptions, monotonicMs: () => number) {
    this.#bytes = options.bytes ?? DEFAULT_BYTES;
    this.#share = options.share ?? DEFAULT_SHARE;
    this.#monotonicMs = monotonicMs;
    this.#reserve = new Reserve(directory);
    this.#readSpace =
      options.readSpace ??
      (() => {
        const space = statfsSync(directory);
        return {
          freeBytes: space.bavail * space.bsize,
          totalBytes: space.blocks * space.bsize,
        };
      });
  }

  /** Counts bytes on their way to the disk, so that a burst is noticed before the next look. */
  wrote(bytes: number): void {
    this.#written += bytes;
  }

  /** Whether the disk is below the floor. */
  get isLow(): boolean {
    return this.#bytes !== 0 && this.#look() < this.#floorBytes;
  }

  /** Whether the disk has so little space that only deletes may still write. */
  get isFull(): boolean {
    if (this.#bytes === 0) return false;
    const lent = this.#reserve.isMade ? 0 : RESERVE_BYTES;
    return this.#look() - lent < Math.min(FULL_BYTES, this.#floorBytes / 2);
  }

  /** Throws STORE_FULL when the disk is below the floor. */
  check(): void {
    if (this.isLow) throw storeFull(this.#freeBytes, this.#floorBytes);
  }

  /** Whether a commit of so many bytes fits. Gives up the reserve when it would not fit else. */
  fits(bytes: number): boolean {
    if (this.fitsBesideReserve(bytes)) return true;
    if (!this.#reserve.giveUp()) return false;
    this.#checkedMs = Number.NEGATIVE_INFINITY;
    return this.#look() >= bytes;
  }

  /** Whether a commit of so many bytes fits as long as the reserve is kept. */
  fitsBesideReserve(bytes: number): boolean {
    return this.#bytes === 0 || this.#look() >= bytes;
  }

  /** Makes the reserve if it is missing and there is space for it above the floor. */
  keepReserve(): void {
    if (this.#bytes === 0 || this.#reserve.isMade) return;
    if (this.#look() >= this.#floorBytes + RESERVE_BYTES) this.#reserve.make();
  }

  /** Waits until no file is being made any more. */
  async stop(): Promise<void> {
    await this.#reserve.settled();
  }

  /** The bytes that are free, and the floor with them. */
  #look(): number {
    const now = this.#monotonicMs();
    const staleMs = this.#freeBytes < TIGHT_BYTES ? TIGHT_MS : STALE_MS;
    if (now - this.#checkedMs > staleMs || this.#written > STALE_BYTES) {
      const space = this.#readSpace();
      this.#checkedMs = now;
      this.#written = 0;
      this.#freeBytes = space.freeBytes;
      const share = Math.min(space.totalBytes * this.#share, SHARE_BYTES_MAX);
      this.#floorBytes = Math.round(Math.max(this.#bytes, share));
    }
    return this.#freeBytes - this.#written;
  }
}

// The reserve: a file whose space is given to deletes when the disk has none left.

/** The name of the file in the directory. */
const RESERVE_FILE = "reserve";

/**
 * Its size. A commit of deletes takes 2 MiB at most, reuses the pages of the one before, and may
 * carry out the redo log, which takes 2.5 MiB at most.
 */
const RESERVE_BYTES = 8_388_608;

/** The reserve of a directory. */
class Reserve {
  readonly #path: string;
  #isMade: boolean;
  #making: Promise<void> | undefined;

  constructor(directory: string) {
    this.#path = join(directory, RESERVE_FILE);
    this.#isMade = statSync(this.#path, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  }

  get isMade(): boolean {
    return this.#isMade;
  }

  /** Gives its space back to the disk; false when it has none. */
  giveUp(): boolean {
    if (!this.#isMade) return false;
    rmSync(this.#path, { force: true });
    this.#isMade = false;
    return true;
  }

  /** Makes the file in the background. */
  make(): void {
    this.#making ??= this.#write().finally(() => {
      this.#making = undefined;
    });
  }

  /** Waits until the file is not being made any more. */
  async settled(): Promise<void> {
    await this.#making;
  }

  async #write(): Promise<void> {
    try {
      // Some filesystems store zeros without space.
      await writeFile(this.#path, randomBytes(RESERVE_BYTES), { mode: 0o600 });
      this.#isMade = true;
    } catch {
      // The disk has filled up meanwhile; the next round of upkeep tries again.
      await rm(this.#path, { force: true }).catch(() => undefined);
    }
  }
}
