// Everything that can be read of memories, page by page.

import { taskNoOfJob } from "../../../src/memory/rules/job.ts";
import { MEMORY_TIERS, type Memory } from "../../../src/memory/rules/memory.ts";
import type { MemoryQuery, Store, StoredMemoryJob, StoredScope } from "../../../src/store/store.ts";
import { START_MS } from "./plans.ts";

/** All memories of a query, page by page. */
export async function allMemories(store: Store, query: MemoryQuery): Promise<Memory[]> {
  const all: Memory[] = [];
  let after = query.after;
  for (;;) {
    const page = await store.listMemories({
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    if (page.memories.length > query.limit) throw new Error("A page is too long.");
    all.push(...page.memories);
    if (page.next === undefined) return all;
    const isOn =
      query.order === "asc"
        ? page.next > (after ?? 0)
        : page.next < (after ?? Number.POSITIVE_INFINITY);
    if (!isOn) throw new Error("A page goes backwards.");
    after = page.next;
  }
}

/** All scopes of a namespace, page by page. */
export async function allScopes(store: Store, namespace: string, limit = 3) {
  const all: StoredScope[] = [];
  for (;;) {
    const page = await store.listMemoryScopes(namespace, all.at(-1)?.scopeId ?? "", limit);
    if (page.length > limit) throw new Error("A page is too long.");
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** All jobs of a namespace, page by page. */
export async function allJobs(store: Store, namespace: string, limit = 2) {
  const all: StoredMemoryJob[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? 0 : taskNoOfJob(last.job);
    const page = await store.listMemoryJobs(namespace, after, limit);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const MANY = 1_000;

async function dumpScope(store: Store, namespace: string, scope: StoredScope): Promise<unknown> {
  const within = { kind: "scope", scope: scope.scope } as const;
  const ids = async (order: "asc" | "desc") =>
    (await allMemories(store, { namespace, within, order, limit: 7 })).map((one) => one.memoryNo);
  const ranked: unknown[] = [];
  for (const tier of MEMORY_TIERS) {
    for (const order of ["asc", "desc"] as const) {
      const query = { namespace, scope: scope.scope, tier, order, limit: MANY };
      ranked.push((await store.rankedMemories(query)).map(({ memoryNo }) => memoryNo).join());
    }
  }
  const one = await store.readMemoryScope(namespace, scope.scopeId);
  return [scope, one, await ids("asc"), await ids("desc"), ranked];
}

/** Everything that can be read of the memories of a namespace. */
export async function dumpMemories(store: Store, namespace: string): Promise<unknown> {
  const memories = await allMemories(store, { namespace, order: "asc", limit: 7 });
  const down = await allMemories(store, { namespace, order: "desc", limit: 97 });
  const states: unknown[] = [];
  for (const { memoryId, memoryNo } of memories) {
    states.push([
      memoryNo,
      await store.readMemory(namespace, memoryId),
      await store.listMemoryVersions(namespace, memoryId, { limit: MANY }),
    ]);
  }
  const scopes: unknown[] = [];
  for (const scope of await allScopes(store, namespace)) {
    scopes.push(await dumpScope(store, namespace, scope));
  }
  const places = memories.map(({ memoryNo }) => ({ kind: "memory", namespace, memoryNo }) as const);
  return {
    memories,
    down: down.map(({ memoryNo }) => memoryNo).join(),
    states,
    scopes,
    vectors: await store.readVectors(places),
    jobs: await allJobs(store, namespace),
  };
}

/** All memories of a store that can be read. */
export async function dumpAllMemories(store: Store): Promise<unknown> {
  const expired = await store.expiredMemories(START_MS * 2, 10_000);
  return {
    namespaces: await store.listMemoryNamespaces("", MANY),
    expired: expired.map(({ memoryId, namespace }) => `${namespace} ${memoryId}`).sort(),
    due: await store.dueMemoryJobs(START_MS * 2, MANY),
    next: await store.nextMemoryJobMs(START_MS),
  };
}
