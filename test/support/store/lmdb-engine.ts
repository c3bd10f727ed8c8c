// Opens the LMDB engine in a temporary directory for tests of the storage.

import { join } from "node:path";

import { openLmdbStore } from "../../../src/store/lmdb/store.ts";
import type { Engine } from "../../storage/scene.ts";
import { makeTempDir } from "../kit/temp-dir.ts";
import { copyCrashed } from "./crashed-copy.ts";
import { readFacts } from "./plans.ts";

/**
 * Opens the LMDB engine on an empty store; what it leaves is removed with it. `cacheBytes` is that
 * of the store; a small one makes it read everything from the disk again.
 */
export async function openLmdbEngine(
  options: { readonly cacheBytes?: number } = {},
): Promise<Engine & { readonly crash: () => Promise<void> }> {
  const temporary = await makeTempDir();
  let opened = 0;
  let directory = join(temporary.path, "data-0");
  const open = () => openLmdbStore({ directory, readFacts, ...options });
  let store = await open();
  return {
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = await open();
    },
    crash: async () => {
      // The files as they are now, without waiting for anything, is what a killed process leaves.
      const killed = store;
      const source = directory;
      opened += 1;
      directory = join(temporary.path, `data-${opened}`);
      copyCrashed(source, directory);
      await killed.close();
      store = await open();
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}
