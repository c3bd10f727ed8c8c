// Opens the memory engine for tests of the storage.

import { type MemoryState, newMemoryState } from "../../model/state.ts";
import { openMemoryStore } from "../../model/store.ts";
import type { Engine } from "../../storage/scene.ts";
import { readFacts } from "./plans.ts";

let opened = 0;

/** Opens the memory engine on an empty store. Gives what it holds too, for tests that break it. */
export async function openMemoryEngine(): Promise<Engine & { readonly state: MemoryState }> {
  opened += 1;
  const state = newMemoryState(opened.toString(16).padStart(16, "0"));
  let store = await openMemoryStore({ readFacts, state });
  return {
    state,
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = await openMemoryStore({ readFacts, state });
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
