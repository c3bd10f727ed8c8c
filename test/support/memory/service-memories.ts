// Shorthands for memories in tests of the services.

import type { Services } from "../../../src/edge/services-api.ts";
import type {
  ListMemoriesInput,
  MemoryDraft,
  RememberInput,
  RememberResult,
  UpdateMemoryInput,
} from "../../../src/memory/api.ts";
import type { Memory, MemoryScope } from "../../../src/memory/rules/memory.ts";
import type { ScopeFilter } from "../../../src/memory/rules/scopes.ts";
import type { MemoryFilter } from "../../../src/recall/rules/memory-filter.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { fromBytes, toBytes } from "../services/json-codec.ts";
import type { TestServices } from "../services/services.ts";

/** Services with a way to call them. */
type MemoryServices = Pick<Services, "memories"> & Pick<TestServices, "call">;

/** Memory fields that a test sets. */
type TestMemory = Partial<Omit<MemoryDraft, "scope">> & { readonly scope?: string };

/** Scope of a user. */
export function scopeOf(userId: string): MemoryScope {
  return { userId, agentId: "", sessionId: "" };
}

/** A draft, with the transport's defaults. */
export function memoryDraft({ scope = "u1", ...said }: TestMemory): MemoryDraft {
  return {
    ...{ memoryId: "", kind: "fact", scope: scopeOf(scope), text: "", structure: undefined },
    ...{ key: "", category: "", topics: [], importance: undefined, confidence: undefined },
    ...{ trust: TRUST.medium, persistent: false, labels: new Map(), metadata: new Uint8Array() },
    ...{ validFromMs: undefined, validToMs: undefined, ttlMs: 0, lastSeenMs: undefined, etag: "" },
    source: { sessionId: "", messageIds: [] },
    ...said,
  };
}

/** A draft of a relation. */
export function relationDraft(
  subject: string,
  predicate: string,
  object: string,
  said: TestMemory = {},
): MemoryDraft {
  const relation = { subject, predicate, object };
  return memoryDraft({ ...said, kind: "relation", structure: { kind: "relation", relation } });
}

/** A draft of an entity. */
export function entityDraft(
  name: string,
  aliases: readonly string[] = [],
  said: TestMemory = {},
): MemoryDraft {
  const entity = { name, type: "other", aliases, attributes: new Map() };
  return memoryDraft({ ...said, kind: "entity", structure: { kind: "entity", entity } });
}

/** Selects all memories of a user. */
export function ownedBy(userId: string): ScopeFilter {
  return { kind: "owned-by", scope: scopeOf(userId) };
}

/** A filter for all active memories. */
export const ANY_MEMORY: MemoryFilter = {
  ...{ scope: { kind: "everyone" }, kinds: new Set() },
  ...{ states: new Set(), categories: new Set(), topics: new Set(), key: "", textContains: "" },
  ...{ labels: new Map(), metadata: [], minImportance: 0, minConfidence: 0 },
  ...{ minTrust: undefined, persistent: undefined, validAtMs: undefined },
  ...{ createFromMs: undefined, createBeforeMs: undefined, seenFromMs: undefined },
  ...{ seenBeforeMs: undefined, sourceSessionId: "", origin: undefined, sourceErased: undefined },
};

/** Options of a Remember call that a test may set. */
type RememberOptions = Partial<Omit<RememberInput, "drafts" | "encode">> & {
  readonly requestId?: string;
};

/** Remembers drafts. */
export async function remember(
  services: MemoryServices,
  drafts: readonly MemoryDraft[],
  { requestId = "", ...options }: RememberOptions = {},
): Promise<RememberResult> {
  const bytes = await services.memories.remember(services.call("Remember", requestId), {
    namespace: "default",
    drafts,
    dedupe: { mode: "same-text", threshold: 0.9, window: 200, keepUnchanged: false },
    conflict: { mode: "keep-both", hook: "", singleObject: false },
    ...{ maxMemories: 0, neutralizePromptMarkers: false, reason: "", encode: toBytes },
    ...options,
  });
  return fromBytes(bytes);
}

/** Stores facts by their texts and returns their ids. */
export async function rememberTexts(
  services: MemoryServices,
  texts: readonly string[],
  said: TestMemory = {},
): Promise<string[]> {
  const drafts = texts.map((text) => memoryDraft({ ...said, text }));
  const { results } = await remember(services, drafts);
  return results.map(({ memoryId }) => memoryId);
}

/** Every memory that a filter selects, page by page. */
export async function listAll(
  services: MemoryServices,
  filter: Partial<MemoryFilter> = {},
  options: Partial<ListMemoriesInput> = {},
): Promise<Memory[]> {
  const memories: Memory[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = await services.memories.listMemories(services.call("ListMemories"), {
      ...{ namespace: "default", asOfMs: undefined, order: "oldest", limit: 1_000 },
      ...options,
      filter: { ...ANY_MEMORY, ...filter },
      after,
    });
    memories.push(...page.memories);
    after = page.next;
  }
  return memories;
}

/** Reads a memory, now or as of a time. */
export async function get(
  services: MemoryServices,
  memoryId: string,
  asOfMs?: number,
): Promise<Memory> {
  const ref = { namespace: "default", memoryId, asOfMs };
  return await services.memories.getMemory(services.call("GetMemory"), ref);
}

/** Updates a memory. */
export async function update(
  services: MemoryServices,
  memoryId: string,
  said: TestMemory,
  paths: UpdateMemoryInput["paths"],
): Promise<void> {
  await services.memories.updateMemory(services.call("UpdateMemory"), {
    ...{ namespace: "default", memoryId, draft: memoryDraft(said), paths, reason: "" },
    encode: () => toBytes({}),
  });
}

/** Forgets the memories that exist, and returns their number. */
export async function forget(
  services: MemoryServices,
  memoryIds: readonly string[],
  etag = "",
): Promise<number> {
  const input = { namespace: "default", memoryIds, etag, allowMissing: true, encode: toBytes };
  const bytes = await services.memories.forgetMemories(services.call("ForgetMemories"), input);
  return fromBytes<{ forgottenCount: number }>(bytes).forgottenCount;
}
