// Memories that changed very often, for tests of what becomes of their former states.

import type { Store } from "../../../src/store/store.ts";
import { changeMemories } from "./memory-actions.ts";
import { START_MS } from "./plans.ts";

/** Their ids: together they have more former states than one change erases. */
export const AGED_IDS: readonly string[] = ["a", "b", "c", "d", "e"];

/** Number of states of each of them. */
export const AGED_STATES = 300;

const base = { kind: "memories", namespace: "default", sessionId: "", nowMs: START_MS } as const;
const scope = { userId: "u", agentId: "", sessionId: "" };

/** Gives each memory its states, and then removes all of them in one change, or all but some. */
export async function forgetAged(store: Store, kept: readonly string[] = []): Promise<void> {
  const changes = Array.from({ length: AGED_STATES }, (_, n) => {
    const put = AGED_IDS.map((memoryId) => {
      return { memoryId, kind: "fact", scope, text: `state ${n} of ${memoryId}` } as const;
    });
    return changeMemories(store, { ...base, put });
  });
  const remove = AGED_IDS.filter((id) => !kept.includes(id));
  // Without a pause: what the last journal record holds may be what the removal erases.
  await Promise.all([...changes, changeMemories(store, { ...base, remove })]);
}
