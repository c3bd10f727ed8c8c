import { afterEach, describe, expect, test } from "vitest";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { selectools } from "../compat/selectools/context.ts";
import type { AssembleContextInput, MemoryDraft } from "../memory/api.ts";
import type { MemoryScope } from "../memory/rules/memory.ts";
import type { Store } from "../store/store.ts";
import { DEFAULT_PROFILE } from "./rules/profiles.ts";

const running: TestServices[] = [];

afterEach(async () => {
  for (const services of running.splice(0)) await services.stop();
});

async function start(wrapStore?: (store: Store) => Store): Promise<TestServices> {
  const options = wrapStore === undefined ? {} : { wrapStore };
  const services = await startTestServices({}, options);
  running.push(services);
  return services;
}

const SCOPE: MemoryScope = { userId: "ann", agentId: "", sessionId: "" };

function draft(text: string, rest: Partial<MemoryDraft> = {}): MemoryDraft {
  return {
    memoryId: "",
    kind: "fact",
    scope: SCOPE,
    text,
    structure: undefined,
    key: "",
    category: "general",
    topics: [],
    importance: undefined,
    confidence: undefined,
    trust: 2,
    persistent: false,
    labels: new Map(),
    metadata: new Uint8Array(),
    validFromMs: undefined,
    validToMs: undefined,
    ttlMs: 0,
    lastSeenMs: undefined,
    etag: "",
    source: { sessionId: "", messageIds: [] },
    ...rest,
  };
}

async function remember(services: TestServices, drafts: readonly MemoryDraft[]): Promise<void> {
  await services.memories.remember(services.call("Remember"), {
    namespace: "default",
    drafts,
    maxMemories: 0,
    neutralizePromptMarkers: false,
    reason: "",
    dedupe: { mode: "same-text", threshold: 0.9, window: 200, keepUnchanged: false },
    conflict: { mode: "keep-both", hook: "", singleObject: false },
    encode: () => new Uint8Array(),
  });
}

async function contextOf(services: TestServices, rest: Partial<AssembleContextInput> = {}) {
  return await services.memories.assembleContext(services.call("AssembleContext"), {
    namespace: "default",
    sessionId: "",
    scope: SCOPE,
    query: "",
    maxTokens: 4_000,
    counting: undefined,
    sections: [],
    profile: DEFAULT_PROFILE,
    ...{
      includeConversation: true,
      compactionThreshold: undefined,
      collectionIds: [],
      minRelevance: 0,
      minBestRelevance: 0,
    },
    ...{ weights: {}, referenceMs: undefined, fence: false, blocks: [] },
    ...rest,
  });
}

test("memories that are over hide none that are not, however many and important", async () => {
  const services = await start();
  const over = Array.from({ length: 250 }, (_, index) =>
    draft(`it was ${index}`, { importance: 0.9, validToMs: 1_000 }),
  );
  await remember(services, [draft("it is so", { importance: 0.1 }), ...over]);
  expect((await contextOf(services)).text).toContain("it is so");
});

test("what is read for a context without a question does not grow with the memories", async () => {
  let read = 0;
  const counting = (store: Store): Store =>
    storeWith(store, {
      listMemories: () => Promise.reject(new Error("looks at all of them")),
      rankedMemories: async (query) => {
        const found = await store.rankedMemories(query);
        read += found.length;
        return found;
      },
    });
  const services = await start(counting);
  const reads: number[] = [];
  for (const batch of [0, 1, 2]) {
    const drafts = Array.from({ length: 250 }, (_, index) =>
      draft(`fact ${250 * batch + index}`, { importance: (250 * batch + index) / 1_000 }),
    );
    await remember(services, drafts);
    read = 0;
    const { text } = await contextOf(services, { maxTokens: 40 });
    expect(text).toContain(`- fact ${250 * batch + 249}\n- fact ${250 * batch + 248}`);
    reads.push(read);
  }
  expect(reads[2]).toBe(reads[0]);
  expect(reads[0]).toBeLessThan(100);
});

test("memories of others take no places where no user is named", async () => {
  const services = await start();
  const bob: MemoryScope = { userId: "bob", agentId: "", sessionId: "" };
  const shared: MemoryScope = { userId: "", agentId: "", sessionId: "" };
  const others = Array.from({ length: 60 }, (_, index) => draft(`cat ${index}`, { scope: bob }));
  await remember(services, [
    ...others,
    draft("The tower is high", { scope: shared, importance: 0.9 }),
    draft("The office cat sleeps a lot", { scope: shared, importance: 0.1 }),
  ]);
  const section = {
    kind: "long-term",
    share: undefined,
    firstShare: undefined,
    heading: "",
    maxChars: 0,
  } as const;
  const fields = { scope: shared, sections: [{ ...section, limit: 1 }] };
  const { text } = await contextOf(services, { ...fields, query: "cat" });
  expect(text).toBe("- The office cat sleeps a lot");
});

