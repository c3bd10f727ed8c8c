// Goal: no part of a memory is lost or changed between the domain and the wire, what the domain may
// hold the checks let pass, and times are rounded to the safe side.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkWholeMemory } from "../../test/support/contract/whole-checks.ts";
import { memoryArbitrary } from "../../test/support/memory/arbitraries.ts";
import { fromMemoryKind, fromMemoryOrigin, toMemoryKind, toMemoryOrigin } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import { Violations } from "../grpc/violations.ts";
import { Etags } from "../kit/etag.ts";
import { MEMORY_KINDS, type Memory } from "./rules/memory.ts";
import { encodeMemory, MEMORY_CODEC, toMemory, toMemoryDraft } from "./wire.ts";

const ETAGS = new Etags("0123456789abcdef");

function overTheWire(memory: Memory): wire.Memory {
  return wire.Memory.decode(encodeMemory(memory, ETAGS));
}

const empty = wire.Memory.decode(new Uint8Array(0));

describe("a memory", () => {
  test("comes back from the wire as it was", () => {
    const property = fc.property(memoryArbitrary, (memory) => {
      const { content, strength, source, scope } = memory;
      const sent = overTheWire(memory);
      expect(toMemoryDraft(sent)).toEqual({
        ...{ memoryId: memory.memoryId, kind: memory.kind, scope },
        ...{ text: content.text, structure: content.structure, key: content.key },
        ...{ category: content.category, topics: content.topics, labels: content.labels },
        ...{ importance: content.importance, confidence: strength.confidence },
        ...{ trust: memory.trust, persistent: memory.persistent, metadata: content.metadata },
        ...{ validFromMs: content.validFromMs, validToMs: content.validToMs },
        ...{ ttlMs: memory.ttlMs, lastSeenMs: strength.lastSeenMs, etag: sent.etag },
        source: { sessionId: source.sessionId, messageIds: source.messageIds },
      });
      expect(sent).toMatchObject({
        state: memory.state === "active" ? 1 : 2,
        supersededByMemoryId: memory.supersededBy,
        contradictsMemoryIds: memory.contradictsIds,
        mentionCount: strength.mentionCount,
        version: BigInt(memory.version),
        writer: memory.writer,
        reason: memory.reason,
        etag: ETAGS.of(memory.etagRevision),
      });
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("passes the checks of its shape as it goes out", () => {
    const property = fc.property(memoryArbitrary, (memory) => {
      const violations = new Violations();
      checkWholeMemory(violations, overTheWire(memory));
      expect(violations.error()?.detail.violations).toBeUndefined();
      expect(violations.malformed).toBe(false);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("keeps the order of labels, topics and attributes", () => {
    const [memory] = fc.sample(memoryArbitrary, { seed: 7, numRuns: 1 });
    if (memory === undefined) throw new Error("no memory");
    const attributes = new Map([
      ["b", "1"],
      ["a", "2"],
    ]);
    const entity = { name: "n", type: "other", aliases: ["z", "y"], attributes };
    const content = { ...memory.content, structure: { kind: "entity" as const, entity } };
    const draft = toMemoryDraft(overTheWire({ ...memory, kind: "entity", content }));
    const structure = draft.structure?.kind === "entity" ? draft.structure.entity : undefined;
    expect([...(structure?.attributes ?? [])]).toEqual([...attributes]);
    expect(structure?.aliases).toEqual(["z", "y"]);
  });

  test("has no etag and no id while it is not stored", () => {
    const [memory] = fc.sample(memoryArbitrary, { seed: 7, numRuns: 1 });
    if (memory === undefined) throw new Error("no memory");
    expect(toMemory({ ...memory, memoryId: "" })).toMatchObject({ memoryId: "", etag: "" });
  });
});

describe("what a caller leaves out", () => {
  test("is filled in where it means one thing, and else told as unset", () => {
    expect(toMemoryDraft({ ...empty, text: "x" })).toEqual({
      ...{ memoryId: "", kind: "fact", scope: { userId: "", agentId: "", sessionId: "" } },
      ...{ text: "x", structure: undefined, key: "", category: "", topics: [] },
      ...{ importance: undefined, confidence: undefined, trust: 2, persistent: false },
      ...{ labels: new Map(), metadata: new Uint8Array(0), validFromMs: undefined },
      ...{ validToMs: undefined, ttlMs: 0, source: { sessionId: "", messageIds: [] } },
      ...{ lastSeenMs: undefined, etag: "" },
    });
    const value = { name: "Alps", type: "", aliases: [], attributes: new Map() };
    const named = toMemoryDraft({ ...empty, kind: 4, structure: { $case: "entity", value } });
    expect(named.structure).toMatchObject({ entity: { name: "Alps", type: "other" } });
  });

  test("is not taken from what only the server sets", () => {
    const eraseTime = { seconds: 1n, nanos: 0 };
    const source = { origin: 3, sessionId: "s", hook: "h", model: "g", eraseTime } as const;
    const given = { ...empty, text: "x", supersededByMemoryId: "y", writer: "root" };
    const counts = { mentionCount: 9, version: 4n };
    const sent: wire.Memory = {
      ...given,
      ...counts,
      state: 2,
      source: { ...source, messageIds: ["m"] },
    };
    const draft = toMemoryDraft(sent);
    expect(draft.source).toEqual({ sessionId: "s", messageIds: ["m"] });
    expect(JSON.stringify(draft)).not.toMatch(/root|superseded/);
  });
});

describe("times of a request", () => {
  const time = { seconds: 1n, nanos: 1_500_000 };

  test("begin and end at the next millisecond, and were seen in the one before", () => {
    const draft = toMemoryDraft({
      ...empty,
      validFromTime: time,
      validUntilTime: time,
      lastSeenTime: time,
    });
    expect(draft).toMatchObject({ validFromMs: 1_002, validToMs: 1_002, lastSeenMs: 1_001 });
    expect(toMemoryDraft({ ...empty, ttl: time }).ttlMs).toBe(1_002);
  });
});

describe("metadata", () => {
  test("is kept byte for byte, in bytes of its own", () => {
    const metadata = Buffer.from([10, 5, 10, 1, 97, 18, 0]);
    const draft = toMemoryDraft({ ...empty, metadata });
    metadata.fill(0);
    expect([...draft.metadata]).toEqual([10, 5, 10, 1, 97, 18, 0]);
    expect([...MEMORY_CODEC.flatMetadata(draft.metadata).keys()]).toEqual(["a"]);
  });
});

describe("the enums of memories", () => {
  test("have the names and the numbers of the contract", () => {
    const names = Object.keys(wire.MemoryKind).filter((name) => !/^UN(SPEC|REC)/.test(name));
    expect(names.map((name) => name.toLowerCase())).toEqual([...MEMORY_KINDS]);
    for (const kind of MEMORY_KINDS) expect(fromMemoryKind(toMemoryKind(kind))).toBe(kind);
    expect(fromMemoryKind(0)).toBe("fact");
    for (const number of [1, 2, 3, 4] as const) {
      const origin = fromMemoryOrigin(number);
      expect(origin !== undefined && toMemoryOrigin(origin)).toBe(number);
    }
    expect(fromMemoryOrigin(0)).toBeUndefined();
  });
});
