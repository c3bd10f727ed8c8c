// Cases that run one conversation through several systems: each becomes a case of every system that
// it has expectations for.

import type { Case } from "./cases.ts";
import { CaseFault, isObject, type Json, type JsonObject, listOf, objectOf } from "./json.ts";
import { SYSTEMS, type System, systemIn, systemOf } from "./systems.ts";

/** Each system's name for its list of messages, where a case has one word for all systems. */
const RESULT: Readonly<Record<string, string>> = {
  "000": "survivors",
  "001": "view",
  "002": "entries",
  "003": "view",
  "004": "view",
};

/** Words for that list which are not the words of every system. */
const ANY_RESULT = ["survivors", "view", "entries", "kept", "window", "messages", "result", "ids"];

/** Says whether the keys of an object name systems. */
function namesSystems(value: Json | undefined): value is JsonObject {
  return isObject(value) && Object.keys(value).some((key) => systemIn(key) !== undefined);
}

function entryOf(object: JsonObject, system: System): Json | undefined {
  const key = Object.keys(object).find((name) => systemIn(name) === system);
  return key === undefined ? undefined : object[key];
}

/**
 * Expectations for one system. A case lists them by system, or by expectation and then by system.
 */
function expectedOf(expected: JsonObject, system: System): JsonObject | undefined {
  const result = RESULT[system.number] ?? "";
  const found: Record<string, Json> = {};
  const take = (name: string, value: Json): void => {
    if (isObject(value)) Object.assign(found, value);
    else found[ANY_RESULT.includes(name) ? result : name] = value;
  };
  if (namesSystems(expected)) {
    const value = entryOf(expected, system);
    if (value !== undefined) take("result", value);
  }
  for (const [name, value] of Object.entries(expected)) {
    if (systemIn(name) !== undefined || !namesSystems(value)) continue;
    const own = entryOf(value, system);
    if (own !== undefined) take(name === "results" ? "result" : name, own);
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Input for one system: the common part, and the part under its name. */
function givenFor(kase: Case, system: System): JsonObject {
  const shared: Record<string, Json> = {};
  let policy: JsonObject = {};
  let own: JsonObject = {};
  const take = (value: Json | undefined): void => {
    if (value === undefined) return;
    const settings = objectOf(value, "what is given to a system");
    if ("policy" in settings || "messages" in settings) own = { ...own, ...settings };
    else policy = { ...policy, ...settings };
  };
  for (const [key, value] of Object.entries(kase.given)) {
    if (systemIn(key) === system) take(value);
    else if (systemIn(key) === undefined) {
      const entry = namesSystems(value) ? entryOf(value, system) : undefined;
      if (!namesSystems(value)) shared[key] = value;
      else if (isObject(entry)) take(entry);
      else if (entry !== undefined) shared[key] = entry;
    }
  }
  const messages = listOf(own["messages"] ?? shared["messages"], "messages");
  return { policy, ...shared, ...own, messages: messages.map((each) => ownTokens(each, system)) };
}

/** Only one system is given counts; the others count by rules of their own. */
function ownTokens(message: Json, system: System): Json {
  const { tokens, ...rest } = objectOf(message, "a message");
  if (tokens === undefined) return rest;
  if (namesSystems(tokens)) return { ...rest, tokens: entryOf(tokens, system) ?? null };
  return system.number === "004" ? { ...rest, tokens } : rest;
}

function addEach(messages: readonly Json[]): JsonObject[] {
  return messages.map((value) => ({ op: "add", id: objectOf(value, "a message")["id"] ?? null }));
}

/** Each system's default steps for a conversation, where the case gives none. */
function stepsFor(system: System, given: JsonObject, expected: JsonObject): JsonObject[] {
  const messages = listOf(given["messages"], "messages");
  switch (system.number) {
    case "000":
      return addEach(messages);
    case "001":
      return [{ op: "messages" }];
    case "002":
      return [...addEach(messages), { op: "get_entries" }];
    case "003":
      return [...addEach(messages), { op: "get_messages" }];
    default: {
      const isLong = ["triggered", "kept", "removed"].some((name) => name in expected);
      return [{ op: isLong ? "evaluate_long_term" : "view" }];
    }
  }
}

/** The steps of a case that name a system are of that one; others only say that it runs. */
function whenFor(kase: Case, system: System, steps: readonly JsonObject[]): readonly JsonObject[] {
  const own = kase.when.filter((op) => systemIn(String(op["system"])) === system);
  return own.length > 0 ? own.map(({ system: _, ...op }) => op) : steps;
}

/** Gives the cases of single systems that a case is made of; itself when it is of one system. */
export function singleSystemCases(kase: Case): readonly Case[] {
  if (systemOf(kase.system) !== undefined) return [kase];
  const cases = SYSTEMS.flatMap((system): Case[] => {
    const expected = expectedOf(kase.expected, system);
    if (expected === undefined) return [];
    const given = givenFor(kase, system);
    const when = whenFor(kase, system, stepsFor(system, given, expected));
    return [{ ...kase, system: system.number, given, when, expected }];
  });
  if (cases.length > 0) return cases;
  throw new CaseFault(`system "${kase.system}" is not understood, and no expectation names one`);
}
