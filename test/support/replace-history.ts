// Gives a store on disk another history, as putting back a copy of it does.

import { openEnvironment } from "../../src/storage/lmdb/environment.ts";
import { type Identity, readIdentity, saveIdentity } from "../../src/storage/lmdb/recovery.ts";

/** @param historyId - 16 hexadecimal digits. */
export async function replaceHistory(directory: string, historyId: string): Promise<void> {
  const env = openEnvironment({ directory });
  try {
    const identity = readIdentity(env) as Required<Identity>;
    await saveIdentity(env, { ...identity, historyId });
  } finally {
    await env.root.close();
  }
}
