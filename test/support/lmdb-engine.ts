// Opens the LMDB engine in a temporary directory for tests of the storage.

import { openLmdbStore } from "../../src/storage/lmdb/store.ts";
import type { Engine } from "../storage/scene.ts";
import { readFacts } from "./plans.ts";
import { makeTempDir } from "./temp-dir.ts";

/** Opens the LMDB engine on an empty store; what it leaves is removed with it. */
export async function openLmdbEngine(): Promise<Engine & { readonly directory: string }> {
  const temporary = await makeTempDir();
  const directory = `${temporary.path}/data`;
  let store = await openLmdbStore({ directory, readFacts });
  return {
    directory,
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = await openLmdbStore({ directory, readFacts });
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}
