// Cases that run one conversation through several systems: each becomes a case of every system that
// it has expectations for.

import type { Case } from "./cases.ts";
import { CaseFault, isObject, type Json, type JsonObject, listOf, objectOf } from "./json.ts";
import { SYSTEMS, type System, systemOf } from "./systems.ts";

/** Fields of a case under which systems may stand, rather than at the top. */
const GIVEN_BY_SYSTEM = ["policies", "policy", "systems"];
const THEN_BY_SYSTEM = ["results", "systems", "survivors", "view", "views", "kept", "expected"];

/** What is told of a system in an object by system; undefined for nothing. */
function entryOf(object: JsonObject, system: System): Json | undefined {
  const key = Object.keys(object).find((name) => systemOf(name) === system);
  return key === undefined ? undefined : object[key];
}

/** Finds the object whose keys are systems: the given one or one inside it. */
function bySystem(object: JsonObject, places: readonly string[]): JsonObject {
  if (Object.keys(object).some((key) => systemOf(key) !== undefined)) return object;
  for (const place of places) {
    const inner = object[place];
    if (isObject(inner) && Object.keys(inner).some((key) => systemOf(key) !== undefined)) {
      return inner;
    }
  }
  return {};
}

/** What a bare list of messages is about in each system. */
const RESULT: Readonly<Record<string, string>> = {
  "000": "survivors",
  "001": "view",
  "002": "entries",
  "003": "view",
  "004": "view",
};

function addEach(messages: readonly Json[]): JsonObject[] {
  return messages.map((message) => ({
    op: "add",
    id: objectOf(message, "a message")["id"] ?? null,
  }));
}

/** What is done with a conversation in each system when the case does not say. */
function stepsFor(system: System, given: JsonObject, expected: JsonObject): readonly JsonObject[] {
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
    default:
      return [
        { op: "triggered" in expected || "kept" in expected ? "evaluate_long_term" : "view" },
      ];
  }
}

function givenFor(kase: Case, system: System): JsonObject {
  const { given } = kase;
  const found = entryOf(bySystem(given, GIVEN_BY_SYSTEM), system);
  const own = found === undefined ? {} : objectOf(found, "what is given for a system");
  const shared = Object.fromEntries(
    Object.entries(given).filter(
      ([key]) => systemOf(key) === undefined && !GIVEN_BY_SYSTEM.includes(key),
    ),
  );
  // A system may be given a whole setting or only its policy.
  return "policy" in own || "messages" in own ? { ...shared, ...own } : { ...shared, policy: own };
}

/** The steps of a case that name a system are of that one; a step that names none is of all. */
function whenFor(kase: Case, system: System, [given, expected]: [JsonObject, JsonObject]) {
  const own = kase.when.filter((op) => systemOf(String(op["system"])) === system);
  if (own.length > 0) return own.map(({ system: _, ...op }) => op);
  const shared = kase.when.filter(
    (op) => op["system"] === undefined && (op["op"] === "add" || op["op"] === "add_many"),
  );
  return shared.length === kase.when.length && shared.length > 0 && system.number !== "001"
    ? [...shared, ...stepsFor(system, { messages: [] }, expected)]
    : stepsFor(system, given, expected);
}

/** Gives the cases of single systems that a case is made of; itself when it is of one system. */
export function singleSystemCases(kase: Case): readonly Case[] {
  if (systemOf(kase.system) !== undefined) return [kase];
  const bySystems = bySystem(kase.expected, THEN_BY_SYSTEM);
  const cases = SYSTEMS.flatMap((system): Case[] => {
    const value = entryOf(bySystems, system);
    if (value === undefined) return [];
    const expected = isObject(value) ? value : { [RESULT[system.number] ?? ""]: value };
    const given = givenFor(kase, system);
    const when = whenFor(kase, system, [given, expected]);
    return [{ ...kase, system: system.number, given, when, expected }];
  });
  if (cases.length > 0) return cases;
  throw new CaseFault(`system "${kase.system}" is not understood, and no expectation names one`);
}
