// Goal: a filter of memories asks in the domain for what it asks on the wire, and nothing else.

import { describe, expect, it } from "vitest";
import {
  EVERYONE,
  exactly,
  memoryFilter,
  ownedBy,
  visibleTo,
} from "../../../test/support/samples.ts";
import type { MemoryFilter } from "../../domain/memories/filter.ts";
import { SHARED_SCOPE } from "../../domain/memories/memory.ts";
import type * as wire from "../../gen/memorysidecar/v1/memory.ts";
import { fromMemoryFilter, fromWholeFilter } from "./memory-filter.ts";

const time = { seconds: 1n, nanos: 1_500_000 };

describe("a filter of memories", () => {
  it("asks for nothing but what is shared when it is unset or empty", () => {
    expect(fromMemoryFilter(undefined)).toEqual(fromMemoryFilter(memoryFilter()));
    expect(fromMemoryFilter(undefined)).toEqual({
      ...{ scope: { kind: "visible-to", scope: SHARED_SCOPE }, kinds: new Set() },
      ...{ states: new Set(), categories: new Set(), topics: new Set(), key: "" },
      ...{ textContains: "", labels: new Map(), metadata: [], minImportance: 0 },
      ...{ minConfidence: 0, minTrust: undefined, persistent: undefined },
      ...{ validAtMs: undefined, createFromMs: undefined, createBeforeMs: undefined },
      ...{ seenFromMs: undefined, seenBeforeMs: undefined, sourceSessionId: "" },
      origin: undefined,
    });
  });

  it.each<readonly [Partial<wire.MemoryFilter>, Partial<MemoryFilter>]>([
    [
      { scope: visibleTo({ userId: "u" }) },
      { scope: { kind: "visible-to", scope: { ...SHARED_SCOPE, userId: "u" } } },
    ],
    [
      { scope: exactly({ agentId: "a" }) },
      { scope: { kind: "exact", scope: { ...SHARED_SCOPE, agentId: "a" } } },
    ],
    [
      { scope: ownedBy({ sessionId: "s" }) },
      { scope: { kind: "owned-by", scope: { ...SHARED_SCOPE, sessionId: "s" } } },
    ],
    [{ scope: EVERYONE }, { scope: { kind: "everyone" } }],
    [{ kinds: [1, 7] }, { kinds: new Set(["fact", "summary"] as const) }],
    [{ states: [2] }, { states: new Set(["superseded"] as const) }],
    [{ categories: ["WORK", "Life"] }, { categories: new Set(["work", "life"]) }],
    [{ topics: ["Tea"] }, { topics: new Set(["tea"]) }],
    [{ key: "k" }, { key: "k" }],
    [{ textContains: "Tea" }, { textContains: "Tea" }],
    [{ labels: new Map([["a", "b"]]) }, { labels: new Map([["a", "b"]]) }],
    [
      { metadata: [{ path: "p", test: { $case: "exists", value: true } }] },
      { metadata: [{ path: "p", test: { kind: "exists", exists: true } }] },
    ],
    [{ minImportance: 0.5 }, { minImportance: 0.5 }],
    [{ minConfidence: 0.5 }, { minConfidence: 0.5 }],
    [{ minTrust: 2 }, { minTrust: 2 }],
    [{ persistent: false }, { persistent: false }],
    [{ validAtTime: time }, { validAtMs: 1_001 }],
    [{ createTimeFrom: time }, { createFromMs: 1_002 }],
    [{ createTimeBefore: time }, { createBeforeMs: 1_002 }],
    [{ lastSeenTimeFrom: time }, { seenFromMs: 1_002 }],
    [{ lastSeenTimeBefore: time }, { seenBeforeMs: 1_002 }],
    [{ sourceSessionId: "s" }, { sourceSessionId: "s" }],
    [{ origin: 4 }, { origin: "turn" }],
  ])("that says %o", (given, meant) => {
    expect(fromMemoryFilter(memoryFilter(given))).toEqual({ ...fromMemoryFilter(), ...meant });
  });

  it("means memories of both states where it says so by saying nothing", () => {
    expect(fromWholeFilter(memoryFilter()).states).toEqual(new Set(["active", "superseded"]));
    expect(fromWholeFilter(memoryFilter({ states: [1] })).states).toEqual(new Set(["active"]));
  });
});
