// The texts of the source systems, byte for byte.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  conversationOf,
  memoryOf,
  pack,
  remembered,
} from "../../../test/support/memory/context.ts";
import type { Memory, MemoryContent } from "../../memory/rules/memory.ts";
import { DEFAULT_PROFILE, sectionRules } from "./profiles.ts";
import type { FoundSection } from "./types.ts";

const SELECTOOLS = { profile: "selectools" } as const;
const at = (time: string): number => Date.parse(time);

function fact(text: string, category: string, importance: number, rest: Partial<Memory> = {}) {
  return remembered(memoryOf({ text, category, importance }, rest));
}

function entity(name: string, type: string, attributes: Record<string, string> = {}) {
  const made = { name, type, aliases: [], attributes: new Map(Object.entries(attributes)) };
  return remembered(memoryOf({ structure: { kind: "entity", entity: made } }, { kind: "entity" }));
}

function relation(subject: string, predicate: string, object: string, confidence: number) {
  const structure = { kind: "relation", relation: { subject, predicate, object } } as const;
  const strength = { confidence, mentionCount: 1, lastSeenMs: 0, decayMs: 0 };
  return remembered(memoryOf({ structure }, { kind: "relation", strength }));
}

function episode(userText: string, assistantText: string, time: string) {
  const structure: MemoryContent["structure"] = {
    kind: "episode",
    episode: { userText, assistantText },
  };
  return remembered(memoryOf({ structure, validFromMs: at(time) }, { kind: "episode" }));
}

const TURNS = [1, 2, 3, 4].flatMap((turn) => [
  `user: user turn ${turn} words here`,
  `assistant: assistant turn ${turn} words here`,
]);
const WHOLE = TURNS.map((line) => line.replace(/^(user|assistant):/, (role) => role.toUpperCase()));

describe("the unified memory of selectools", () => {
  const found: readonly FoundSection[] = [
    {
      kind: "long-term",
      candidates: [fact("Visited Rome", "general", 0.4), fact("My name is John", "identity", 0.9)],
    },
    { kind: "episodes", candidates: [episode("hello", "hi there", "2026-01-31T11:00:00Z")] },
    conversationOf(["user: hello", "assistant: hi there"]),
  ];
  const knowledge =
    "[Important Knowledge]\n- [identity] My name is John\n\n" +
    "[General Knowledge]\n-  Visited Rome\n\n" +
    "[Recent Episodes]\n- 2026-01-31 11:00 user: hello | assistant: hi there";

  test("has its sections, with the conversation and without", async () => {
    expect((await pack(found, 2_800, SELECTOOLS)).text).toBe(
      `${knowledge}\n\n[Conversation]\nUSER: hello\nASSISTANT: hi there`,
    );
    expect((await pack(found.slice(0, 2), 2_800, SELECTOOLS)).text).toBe(knowledge);
  });

  test.each<readonly [number, string]>([
    [700, WHOLE.join("\n")],
    [49, WHOLE.join("\n")],
    [31, ["[... 4 earlier messages compacted ...]", ...WHOLE.slice(4)].join("\n")],
    [21, ["[... 6 earlier messages compacted ...]", ...WHOLE.slice(6)].join("\n")],
    [
      16,
      "[... 6 earlier messages compacted ...]\nUSER: user turn 4 wo\n" +
        "[... context truncated ...]",
    ],
  ])("within %d words compacts the conversation", async (budget, text) => {
    const packed = await pack([conversationOf(TURNS)], budget, SELECTOOLS);
    expect(packed.text).toBe(`[Conversation]\n${text}`);
    expect(packed.tokenCount).toBeLessThanOrEqual(budget);
  });

  test("tells what it compacted, and what is left of a cut message", async () => {
    const packed = await pack([conversationOf(TURNS)], 16, SELECTOOLS);
    expect(packed.parts[0]?.items.map(({ text }) => text)).toEqual(["USER: user turn 4 wo"]);
    const reasons = Object.groupBy(packed.cut, ({ reason }) => reason);
    expect(reasons.compacted).toHaveLength(6);
    expect(reasons.budget?.map(({ ref }) => ref)).toEqual([
      { kind: "message", sessionId: "s", messageId: "8", seq: 8 },
    ]);
  });

  test.each<readonly [number, string]>([
    [
      70,
      "[Important Knowledge]\n-  k1 k2 k3\n\n[Known Entities]\n- Bob [person]\n\n" +
        "[Recent Episodes]\n- 2026-01-31 11:00 user: eu one | assistant: ea two",
    ],
    [14, "[Important Knowledge]\n-  k1 k2 k3\n\n[Known Entities]\n- Bob [person]"],
    [10, "[Important Knowledge]\n-  k1 k2 k3"],
    [8, "[Important Knowledge]\n-  k1 k2 k3"],
    [2, "[... context truncated ...]"],
  ])("within %d words drops episodes, then entities, then cuts", async (budget, text) => {
    const tiers: readonly FoundSection[] = [
      { kind: "long-term", candidates: [fact("k1 k2 k3", "general", 0.9)] },
      { kind: "entities", candidates: [entity("Bob", "person")] },
      { kind: "episodes", candidates: [episode("eu one", "ea two", "2026-01-31T11:00:00Z")] },
    ];
    expect((await pack(tiers, budget, SELECTOOLS)).text).toBe(text);
  });

  test("lists entities and relations", async () => {
    const entities: FoundSection = {
      kind: "entities",
      candidates: [entity("Bob", "person"), entity("Alice", "person", { role: "CTO", city: "S" })],
    };
    expect((await pack([entities], 99, SELECTOOLS)).text).toBe(
      "[Known Entities]\n- Bob [person]\n- Alice [person] (role: CTO, city: S)",
    );
    const relations: FoundSection = {
      kind: "relations",
      candidates: [
        relation("Bob", "knows", "Alice", 0.84),
        relation("Acme", "located_in", "Seattle", 0.5),
        relation("Alice", "works_at", "Acme", 1),
      ],
    };
    const sections = [{ kind: "relations" }] as const;
    expect((await pack([relations], 99, { ...SELECTOOLS, sections })).text).toBe(
      "[Known Relationships]\n- Bob --[knows]--> Alice (confidence: 0.8)\n" +
        "- Acme --[located_in]--> Seattle (confidence: 0.5)\n- Alice --[works_at]--> Acme",
    );
  });

  test("cuts knowledge to its characters, with a mark at the end", async () => {
    const long = {
      kind: "long-term",
      candidates: [fact("x".repeat(100), "general", 0.9)],
    } as const;
    const sections = [{ kind: "long-term", maxChars: 60 }] as const;
    const { text, parts, cut } = await pack([long], 999, { ...SELECTOOLS, sections });
    expect(text).toHaveLength(60);
    expect(text).toBe(`[Important Knowledge]\n-  ${"x".repeat(19)}\n... (truncated)`);
    expect(parts[0]?.items[0]?.text).toBe(`-  ${"x".repeat(19)}`);
    expect(cut).toEqual([]);
  });

  test("does not count the marks of data among characters", async () => {
    const long = {
      kind: "long-term",
      candidates: [fact("x".repeat(100), "general", 0.9), fact("short", "general", 0.9)],
    } as const;
    const sections = [{ kind: "long-term", heading: "Facts", maxChars: 44 }] as const;
    const { text } = await pack([long], 999, { profile: "default", sections });
    expect(text).toBe(
      `Facts\n<data source="memory" trust="low">\n- [low trust] ${"x".repeat(8)}\n... (truncated)\n</data>`,
    );
    const bare = [{ kind: "long-term", heading: "H".repeat(20), maxChars: 32 }] as const;
    const none = await pack([long], 999, { profile: "default", sections: bare });
    expect([none.text, none.cut.map(({ reason }) => reason)]).toEqual(["", ["budget", "budget"]]);
  });

  test("keeps a log of days, the newest first", async () => {
    const note = (text: string, category: string, time: string) =>
      fact(text, category, 0.5, { createMs: at(time) });
    const candidates = [
      note("note 2026-01-30", "general", "2026-01-30T10:00:00Z"),
      note("User prefers dark mode", "preference", "2026-01-31T12:00:00Z"),
      note("Working on Atlas", "general", "2026-01-31T12:00:00Z"),
    ];
    const sections = [{ kind: "daily-log" }] as const;
    const packed = await pack([{ kind: "daily-log", candidates }], 999, {
      ...SELECTOOLS,
      sections,
    });
    expect(packed.text).toBe(
      "=== 2026-01-31 ===\n[2026-01-31 12:00:00] [preference] User prefers dark mode\n" +
        "[2026-01-31 12:00:00] [general] Working on Atlas\n" +
        "=== 2026-01-30 ===\n[2026-01-30 10:00:00] [general] note 2026-01-30",
    );
  });

  test("leaves heads of groups out under a heading of the caller's", async () => {
    const candidates = [fact("a", "general", 0.4), fact("User prefers dark", "preference", 0.8)];
    const long = { kind: "long-term", candidates } as const;
    const sections = [{ kind: "long-term", heading: "" }] as const;
    expect((await pack([long], 99, { ...SELECTOOLS, sections })).text).toBe(
      "- [preference] User prefers dark\n-  a",
    );
  });
});

