// Sessions of formats up to 6 are listed by their last change when a store is opened, and so are
// the namespaces of formats 1 and 2.
//
// In ordinary changes, some sessions in each commit, and then the identity says that all are
// listed: what is not listed when the process is killed is listed at the next start.

import { afterPrefix } from "../engine/keys.ts";
import { NOTHING } from "../engine/table.ts";
import type { Core } from "../tables/core.ts";
import { COLLECTION } from "../tables/document-tables.ts";
import { NAMESPACE } from "../tables/event-tables.ts";
import { MEMORIES } from "../tables/memory-tables.ts";
import { HEAD, SESSION, updatedKey } from "../tables/session-tables.ts";
import { type Identity, saveIdentity } from "./recovery.ts";

const STEP = 1_024;

/** Lists all sessions and namespaces that older versions wrote. */
export async function listOldSessions(core: Core, identity: Required<Identity>): Promise<void> {
  if (identity.updatesListed) return;
  const namespaces = new Set<string>();
  let listed = 0;
  for (const key of keysOf(core, SESSION.id)) {
    const namespace = listSession(core, key);
    if (namespace !== undefined) namespaces.add(namespace);
    if (++listed % STEP === 0) await core.writer.whenDurable();
  }
  for (const table of [COLLECTION, MEMORIES]) {
    for (const key of keysOf(core, table.id)) namespaces.add(table.parts(key)[0]);
  }
  for (const namespace of namespaces) {
    const key = NAMESPACE.key(namespace);
    if (!NAMESPACE.has(core, key, "pending")) NAMESPACE.put(core, key, core.base);
  }
  await core.writer.whenDurable();
  // The identity is written into the data file at once, which alone is verified: it must not claim
  // a list that only the redo log holds.
  await core.writer.carryOutLog();
  await saveIdentity(core.env, { ...identity, updatesListed: true });
}

/** The keys of a table, in no order; of those that were removed lately some as well. */
function* keysOf({ env, memtable }: Core, id: string): Generator<string> {
  let from = id;
  for (let count = STEP; count === STEP; ) {
    const range = { start: from, end: afterPrefix(id), limit: STEP, exclusiveStart: true };
    const keys = [...env.index.getKeys(range)];
    yield* keys;
    count = keys.length;
    from = keys.at(-1) ?? from;
  }
  for (const key of memtable.keys()) if (key.startsWith(id)) yield key;
}

/** Lists a session; gives its namespace. */
function listSession(core: Core, key: string): string | undefined {
  try {
    const row = SESSION.get(core, key, "pending");
    const head = row && HEAD.get(core, HEAD.key(row.sessionNo), "pending")?.head;
    if (row === undefined || head === undefined) return row?.namespace;
    const listKey = updatedKey(row.sessionNo, { ...row, head });
    core.memtable.set(listKey, NOTHING.encode(listKey, true));
    return row.namespace;
  } catch {
    // Damage in one session does not keep the store from opening; verify reports it.
    return undefined;
  }
}
