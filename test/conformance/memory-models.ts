// Models of the long-term memory of selectools for random cases: slow, and a direct transcription
// of its description.

import type { Random } from "../support/kit/random.ts";
import type { Case } from "./cases.ts";
import type { Json, JsonObject } from "./json.ts";

type Parts = Pick<Case, "feature" | "given" | "when" | "expected">;

/** Sayings, each with the rule that matches it and the score of that rule. */
const SAYINGS: readonly (readonly [text: string, rule: string, score: number])[] = [
  ["My name is Ana", "identity", 0.9],
  ["my NAME is ana ", "identity", 0.9],
  ["I am called Bo", "identity", 0.9],
  ["My friend paints", "relationship", 0.85],
  ["I like tea", "preference", 0.75],
  ["i like tea", "preference", 0.75],
  ["We agreed on blue", "goal", 0.7],
  ["I live in Oslo", "location", 0.6],
  ["The deadline is Friday", "date_fact", 0.6],
  ["Good morning", "general", 0.3],
  ["Yes", "general", 0.3],
];

interface Entry {
  readonly content: string;
  readonly category: string;
  readonly importance: number;
  readonly role: string;
}

interface Said {
  readonly role: string;
  readonly text: string;
}

/** Evicts the least important ones, of equal ones the oldest. */
function evict(entries: Entry[], limit: number): void {
  while (entries.length > limit) {
    const least = Math.min(...entries.map(({ importance }) => importance));
    entries.splice(
      entries.findIndex(({ importance }) => importance === least),
      1,
    );
  }
}

/** Messages that leave the window are promoted when important enough, each text once. */
function promotion(random: Random): Parts {
  const policy = {
    short_term_limit: random.int(1, 5),
    long_term_limit: random.int(1, 5),
    importance_threshold: random.pick([0.3, 0.6, 0.7, 0.9]),
    auto_promote: random.chance(0.9),
  };
  let window: readonly Said[] = [];
  const entries: Entry[] = [];
  const promoted = new Set<string>();
  const turns = Array.from({ length: random.int(1, 8) }, () => {
    return [random.pick(SAYINGS)[0], random.pick(SAYINGS)[0]] as const;
  });
  for (const [user, assistant] of turns) {
    const all = [...window, { role: "user", text: user }, { role: "assistant", text: assistant }];
    window = all.slice(-policy.short_term_limit);
    for (const { role, text } of all.slice(0, all.length - window.length)) {
      const content = text.trim();
      const [, category = "", importance = 0] = SAYINGS.find(([known]) => known === text) ?? [];
      const isNew = !promoted.has(content.toLowerCase());
      if (!policy.auto_promote || importance < policy.importance_threshold || !isNew) continue;
      promoted.add(content.toLowerCase());
      entries.push({ content, category, importance, role });
      evict(entries, policy.long_term_limit);
    }
  }
  const longTerm = entries
    .toSorted((a, b) => b.importance - a.importance)
    .map(({ role, ...entry }) => ({ ...entry, metadata: { source: "unified_memory", role } }));
  const when = turns.map(([user, assistant]) => ({ op: "add_turn", user, assistant }));
  const short = window.map(({ text }) => text);
  const expected = { short_term: short, long_term: longTerm, episodes: turns.length };
  return { feature: "promotion.random", given: { policy }, when, expected };
}

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
const CUT = "\n[... context truncated ...]";

/** The sections in their order, those that are empty left out. */
function joined(sections: readonly string[]): string {
  return sections.filter((text) => text !== "").join("\n\n");
}

/** A context within a share of its tokens: older messages, episodes, entities, then the end go. */
function packed(lines: readonly string[], sections: readonly string[], budget: number): string {
  const fits = (text: string): boolean => countWords(text) <= budget;
  let [known = "", entities = "", episodes = ""] = sections;
  let talk = lines.length === 0 ? "" : ["[Conversation]", ...lines].join("\n");
  let text = joined([known, entities, episodes, talk]);
  for (let recent = lines.length; recent > 2 && !fits(text); ) {
    recent = Math.max(2, Math.floor(recent / 2));
    const mark = `[... ${lines.length - recent} earlier messages compacted ...]`;
    talk = ["[Conversation]", mark, ...lines.slice(-recent)].join("\n");
    text = joined([known, entities, episodes, talk]);
  }
  if (!fits(text)) episodes = "";
  text = joined([known, entities, episodes, talk]);
  if (!fits(text)) entities = "";
  text = joined([known, entities, episodes, talk]);
  if (fits(text)) return text;
  while (text !== "" && !fits(text + CUT)) {
    text = text.slice(0, Math.max(0, Math.trunc(0.9 * text.length) - 1));
  }
  return text === "" ? CUT.trim() : text + CUT;
}

const NOW = "2026-01-31T12:00:00Z";

function someWords(random: Random): string {
  const words = ["alpha", "beta", "gamma", "delta", "eps"];
  return Array.from({ length: random.int(1, 6) }, () => random.pick(words)).join(" ");
}

