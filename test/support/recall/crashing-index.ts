// An index for tests that can end as a thread does, hold its answers back, and forget records.

import { createLocalIndex, type IndexSettings } from "../../../src/recall/index/local.ts";
import {
  type IndexChange,
  IndexStopped,
  type RecallIndex,
} from "../../../src/recall/index/port.ts";

/** An index with faults. */
export interface CrashingIndex extends RecallIndex {
  /** Forgets everything, as when its thread ends. Calls under way are rejected. */
  crash(): void;
  /** Leaves records out of the changes that follow. Undefined for no more. */
  forget: ((change: IndexChange) => IndexChange) | undefined;
  /** Waits before each change. */
  delay: () => Promise<void>;
  /** Changes of records so far. */
  readonly applied: number;
}

/** Makes an index that does what a test asks of it. */
export function createCrashingIndex(settings: IndexSettings): CrashingIndex {
  let inner = createLocalIndex(settings);
  let life = 0;
  let applied = 0;
  let last: Promise<unknown> = Promise.resolve();
  const listeners = new Set<() => void>();
  const inOrder = <T>(work: (index: RecallIndex) => Promise<T>): Promise<T> => {
    const born = life;
    const run = last.then(async () => {
      if (born !== life) throw new IndexStopped();
      const result = await work(inner);
      if (born !== life) throw new IndexStopped();
      return result;
    });
    last = run.catch(() => {});
    return run;
  };
  const index: CrashingIndex = {
    model: inner.model,
    forget: undefined,
    delay: async () => {},
    get applied() {
      return applied;
    },
    apply: (namespace, changes) =>
      inOrder(async (own) => {
        applied += changes.filter(({ kind }) => kind === "items").length;
        await index.delay();
        const { forget } = index;
        return await own.apply(namespace, forget === undefined ? changes : changes.map(forget));
      }),
    search: (namespace, query) => inOrder((own) => own.search(namespace, query)),
    searchCosine: (namespace, query) => inOrder((own) => own.searchCosine(namespace, query)),
    searchTfIdf: (namespace, query) => inOrder((own) => own.searchTfIdf(namespace, query)),
    count: (namespace, query) => inOrder((own) => own.count(namespace, query)),
    positions: (namespace, ref) => inOrder((own) => own.positions(namespace, ref)),
    passages: (kind, bytes) => inner.passages(kind, bytes),
    embed: (texts) => inOrder((own) => own.embed(texts)),
    drop: (namespace) => inOrder((own) => own.drop(namespace)),
    save: (namespace, order) => inOrder((own) => own.save(namespace, order)),
    load: (namespace, path) => inOrder((own) => own.load(namespace, path)),
    onRestart: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => inner.close(),
    crash: () => {
      life += 1;
      inner = createLocalIndex(settings);
      for (const listener of [...listeners]) listener();
    },
  };
  return index;
}
