// Memories in tests of the services, in few words.

import type { MemoryFilter } from "../../src/domain/memories/filter.ts";
import type { Memory, MemoryScope } from "../../src/domain/memories/memory.ts";
import type { ScopeFilter } from "../../src/domain/memories/scopes.ts";
import { TRUST } from "../../src/domain/summaries/summary.ts";
import type { Services } from "../../src/service/api.ts";
import type {
  ListMemoriesInput,
  MemoryDraft,
  RememberInput,
  RememberResult,
  UpdateMemoryInput,
} from "../../src/service/memory-api.ts";
import { fromBytes, toBytes } from "./json-codec.ts";
import type { TestServices } from "./services.ts";

/** Services with a way to call them. */
type MemoryServices = Pick<Services, "memories"> & Pick<TestServices, "call">;

/** What a test says of a memory. */
type TestMemory = Partial<Omit<MemoryDraft, "scope">> & { readonly scope?: string };

/** The scope that a test names by its user. */
export function scopeOf(userId: string): MemoryScope {
  return { userId, agentId: "", sessionId: "" };
}

/** A draft, with everything that is not said as the transport fills it in. */
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

/** Whose memories are meant: all that belong to a user. */
export function ownedBy(userId: string): ScopeFilter {
  return { kind: "owned-by", scope: scopeOf(userId) };
}

/** A filter that means every active memory. */
export const ANY_MEMORY: MemoryFilter = {
  ...{ scope: { kind: "everyone" }, kinds: new Set() },
  ...{ states: new Set(), categories: new Set(), topics: new Set(), key: "", textContains: "" },
  ...{ labels: new Map(), metadata: [], minImportance: 0, minConfidence: 0 },
  ...{ minTrust: undefined, persistent: undefined, validAtMs: undefined },
  ...{ createFromMs: undefined, createBeforeMs: undefined, seenFromMs: undefined },
  ...{ seenBeforeMs: undefined, sourceSessionId: "", origin: undefined },
};

/** What a test may say of a Remember call. */
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

/** Remembers facts by their texts and gives their ids. */
export async function rememberTexts(
  services: MemoryServices,
  texts: readonly string[],
  said: TestMemory = {},
): Promise<string[]> {
  const drafts = texts.map((text) => memoryDraft({ ...said, text }));
  const { results } = await remember(services, drafts);
  return results.map(({ memoryId }) => memoryId);
}

/** Every memory that a filter means, page by page. */
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

/** Gives a memory, now or as of then. */
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

/** Forgets memories, those of them that there are, and gives how many there were. */
export async function forget(
  services: MemoryServices,
  memoryIds: readonly string[],
  etag = "",
): Promise<number> {
  const input = { namespace: "default", memoryIds, etag, allowMissing: true, encode: toBytes };
  const bytes = await services.memories.forgetMemories(services.call("ForgetMemories"), input);
  return fromBytes<{ forgottenCount: number }>(bytes).forgottenCount;
}
