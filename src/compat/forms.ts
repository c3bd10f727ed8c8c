// The formats of snapshots by name.
//
// A document comes out as it went in; docs/compat/snapshots.md lists how each field is stored and
// what is lost.
// Three things make it so: a number that a double would write differently stays raw (json.ts);
// whatever a message or the fields of a document say beyond the words of the contract is left
// over, kept in metadata and written again (leftovers.ts); and a format only reads and writes the
// rest.

import type { Format } from "./common/plain.ts";
import { definable } from "./definable/snapshot.ts";
import { lauren } from "./lauren/snapshot.ts";
import { marsys } from "./marsys/snapshot.ts";
import { selectools } from "./selectools/snapshot.ts";

/** The formats of other systems. */
export const FORMATS: readonly Format[] = [selectools, lauren, definable, marsys];

/** The names of all formats, the server's own included. */
export const SNAPSHOT_FORMATS: readonly string[] = ["native", ...FORMATS.map(({ name }) => name)];

/** The format of a name that was checked before. */
export function formatOf(name: string): Format {
  const format = FORMATS.find((one) => one.name === name);
  if (format === undefined) throw new Error("A format of no system was let through.");
  return format;
}