test("a short message stands before a long one that takes its room", async () => {
  const services = await start();
  await services.sessions.createSession(services.call("CreateSession"), {
    ...{ namespace: "default", sessionId: "talk", input: { userId: "ann" } },
    encode: () => new Uint8Array(),
  });
  const long = `The name of my cat is Mia. ${"So it goes, day after day. ".repeat(20)}`;
  await services.append("talk", [{ text: long }, { text: "My cat is Mia." }]);
  const section = {
    kind: "recalled-messages",
    share: undefined,
    firstShare: undefined,
    heading: "",
  } as const;
  const asked = { sections: [{ ...section, limit: 0, maxChars: 0 }], query: "my cat's name?" };
  const both = await contextOf(services, asked);
  expect(both.parts[0]?.items).toHaveLength(2);
  const { text } = await contextOf(services, { ...asked, maxTokens: both.tokenCount - 1 });
  expect(text).toMatch(/user: My cat is Mia\.$/);
});

describe("recall that fails", () => {
  const broken = (store: Store): Store =>
    storeWith(store, {
      listSessions: () => Promise.reject(new Error("the disk is gone")),
      listMemoryScopes: () => Promise.reject(new Error("the disk is gone")),
      readMemoryScope: () => Promise.reject(new Error("the disk is gone")),
    });

  test("leaves out what it would find, and the coverage says so", async () => {
    const services = await start();
    await remember(services, [draft("Ann has a cat")]);
    const failing: TestServices = await startTestServices(
      {},
      { store: broken(services.store), startMs: services.nowMs(), onBackgroundError: () => {} },
    );
    running.push(failing);
    const making = contextOf(failing, { query: "Does Ann have a cat?" });
    // The index is waited for as long as the store cannot be read, but not for ever.
    await new Promise((resolve) => setTimeout(resolve, 50));
    failing.advance(1_000);
    const { text, coverage } = await making;
    expect(text).toContain("Ann has a cat");
    expect(coverage?.complete).toBe(false);
  });

  test("does not hide that the caller is gone", async () => {
    const services = await start();
    await remember(services, [draft("Ann has a cat")]);
    const call = { ...services.call("AssembleContext"), signal: AbortSignal.abort() };
    const input = { namespace: "default", sessionId: "", scope: SCOPE, query: "cat" };
    await expect(
      services.memories.assembleContext(call, {
        ...{
          ...input,
          maxTokens: 100,
          counting: undefined,
          sections: [],
          profile: DEFAULT_PROFILE,
        },
        ...{
          includeConversation: true,
          compactionThreshold: undefined,
          collectionIds: [],
          minRelevance: 0,
          minBestRelevance: 0,
        },
        ...{ weights: {}, referenceMs: undefined, fence: undefined, blocks: [] },
      }),
    ).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  });
});

describe("entities and relations", () => {
  const entity = (name: string, aliases: readonly string[] = []): MemoryDraft =>
    draft("", {
      kind: "entity",
      structure: {
        kind: "entity",
        entity: { name, type: "place", aliases, attributes: new Map() },
      },
    });
  const relation = (subject: string, predicate: string, object: string): MemoryDraft =>
    draft("", {
      kind: "relation",
      structure: { kind: "relation", relation: { subject, predicate, object } },
    });

  test("that a query names come first", async () => {
    const services = await start();
    await remember(services, [
      ...[entity("New York City", ["Big Apple"]), entity("Oslo"), entity("Rome")],
      ...[relation("Ann", "lives_in", "Big Apple"), relation("Bob", "likes", "Oslo")],
    ]);
    const sections = (["entities", "relations"] as const).map((kind) => ({
      kind,
      share: undefined,
      firstShare: undefined,
      limit: 1,
      heading: "",
      maxChars: 0,
    }));
    const query = "Who lives in New York City's centre?";
    expect((await contextOf(services, { query, sections })).text).toBe(
      "- New York City [place]\n\n- Ann lives_in Big Apple",
    );
  });

  test("are those of the source system where its profile is asked for", async () => {
    const services = await start();
    await remember(services, [
      relation("Alice", "works_at", "Acme"),
      relation("Bob", "knows", "Alice"),
      relation("Acme", "located_in", "Seattle"),
    ]);
    const section = {
      kind: "relations",
      share: undefined,
      firstShare: undefined,
      heading: undefined,
      maxChars: 0,
    } as const;
    const fields = { profile: selectools, sections: [{ ...section, limit: 2 }] } as const;
    const asks = async (query: string) => (await contextOf(services, { ...fields, query })).text;
    const head = "[Known Relationships]\n";
    const last = "- Acme --[located_in]--> Seattle";
    expect(await asks("where is acme")).toBe(`${head}- Alice --[works_at]--> Acme\n${last}`);
    expect(await asks("")).toBe(`${head}- Bob --[knows]--> Alice\n${last}`);
    expect(await asks("a of")).toBe("");
    // Relations that were known first stand where more fit than there is room for.
    const second = "- Bob --[knows]--> Alice";
    expect(await asks("alice acme")).toBe(`${head}- Alice --[works_at]--> Acme\n${second}`);
  });
});