/** A context within a budget of words: facts, people, episodes and messages. */
function context(random: Random): Parts {
  const importances = [0.3, 0.69, 0.7, 1];
  const known = Array.from({ length: random.int(0, 3) }, (_, index) => ({
    content: `${index} ${someWords(random)}`,
    category: random.pick(["general", "work"]),
    importance: random.pick(importances),
  }));
  const ordered = known.toSorted((a, b) => b.importance - a.importance);
  const group = (head: string, isOf: (importance: number) => boolean): string => {
    const lines = ordered
      .filter(({ importance }) => isOf(importance))
      .map((one) => `- ${one.category === "general" ? "" : `[${one.category}]`} ${one.content}`);
    return lines.length === 0 ? "" : [head, ...lines].join("\n");
  };
  const knowledge = joined([
    group("[Important Knowledge]", (importance) => importance >= 0.7),
    group("[General Knowledge]", (importance) => importance < 0.7),
  ]);
  const hasEntity = random.chance(0.5);
  const entities = hasEntity ? "[Known Entities]\n- Bo [person] (age: 7)" : "";
  const turns = Array.from({ length: random.int(0, 6) }, (_, index) => ({
    user: someWords(random),
    assistant: someWords(random),
    timestamp: `2026-01-31T0${index + 1}:00:00Z`,
  }));
  const episodeLines = turns.map(({ user, assistant, timestamp }) => {
    return `- 2026-01-31 ${timestamp.slice(11, 16)} user: ${user} | assistant: ${assistant}`;
  });
  const episodes = turns.length === 0 ? "" : ["[Recent Episodes]", ...episodeLines].join("\n");
  const lines = turns.flatMap(({ user, assistant }) => [
    `USER: ${user}`,
    `ASSISTANT: ${assistant}`,
  ]);
  const threshold = random.pick([0.3, 0.7, 1]);
  const when = Array.from({ length: 3 }, () => ({
    op: "assemble_context",
    max_tokens: random.int(1, 150),
    include_conversation: random.chance(0.7),
  }));
  const budgets = when.map((op) => Math.max(1, Math.trunc(op.max_tokens * threshold)));
  const returns = when.map(({ include_conversation: isWhole }, index) =>
    packed(isWhole ? lines : [], [knowledge, entities, episodes], budgets[index] ?? 0),
  );
  const bo = { name: "Bo", entity_type: "person", attributes: { age: "7" } };
  const given = {
    now: NOW,
    token_rule: "number of whitespace-separated words",
    compaction_threshold: threshold,
    long_term: known,
    entities: hasEntity ? [bo] : [],
    turns,
  };
  return { feature: "context.random", given, when, expected: { budgets, returns } };
}

/** Entities by their names: what was said of them joins; the longest unseen go. */
function entity(random: Random): Parts {
  const limit = random.int(1, 4);
  interface Known {
    readonly name: string;
    readonly entity_type: string;
    readonly attributes: JsonObject;
    readonly last_mentioned: number;
    readonly mention_count: number;
  }
  const known = new Map<string, Known>();
  const when: JsonObject[] = [];
  for (let now = 1; now <= random.int(2, 9); now++) {
    const name = random.pick(["Ana", "ANA", "Bo", "bo", "Cleo", "Dora", "Ed"]);
    // Not `other`: here it says nothing, and gives way to a type that comes later.
    const type = random.pick(["person", "concept"]);
    const attributes: Record<string, Json> = {};
    for (const key of ["age", "city"]) {
      if (random.chance(0.5)) attributes[key] = `${key} ${now}`;
    }
    when.push({ op: "update_entities", now, entities: [{ name, entity_type: type, attributes }] });
    const key = name.toLowerCase();
    const old = known.get(key);
    known.set(key, {
      name: old?.name ?? name,
      entity_type: old?.entity_type ?? type,
      attributes: { ...old?.attributes, ...attributes },
      last_mentioned: now,
      mention_count: (old?.mention_count ?? 0) + 1,
    });
    const seen = [...known].sort(([, a], [, b]) => b.last_mentioned - a.last_mentioned);
    for (const [gone] of seen.slice(limit)) known.delete(gone);
  }
  const entities = [...known.values()].sort((a, b) => b.last_mentioned - a.last_mentioned);
  const lines = entities.map(({ name, entity_type: type, attributes }) => {
    const pairs = Object.entries(attributes).map(([key, value]) => `${key}: ${String(value)}`);
    return `- ${name} [${type}]${pairs.length === 0 ? "" : ` (${pairs.join(", ")})`}`;
  });
  const text = ["[Known Entities]", ...lines].join("\n");
  const expected = { entities: entities.map((one): JsonObject => ({ ...one })), context: text };
  return { feature: "entity.random", given: { policy: { max_entities: limit } }, when, expected };
}

/** The models by what they are of. */
export const MEMORY_MODELS: readonly (readonly [string, (random: Random) => Parts])[] = [
  ["promotion", promotion],
  ["context", context],
  ["entity", entity],
];
