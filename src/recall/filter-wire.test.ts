import { describe, expect, test } from "vitest";
import {
  EVERYONE,
  exactly,
  memoryFilter,
  ownedBy,
  visibleTo,
} from "../../test/support/contract/samples.ts";
import type * as wire from "../gen/memorysidecar/v1/memory.ts";
import { MemoryKind } from "../gen/memorysidecar/v1/memory.ts";
import { Role } from "../gen/memorysidecar/v1/message.ts";
import { RecallFilter, RecallKind } from "../gen/memorysidecar/v1/recall.ts";
import { SHARED_SCOPE } from "../memory/rules/memory.ts";
import { fromMemoryFilter, fromRecallFilter, fromWholeFilter } from "./filter-wire.ts";
import type { MemoryFilter } from "./rules/memory-filter.ts";

type Given = Partial<RecallFilter>;

/** The kinds that a filter is about, in alphabetical order; none stands for all. */
function kindsOf(filter: Given): string[] {
  return [
    ...fromRecallFilter({ ...RecallFilter.decode(new Uint8Array(0)), ...filter }).kinds,
  ].sort();
}

describe("what kinds a filter is about", () => {
  test.each<[string, Given, string[]]>([
    ["nothing", {}, []],
    ["sessions", { sessionIds: ["s"] }, ["message"]],
    ["roles", { roles: [Role.USER] }, ["message"]],
    ["collections", { collectionIds: ["c"] }, ["document"]],
    ["memories", { memoryKinds: [MemoryKind.FACT] }, ["memory"]],
    [
      "sessions and collections",
      { sessionIds: ["s"], collectionIds: ["c"] },
      ["document", "message"],
    ],
    ["categories, which memories of all have", { categories: ["work"] }, []],
    ["sessions that do not count", { excludeSessionIds: ["s"] }, []],
    ["sessions, of every kind", { sessionIds: ["s"], kinds: [1, 2] }, ["document", "message"]],
    ["documents of sessions", { sessionIds: ["s"], kinds: [RecallKind.DOCUMENT] }, ["document"]],
  ])("names %s", (_, filter, kinds) => {
    expect(kindsOf(filter)).toEqual(kinds);
  });
});

const time = { seconds: 1n, nanos: 1_500_000 };

describe("a filter of memories", () => {
  test("asks for nothing but what is shared when it is unset or empty", () => {
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

  test.each<readonly [Partial<wire.MemoryFilter>, Partial<MemoryFilter>]>([
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

  test("means memories of both states where it says so by saying nothing", () => {
    expect(fromWholeFilter(memoryFilter()).states).toEqual(new Set(["active", "superseded"]));
    expect(fromWholeFilter(memoryFilter({ states: [1] })).states).toEqual(new Set(["active"]));
  });
});
