// A file that is removed, replaced or cut off keeps working for the process that has it open: it
// would acknowledge writes that nobody can read again. So the paths are compared with the files
// that were opened before each group is written, and again before it is acknowledged.

import { statSync } from "node:fs";
import { basename, join } from "node:path";

interface Expected {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  bytes: number;
}

/** The files that a store has open, as they were found when it opened them. */
export class Presence {
  readonly #files: readonly Expected[];

  constructor(directory: string, names: readonly string[]) {
    this.#files = names.map((name) => {
      const path = join(directory, name);
      const { dev, ino, size } = statSync(path);
      return { path, device: dev, inode: ino, bytes: size };
    });
  }

  /** Throws when a path no longer leads to the file that was opened, or the file has shrunk. */
  check(): void {
    for (const file of this.#files) {
      const found = statSync(file.path, { throwIfNoEntry: false });
      if (found === undefined) throw lost(file.path, "removed or moved");
      if (found.ino !== file.inode || found.dev !== file.device) throw lost(file.path, "replaced");
      if (found.size < file.bytes) throw lost(file.path, "truncated");
      file.bytes = found.size;
    }
  }
}

function lost(path: string, how: string): Error {
  return new Error(`The file ${basename(path)} was ${how} while the store had it open.`);
}
