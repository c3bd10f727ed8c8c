// The reads of memories that the simulation compares.

import type { MemoryScope } from "../../src/memory/rules/memory.ts";
import { nameKeyOf } from "../../src/memory/rules/text-key.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type { MemoryQuery, RankedQuery, RelationQuery, Store } from "../../src/store/store.ts";
import { allMemories } from "../support/store/read-memories.ts";

/** A read of memories or of jobs on them. */
export type MemoryRead =
  | { readonly kind: "list-memories"; readonly query: Omit<MemoryQuery, "after"> }
  | { readonly kind: "ranked-memories"; readonly query: RankedQuery }
  /** The names are the words of the text. */
  | {
      readonly kind: "read-entities";
      readonly scopes: readonly MemoryScope[];
      readonly text: string;
    }
  | {
      readonly kind: "query-relations";
      readonly scope: MemoryScope;
      readonly text: string;
      readonly place: RelationQuery["place"];
      readonly limit: number;
    }
  | {
      readonly kind: "memory-revisions";
      readonly memoryId: string;
      readonly before: number;
      readonly limit: number;
    }
  | { readonly kind: "memory-times"; readonly nowMs: number };

/** Does a read of memories. */
export async function readMemories(
  store: Store,
  operation: SessionRef & MemoryRead,
): Promise<unknown> {
  const { namespace } = operation;
  switch (operation.kind) {
    case "list-memories":
      return await allMemories(store, operation.query);
    case "ranked-memories":
      return await store.rankedMemories(operation.query);
    case "read-entities": {
      const names = operation.text.split(" ").map(nameKeyOf);
      return await store.readEntities(namespace, operation.scopes, names);
    }
    case "query-relations": {
      const { limit, place, scope, text } = operation;
      const names = text.split(" ").map(nameKeyOf);
      return await store.queryRelations({ namespace, scope, names, place, limit });
    }
    case "memory-revisions": {
      const { before, limit, memoryId } = operation;
      return await store.listMemoryVersions(namespace, memoryId, { before, limit });
    }
    case "memory-times": {
      const expired = await store.expiredMemories(operation.nowMs, 10_000);
      return [
        expired.map((one) => `${one.namespace} ${one.memoryId}`).sort(),
        await store.dueMemoryJobs(operation.nowMs, 3),
        await store.nextMemoryJobMs(operation.nowMs),
        await store.readMemoryJobs(operation),
      ];
    }
  }
}
