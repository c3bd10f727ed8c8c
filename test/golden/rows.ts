// Records of a closed store, table by table: every record with its key and envelope.

import { createHash } from "node:crypto";
import { unseal } from "../../src/store/engine/envelope.ts";
import { openEnvironment } from "../../src/store/engine/environment.ts";
import { decodeJournal } from "../../src/store/engine/journal.ts";
import { scan } from "../../src/store/verify/view.ts";

/** Below and above every key. */
const FIRST = "\x00";
const LAST = "\xff";

/** The records of a table, by key. Keys are strings with a character for each byte. */
export type Rows = ReadonlyMap<string, Uint8Array>;

/**
 * The records of a directory that nobody serves, by table. A table of the index has the number of
 * its first byte. What waits in the journal counts as written.
 */
export async function readRows(directory: string): Promise<ReadonlyMap<string, Rows>> {
  const env = openEnvironment({ directory, readOnly: true });
  const tables = new Map<string, Map<string, Uint8Array>>();
  const put = (table: string, key: string, value: Uint8Array): void => {
    const rows = tables.get(table) ?? new Map<string, Uint8Array>();
    tables.set(table, rows.set(key, value));
  };
  try {
    const index = new Map<string, Uint8Array | null>();
    for (const { key, record } of scan(env.index, FIRST, LAST)) index.set(key, record);
    for (const { key, record } of scan(env.journal, FIRST, LAST)) {
      const { changes } = decodeJournal(unseal(key, record, "journal"));
      for (const change of changes) index.set(change.key, change.value);
    }
    for (const [key, value] of [...index].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if (value !== null) put(`index ${key.charCodeAt(0)}`, key, value);
    }
    for (const name of ["message", "event"] as const) {
      for (const { key, record } of scan(env[name], FIRST, LAST)) put(name, key, record);
    }
  } finally {
    await env.root.close();
  }
  return tables;
}

/** For each table how many records it has, and a hash of all of them. */
export function digestRows(tables: ReadonlyMap<string, Rows>): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [table, rows] of tables) {
    const hash = createHash("sha256");
    for (const [key, value] of rows) {
      hash.update(`${key.length} ${value.length} `).update(key, "latin1").update(value);
    }
    digests[table] = `${rows.size} ${hash.digest("base64url").slice(0, 22)}`;
  }
  return digests;
}
