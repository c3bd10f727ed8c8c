// Goal: the bodies of memories, which are written by hand, hold what the generated code reads.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { memoryArbitrary } from "../../../test/support/memory/arbitraries.ts";
import { MemoryBodyRecord } from "../../gen/memorysidecar/storage/v1/memory_records.ts";
import { encodeMemoryBody } from "./memory-tables.ts";

const seed = testSeed("bodies of memories");

describe("the body of a memory", () => {
  test("is what the generated code writes", () => {
    const same = fc.property(memoryArbitrary, (memory) => {
      const bytes = encodeMemoryBody(memory);
      const record = MemoryBodyRecord.decode(bytes);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(MemoryBodyRecord.encode(record).finish()));
      const { content, source } = memory;
      expect(record).toMatchObject({
        ...{ memoryId: memory.memoryId, ...memory.scope, text: content.text, key: content.key },
        ...{ category: content.category, topics: content.topics, importance: content.importance },
        ...{ labels: [...content.labels].flat(), metadata: Buffer.from(content.metadata) },
        ...{ validFromMs: content.validFromMs, validToMs: content.validToMs },
        ...{ trust: memory.trust, ttlMs: memory.ttlMs, origin: source.origin },
        ...{ sourceSessionId: source.sessionId, sourceMessageIds: source.messageIds },
        ...{ hook: source.hook, model: source.model, supersededBy: memory.supersededBy },
        ...{ writer: memory.writer, reason: memory.reason },
        contradictsIds: memory.contradictsIds,
        furtherSources: (source.further ?? []).map(({ sessionId, messageIds, owner, isCut }) => ({
          ...{ sessionId, messageIds, cut: isCut === true ? 1n : 0n },
          owner: owner === undefined ? [] : [owner.userId, owner.agentId],
        })),
        ...{ erasedMs: source.erasedMs, vouched: source.isVouched === true ? 1n : 0n },
      });
    });
    fc.assert(same, { seed, numRuns: 500 });
  });

  test("tells an empty part and a time of zero from none", () => {
    const [memory] = fc.sample(memoryArbitrary, { seed, numRuns: 1 });
    if (memory === undefined) throw new Error("no memory");
    const content = { ...memory.content, validFromMs: 0, topics: ["", "tea"], importance: 0 };
    const record = MemoryBodyRecord.decode(encodeMemoryBody({ ...memory, content }));
    expect(record).toMatchObject({ validFromMs: 0, topics: ["", "tea"], importance: 0 });
  });
});
