// Gives a store on disk another identity than the one it made for itself.

import { openEnvironment } from "../../../src/store/engine/environment.ts";
import { type Identity, readIdentity, saveIdentity } from "../../../src/store/lmdb/recovery.ts";

/** Ids are 16 hexadecimal digits. */
export async function replaceIdentity(
  directory: string,
  ids: Pick<Required<Identity>, "instanceId">,
): Promise<void> {
  const env = openEnvironment({ directory });
  try {
    const identity = readIdentity(env) as Required<Identity>;
    await saveIdentity(env, { ...identity, ...ids });
  } finally {
    await env.root.close();
  }
}
