import { describe, expect, test } from "vitest";
import { memoryOf } from "../../../test/support/memory/lookup.ts";
import { type Memory, type MemoryScope, SHARED_SCOPE } from "../../memory/rules/memory.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import { type MemoryFilter, matchesMemory } from "./memory-filter.ts";

const ANY: MemoryFilter = {
  ...{ scope: { kind: "everyone" }, key: "", textContains: "" },
  ...{ kinds: new Set(), states: new Set(), categories: new Set(), topics: new Set() },
  ...{ labels: new Map(), metadata: [], minImportance: 0, minConfidence: 0 },
  ...{ minTrust: undefined, persistent: undefined, validAtMs: undefined },
  ...{ createFromMs: undefined, createBeforeMs: undefined },
  ...{
    seenFromMs: undefined,
    seenBeforeMs: undefined,
    sourceSessionId: "",
    origin: undefined,
    sourceErased: undefined,
  },
};
const NOW = 1_000;

const memory = memoryOf({
  ...{ text: "User loves Hiking", topics: ["Alps gear"], key: "hobby", category: "Leisure" },
  ...{ importance: 0.6, confidence: 0.7, validFromMs: 100, validToMs: 200, persistent: true },
  ...{ labels: new Map([["team", "a"]]), trust: TRUST.medium, lastSeenMs: 500 },
  scope: { userId: "u", agentId: "", sessionId: "" },
  source: { origin: "turn", sessionId: "s", messageIds: [], hook: "", model: "" },
});
const past: Memory = { ...memory, state: "superseded", supersededBy: "other" };

function whose(
  kind: "visible-to" | "exact" | "owned-by",
  scope: Partial<MemoryScope>,
): MemoryFilter["scope"] {
  return { kind, scope: { ...SHARED_SCOPE, ...scope } };
}

function matches(filter: Partial<MemoryFilter>, one: Memory = memory): boolean {
  return matchesMemory(one, { ...ANY, ...filter }, { nowMs: NOW });
}

describe("a filter", () => {
  test("that is empty means every active memory", () => {
    expect(matches({})).toBe(true);
    expect(matches({}, past)).toBe(false);
  });

  test("means nothing whose time has run out", () => {
    const brief = { ...memory, ttlMs: NOW - memory.updateMs };
    expect(matches({}, brief)).toBe(false);
    expect(matches({}, { ...brief, ttlMs: brief.ttlMs + 1 })).toBe(true);
  });

  test.each<readonly [string, Partial<MemoryFilter>, boolean]>([
    ["what its user owns", { scope: whose("owned-by", { userId: "u" }) }, true],
    ["what another user owns", { scope: whose("owned-by", { userId: "v" }) }, false],
    ["its kind", { kinds: new Set(["fact", "entity"]) }, true],
    ["another kind", { kinds: new Set(["entity"]) }, false],
    ["superseded ones", { states: new Set(["superseded"]) }, false],
    ["its category", { categories: new Set(["leisure"]) }, true],
    ["another category", { categories: new Set(["work"]) }, false],
    ["its topic", { topics: new Set(["alps gear", "x"]) }, true],
    ["a part of its topic", { topics: new Set(["alps"]) }, false],
    ["its key", { key: "hobby" }, true],
    ["another key", { key: "Hobby" }, false],
    ["a part of its text", { textContains: "HIKING" }, true],
    ["a part of a topic as text", { textContains: "gear" }, true],
    ["another text", { textContains: "tea" }, false],
    ["its labels", { labels: new Map([["team", "a"]]) }, true],
    ["other labels", { labels: new Map([["team", "b"]]) }, false],
    ["less importance", { minImportance: 0.6 }, true],
    ["more importance", { minImportance: 0.61 }, false],
    ["less confidence", { minConfidence: 0.7 }, true],
    ["more confidence", { minConfidence: 0.71 }, false],
    ["its trust", { minTrust: TRUST.medium }, true],
    ["more trust", { minTrust: TRUST.high }, false],
    ["persistent ones", { persistent: true }, true],
    ["others than persistent ones", { persistent: false }, false],
    ["its source", { sourceSessionId: "s", origin: "turn" }, true],
    ["another session", { sourceSessionId: "t" }, false],
    ["another origin", { origin: "caller" }, false],
    ["its beginning", { validAtMs: 100 }, true],
    ["before its beginning", { validAtMs: 99 }, false],
    ["its end", { validAtMs: 200 }, false],
    ["before its end", { validAtMs: 199 }, true],
    ["since it was made", { createFromMs: memory.createMs }, true],
    ["after it was made", { createFromMs: memory.createMs + 1 }, false],
    ["before it was made", { createBeforeMs: memory.createMs }, false],
    ["until it was made", { createBeforeMs: memory.createMs + 1 }, true],
    ["since it was said", { seenFromMs: 500 }, true],
    ["after it was said", { seenFromMs: 501 }, false],
    ["before it was said", { seenBeforeMs: 500 }, false],
    ["until it was said", { seenBeforeMs: 501 }, true],
  ])("that asks for %s", (_, filter, expected) => {
    expect(matches(filter)).toBe(expected);
  });

  test("that asks what was true at a time means superseded ones too", () => {
    expect(matches({ validAtMs: 150 }, past)).toBe(true);
    expect(matches({ validAtMs: 150, states: new Set(["active"]) }, past)).toBe(false);
    expect(matches({ states: new Set(["superseded"]) }, past)).toBe(true);
  });

  test("that asks for metadata reads them", () => {
    const metadata = [
      { path: "a.b", test: { kind: "one-of", values: ["x"] } },
    ] as const satisfies MemoryFilter["metadata"];
    const flat = (): Map<string, string[]> => new Map([["a.b", ["x"]]]);
    const filter = { ...ANY, metadata };
    expect(matchesMemory(memory, filter, { nowMs: NOW, flat })).toBe(true);
    expect(matchesMemory(memory, filter, { nowMs: NOW, flat: () => new Map() })).toBe(false);
    expect(matchesMemory(memory, filter, { nowMs: NOW })).toBe(false);
  });
});
