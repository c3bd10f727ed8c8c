// The free-space floor. LMDB must never meet a full disk: a failed commit is fatal and can crash
// the process. So writes are turned away while there is still room for what is under way.

import { statfsSync } from "node:fs";
import { storeFull } from "../../domain/errors.ts";

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
  /** How the free space is read; tests put in their own. */
  readonly readSpace?: () => DiskSpace;
}

const DEFAULT_BYTES = 268_435_456;
const DEFAULT_SHARE = 0;
// A share of a very large disk is far more than is needed.
const SHARE_BYTES_MAX = 10_737_418_240;
const STALE_MS = 500;
const STALE_BYTES = 16_777_216;

/** Watches the free space of the filesystem that holds a directory. */
export class Floor {
  private readonly bytes: number;
  private readonly share: number;
  private readonly readSpace: () => DiskSpace;
  private readonly monotonicMs: () => number;
  private checkedMs = Number.NEGATIVE_INFINITY;
  private written = 0;
  private freeBytes = 0;
  private floorBytes = 0;

  constructor(directory: string, options: FloorOptions, monotonicMs: () => number) {
    this.bytes = options.bytes ?? DEFAULT_BYTES;
    this.share = options.share ?? DEFAULT_SHARE;
    this.monotonicMs = monotonicMs;
    this.readSpace =
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
    this.written += bytes;
  }

  /** Throws STORE_FULL when the disk is below the floor. */
  check(): void {
    if (this.bytes === 0) {
      return;
    }
    const now = this.monotonicMs();
    if (now - this.checkedMs > STALE_MS || this.written > STALE_BYTES) {
      const space = this.readSpace();
      this.checkedMs = now;
      this.written = 0;
      this.freeBytes = space.freeBytes;
      const share = Math.min(space.totalBytes * this.share, SHARE_BYTES_MAX);
      this.floorBytes = Math.round(Math.max(this.bytes, share));
    }
    if (this.freeBytes < this.floorBytes) {
      throw storeFull(this.freeBytes, this.floorBytes);
    }
  }
}
