// Memories and jobs on them for tests of the storage.

import type { MemoryJob, MemoryJobType } from "../../../src/memory/rules/job.ts";
import {
  type Memory,
  type MemoryKind,
  type MemoryStructure,
  SHARED_SCOPE,
} from "../../../src/memory/rules/memory.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { DEFAULT_MEMORY_POLICY } from "../../../src/window/policy/memory-policy.ts";
import { START_MS } from "./plans.ts";

/** Parts of a memory; everything but its id and number has a default. */
export type MemoryParts = Partial<Omit<Memory, "content" | "strength">> &
  Pick<Memory, "memoryId" | "memoryNo"> & {
    readonly content?: Partial<Memory["content"]>;
    readonly strength?: Partial<Memory["strength"]>;
  };

/** Structure that memories of a kind need, if any. */
export function structureOf(kind: MemoryKind, text: string): MemoryStructure | undefined {
  if (kind === "entity") {
    const entity = { name: text, type: "other", aliases: [], attributes: new Map() };
    return { kind, entity };
  }
  if (kind === "relation") {
    const [subject = "", predicate = "", object = ""] = text.split(" ");
    return { kind, relation: { subject, predicate, object } };
  }
  return kind === "episode" ? { kind, episode: { userText: text, assistantText: "" } } : undefined;
}

/** A memory, a fact of everybody's unless something else is said. */
export function newMemory({ content = {}, strength = {}, ...parts }: MemoryParts): Memory {
  const { text = `text of ${parts.memoryId}` } = content;
  const { kind = "fact" } = parts;
  return {
    kind,
    scope: SHARED_SCOPE,
    trust: TRUST.medium,
    persistent: false,
    ttlMs: 0,
    source: { origin: "caller", sessionId: "", messageIds: [], hook: "", model: "" },
    state: "active",
    supersededBy: "",
    contradictsIds: [],
    version: 1,
    writer: "caller",
    reason: "",
    createMs: START_MS,
    updateMs: START_MS,
    etagRevision: 1,
    ...parts,
    content: {
      text,
      structure: structureOf(kind, text),
      key: "",
      category: "general",
      topics: [],
      importance: 0.5,
      labels: new Map(),
      metadata: new Uint8Array(0),
      validFromMs: undefined,
      validToMs: undefined,
      ...content,
    },
    strength: { confidence: 1, mentionCount: 1, lastSeenMs: START_MS, decayMs: 0, ...strength },
  };
}

/** A memory with everything that a memory can have. */
export function fullMemory(parts: Pick<Memory, "memoryId" | "memoryNo" | "kind">): Memory {
  const { kind } = parts;
  const structure = fullStructure(kind);
  return newMemory({
    ...parts,
    scope: { userId: "ü\u{1f600}", agentId: "a".repeat(512), sessionId: "s" },
    content: {
      text: "größer\n\u0000".repeat(9),
      structure,
      key: "home.town",
      category: "c",
      topics: ["t", "", "t2"],
      importance: 0.123456789012345,
      labels: new Map([
        ["a", ""],
        ["b", "ü"],
      ]),
      metadata: Uint8Array.of(0, 255, 10, 3),
      validFromMs: -5_000_000_000,
      validToMs: 4_000_000_000_000,
    },
    strength: { confidence: 0.1, mentionCount: 7, lastSeenMs: -1, decayMs: START_MS },
    trust: TRUST.low,
    persistent: true,
    ttlMs: 86_400_000,
    source: {
      origin: "extraction",
      sessionId: "s1",
      messageIds: ["m1", "m2"],
      hook: "h",
      model: "m",
      erasedMs: 0,
      isVouched: true,
    },
    writer: "w",
    reason: "r",
  });
}

function fullStructure(kind: MemoryKind): MemoryStructure | undefined {
  if (kind === "entity") {
    const attributes = new Map([
      ["z", "1"],
      ["a", ""],
    ]);
    return {
      kind,
      entity: { name: "Alps", type: "place", aliases: ["The Alps", "x"], attributes },
    };
  }
  return kind === "episode"
    ? { kind, episode: { userText: "", assistantText: "hello" } }
    : structureOf(kind, "Alice works_at Acme");
}

/** A job on memories. */
export function newJob(type: MemoryJobType, parts: Partial<MemoryJob> = {}): MemoryJob {
  return {
    type,
    policy: DEFAULT_MEMORY_POLICY,
    ranges: [{ first: 1, last: 2 }],
    state: "ready",
    dueMs: START_MS,
    failedAttempts: 0,
    lastFailure: undefined,
    callCount: 0,
    createMs: START_MS,
    createRevision: 1,
    generation: 1,
    ...parts,
  };
}