test("the facts of lauren say how sure they are", async () => {
  const sure = (text: string, confidence: number) =>
    fact(text, "general", 0.5, {
      strength: { confidence, mentionCount: 1, lastSeenMs: 0, decayMs: 0 },
    });
  const candidates = [sure("A", 0.8), sure("B", 0.79), sure("C", 0.5), sure("D", 0.49)];
  const packed = await pack([{ kind: "long-term", candidates }], 99, { profile: "lauren" });
  expect(packed.text).toBe(
    "## What I remember about you:\n- A (confidence: high)\n- B (confidence: medium)\n" +
      "- C (confidence: medium)\n- D (confidence: low)",
  );
  expect((await pack([], 99, { profile: "lauren" })).text).toBe("");
});

test("the history of definable stands between its marks", async () => {
  const found = [conversationOf(["user: Hi", "summary: Sum", "assistant: Yo"])];
  expect((await pack(found, 99, { profile: "definable" })).text).toBe(
    "<conversation_history>\nuser: Hi\n[Summary]: Sum\nassistant: Yo\n</conversation_history>",
  );
  expect((await pack([], 99, { profile: "definable" })).text).toBe("");
});

test("docs/memory.md has the sections of the default profile as they are", () => {
  const rows = sectionRules(DEFAULT_PROFILE, []).map(({ kind, share, firstShare, limit }) => {
    const cells = [kind.replace("-", " "), share, firstShare, limit];
    return `| ${cells.join(" | ")} |`;
  });
  const head = ["| section | `share` | `first_share` | `limit` |", "| --- | --- | --- | --- |"];
  const text = readFileSync(new URL("../../../docs/memory.md", import.meta.url), "utf8");
  const [, table] = text.split(/<!-- sections:(?:start|end) -->/);
  expect(table?.trim()).toBe([...head, ...rows].join("\n"));
  expect(rows).toHaveLength(DEFAULT_PROFILE.sections.length);
});
