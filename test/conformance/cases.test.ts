// Goal: the server behaves as the five source systems, by cases of our own; and a case of any of
// them that expects something else fails.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Case, FAMILIES, familyOf, readCases } from "./cases.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { ABILITIES, type Ability, NotOffered } from "./not-offered.ts";
import { failureText } from "./report.ts";
import { type Result, runCase } from "./runner.ts";
import { type CaseServer, startCaseServer } from "./server.ts";

const CASES = readCases(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));

let server: CaseServer;
let runs = 0;

beforeAll(async () => {
  server = await startCaseServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

function run(kase: Case): Promise<Result> {
  runs += 1;
  return runCase(server.connection, kase, `run-${runs}`);
}

/** The cases that need an ability that is not offered; a case on no list must pass. */
const NEED: { readonly [A in Ability]?: readonly string[] } = {
  "access by place": ["own-003-02", "own-003-04"],
  "another role": ["own-003-13"],
  "cache facts": ["own-003-11", "own-003-41"],
  "compaction events": [
    ...["own-003-30", "own-003-32", "own-003-33", "own-003-34", "own-003-35", "own-003-36"],
    ...["own-003-37", "own-003-38", "own-003-39", "own-003-40"],
  ],
  "daily logs apart": ["own-000-m29"],
  "fact memory": ["own-003-m01", "own-003-m02"],
  "lone summaries": ["own-002-02"],
  "recall events": ["own-002-m01"],
  "recent count of none": ["own-002-32"],
  "summary of the newest question": ["own-001-35"],
  "times before storing": ["own-000-m23"],
  "tool data as text": ["own-003-14"],
};

function unofferedBy(id: string): readonly Ability[] {
  return ABILITIES.filter((ability) => NEED[ability]?.includes(id) === true);
}

const lineOf = (ability: Ability): string => new NotOffered(ability).message;

const OFFERED = CASES.filter(({ id }) => unofferedBy(id).length === 0);

describe("the cases", () => {
  test.each(CASES.map((kase) => [kase.id, kase.feature, kase] as const))(
    "%s %s",
    async (...args) => {
      const result = await run(args[2]);
      expect(failureText(result)).toBe("");
      expect(result.notOffered).toEqual(unofferedBy(args[0]).map(lineOf));
    },
  );

  test("that need what is not offered are there", () => {
    const ids = new Set(CASES.map(({ id }) => id));
    expect(
      Object.values(NEED)
        .flat()
        .filter((id) => !ids.has(id)),
    ).toEqual([]);
  });

  test("are of every family of the release, with ids that differ", () => {
    expect(FAMILIES.filter((name) => !CASES.some((k) => familyOf(k) === name))).toEqual([]);
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
  });
});

/** Expectations of errors hold for any text; what makes them wrong is that there is none. */
const ERRORS = ["error", "errors", "branch_error"];

function withoutErrors(value: Json): Json {
  if (Array.isArray(value)) return value.map(() => null);
  return value === null ? { kind: "ValueError" } : null;
}

/** Another value of the same kind. */
function wrong(value: Json): Json {
  if (Array.isArray(value)) return [...value, "something else"];
  if (isObject(value)) {
    const [key, inner] = Object.entries(value)[0] ?? ["nothing", null];
    return { ...value, [key]: ERRORS.includes(key) ? withoutErrors(inner) : wrong(inner) };
  }
  if (typeof value === "number") return value + 0.001;
  if (typeof value === "boolean") return !value;
  return value === null ? "something" : `${value} else`;
}

function spoil(kase: Case, key: string): Case {
  const value = kase.expected[key] ?? null;
  const spoiled = ERRORS.includes(key) ? withoutErrors(value) : wrong(value);
  return { ...kase, expected: { ...kase.expected, [key]: spoiled } };
}

describe("a wrong expectation fails its case", () => {
  const spoiled = OFFERED.flatMap((kase) =>
    Object.keys(kase.expected).map((key) => [kase, key] as const),
  );
  test.each(spoiled.map(([kase, key]) => [kase.id, key, kase] as const))(
    "%s %s",
    async (_, key, kase) => {
      const { problems } = await run(spoil(kase, key));
      expect(problems.length).toBeGreaterThan(0);
      // It fails for what is wrong, not because it cannot be understood.
      expect(problems.map(({ why }) => why).join()).not.toMatch(/is not understood|at .*\.ts:\d/);
    },
  );
});

function idsIn(value: Json, found: Set<string>): void {
  if (Array.isArray(value)) for (const part of value) idsIn(part, found);
  if (!isObject(value)) return;
  if (typeof value["id"] === "string" && typeof value["role"] === "string") found.add(value["id"]);
  for (const [key, part] of Object.entries(value)) {
    // Tool calls have ids of their own, which a case may expect inside of messages.
    if (key !== "tool_calls" && key !== "content") idsIn(part, found);
  }
}

function rename(value: Json, names: ReadonlyMap<string, string>, key = ""): Json {
  const kept = ["role", "content", "text", "op", "name", "tool_call_id", "tool_calls"];
  if (kept.includes(key)) return value;
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, rename(part, names, name)]),
  );
}

describe("nothing depends on ids", () => {
  test.each(OFFERED.map((kase) => [kase.id, kase] as const))("%s", async (_, kase) => {
    const found = new Set<string>();
    idsIn([kase.given, ...kase.when], found);
    found.delete("synthetic");
    const names = new Map([...found].map((id, index) => [id, `other-${index}`]));
    const { given, when, expected } = rename(
      { given: kase.given, when: kase.when, expected: kase.expected },
      names,
    ) as {
      given: JsonObject;
      when: JsonObject[];
      expected: JsonObject;
    };
    expect(failureText(await run({ ...kase, id: "another", given, when, expected }))).toBe("");
  });
});
