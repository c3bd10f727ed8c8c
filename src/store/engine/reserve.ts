// The reserve: a file whose space is given to deletes when the disk has none left.

import { randomBytes } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The name of the file in the directory. */
export const RESERVE_FILE = "reserve";

/** Its size. A commit of deletes takes 2 MiB at most, and reuses the pages of the one before. */
export const RESERVE_BYTES = 8_388_608;

/** The reserve of a directory. */
export class Reserve {
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
