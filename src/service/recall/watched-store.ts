// Sees every change of memories, whichever use case makes it: in the same call in which it is
// saved, so that nobody is answered before the index knows that there is something new.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { MemoryPlan, MemoryReads, Store } from "../../storage/store.ts";

/** The place of a memory that is new, has changed, or is gone. */
export interface MemoryPlace {
  readonly scope: MemoryScope;
  readonly memoryNo: number;
}

type OnMemories = (namespace: string, places: readonly MemoryPlace[]) => void;

/** The store, with a listener to the memories that are changed through it. */
export function watchedStore(store: Store, onMemories: OnMemories): Store {
  const watched: Pick<Store, "changeMemories" | "changeSession"> = {
    changeMemories: (change, decide) => {
      const seen = new Seen(change.namespace, onMemories);
      const done = store.changeMemories(change, (view) => {
        const decision = decide(view);
        seen.take(view.memories, decision.kind === "save" ? decision.plan : undefined);
        return decision;
      });
      return seen.after(done);
    },
    changeSession: (change, decide) => {
      const seen = new Seen(change.namespace, onMemories);
      const done = store.changeSession(change, (view) => {
        const decision = decide(view);
        seen.take(view.memories, decision.kind === "save" ? decision.plan.memories : undefined);
        return decision;
      });
      return seen.after(done);
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "changeMemories" || name === "changeSession") return watched[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** What one change does to memories. */
class Seen {
  readonly #namespace: string;
  readonly #onMemories: OnMemories;
  #places: readonly MemoryPlace[] = [];

  constructor(namespace: string, onMemories: OnMemories) {
    this.#namespace = namespace;
    this.#onMemories = onMemories;
  }

  /** Takes a plan; a decision may be made again, and the last one counts. */
  take(memories: MemoryReads, plan: MemoryPlan | undefined): void {
    const removed = (plan?.remove ?? []).flatMap((id) => memories.byId(id) ?? []);
    this.#places = [...(plan?.put ?? []), ...removed];
  }

  /** Tells of it also when the answer was lost: the change may have been saved. */
  after<T>(done: Promise<T>): Promise<T> {
    return done.finally(() => {
      if (this.#places.length > 0) this.#onMemories(this.#namespace, this.#places);
    });
  }
}
