// The files of a store that a process leaves when it is killed now.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Copies the files of a store into a new directory. The log comes first: what the data file holds
 * by the time that it is copied may still be in the log as well.
 */
export function copyCrashed(from: string, to: string): void {
  mkdirSync(to);
  for (const file of ["redo.log", "data.mdb"]) copyFileSync(join(from, file), join(to, file));
}
