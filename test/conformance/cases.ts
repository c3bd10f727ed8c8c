// The cases of a file, and what of their expectations counts.

import { CaseFault, expandRepeats, isObject, type Json, type JsonObject } from "./json.ts";

/** One case: what is given, what is done, and what must come of it. */
export interface Case {
  readonly id: string;
  /** The source system whose behaviour it is, for example `000`. */
  readonly system: string;
  readonly feature: string;
  readonly given: JsonObject;
  readonly when: readonly JsonObject[];
  /** The field `then` of a file. */
  readonly expected: JsonObject;
}

/** The families of cases; a case of any other one fails. */
export const FAMILIES: readonly string[] = [
  ...["window", "system", "boundary", "config", "get_recent", "snapshot", "clear", "branch"],
  ...["session", "tool_turn", "guard", "heal", "trim_to_fit", "clear_keeps_summary", "store"],
  ...["token_estimate", "defaults", "api", "conversation", "errors", "tokens", "managed"],
  ...["manager", "interaction", "neuralyzer", "trigger"],
  ...["summarize_on_trim", "summary", "summarize", "summarizer", "compress_context", "compaction"],
  "vector",
  ...["importance", "promotion", "eviction", "episodic", "recall", "context", "unified"],
  ...["entity", "kg", "knowledge", "fact", "user_memory", "remember", "agent"],
  // Our own cases, which no source system covers.
  "hooks",
];

/** The family of a case: its feature up to the first dot. */
export function familyOf(kase: Pick<Case, "feature">): string {
  return kase.feature.split(".")[0] ?? "";
}

function readCase(value: Json, index: number): Case {
  const where = `cases[${index}]`;
  if (!isObject(value)) throw new CaseFault(`${where} is not an object`);
  const { id, system, feature, given = {}, when, then: expected } = value;
  if (typeof id !== "string" || typeof system !== "string" || typeof feature !== "string") {
    throw new CaseFault(`${where} lacks id, system or feature`);
  }
  if (!isObject(given) || !isObject(expected) || !Array.isArray(when) || !when.every(isObject)) {
    throw new CaseFault(
      `${where} (${id}): given, when and then must be objects and a list of them`,
    );
  }
  return { id, system, feature, given, when, expected };
}

/** Reads a case file. Throws a CaseFault when it is not one. */
export function readCases(text: string): readonly Case[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new CaseFault(`the file is not JSON: ${String(error)}`);
  }
  const cases = isObject(file) ? file["cases"] : undefined;
  if (!Array.isArray(cases)) throw new CaseFault("the file has no list `cases`");
  return cases.map((value: Json, index) => readCase(expandRepeats(value), index));
}

const SOURCE = "source_";
const PROPOSED = "proposed_";

/**
 * Gives the expectations that count: what is proposed instead of what a source's bug gives, and
 * what the newest era does instead of what the seed's did.
 */
export function expectationsOf(expected: JsonObject): JsonObject {
  const { seed_era: _seed, newest_era: newest, ...rest } = expected;
  const flat: JsonObject = isObject(newest) ? { ...rest, ...newest } : expected;
  const entries = Object.entries(flat);
  const proposes = entries.some(([key]) => key.startsWith(PROPOSED));
  return Object.fromEntries(
    entries.flatMap(([key, value]): [string, Json][] => {
      if (key.startsWith(PROPOSED)) return [[key.slice(PROPOSED.length), value]];
      if (!key.startsWith(SOURCE)) return [[key, value]];
      // The same key without the prefix, where present, is the one that counts.
      const isSettled = proposes || key.slice(SOURCE.length) in flat;
      return isSettled ? [] : [[key.slice(SOURCE.length), value]];
    }),
  );
}
