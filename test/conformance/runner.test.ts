// Goal: the runner fails what it does not understand, takes what counts of an expectation, and says
// how many cases passed and failed.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type Case, expectationsOf, readCases } from "./cases.ts";
import { atLeast, mismatch, shown } from "./compare.ts";
import { CaseFault, type Json, type JsonObject } from "./json.ts";
import { LEFT_OUT } from "./left-out.ts";
import { readCall } from "./marsys-text.ts";
import { leftOutLines } from "./report.ts";
import { runCase } from "./runner.ts";
import { type CaseServer, startCaseServer } from "./server.ts";

let server: CaseServer;
let runs = 0;

beforeAll(async () => {
  server = await startCaseServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

function kaseOf(system: string, when: JsonObject[], expected: JsonObject): Case {
  return { id: "a", system, feature: "window", given: {}, when, expected };
}

async function problemsOf(kase: Case): Promise<string> {
  runs += 1;
  const { problems } = await runCase(server.connection, kase, `run-${runs}`);
  return problems.map(({ about, why }) => `${about}: ${why}`).join("\n");
}

const REPEAT_NONE = { repeat: "x", times: 0 };

/** Writes cases as a file holds them. */
function caseFile(cases: readonly Case[]): string {
  const written = cases.map(({ expected, ...rest }) => [
    ...Object.entries(rest),
    ["then", expected],
  ]);
  return JSON.stringify({ cases: written.map((entries) => Object.fromEntries(entries)) });
}

const SYSTEMS = ["000", "001", "002", "003", "004"];

describe("what is not understood fails", () => {
  test.each(SYSTEMS)("an operation of %s", async (system) => {
    const found = await problemsOf(kaseOf(system, [{ op: "dance" }], { survivors: [] }));
    expect(found).toMatch(/operation "dance" is not understood/);
  });

  test.each(SYSTEMS)("an expectation of %s", async (system) => {
    const found = await problemsOf(kaseOf(system, [{ op: "create" }], { mood: "good" }));
    expect(found).toMatch(/expectation "mood" is not understood/);
  });

  test("a system", async () => {
    expect(await problemsOf(kaseOf("005", [{ op: "create" }], {}))).toMatch(
      /"005" is not understood/,
    );
  });

  test("a kind of error", async () => {
    const when = [{ op: "get_recent", n: 0 }];
    const found = await problemsOf(kaseOf("000", when, { error: { kind: "OtherError" } }));
    expect(found).toMatch(/"OtherError" is not understood/);
  });

  test("names that every object has", async () => {
    expect(await problemsOf(kaseOf("000", [{ op: "toString" }], {}))).toMatch(/not understood/);
    const found = await problemsOf(kaseOf("000", [{ op: "create" }], { constructor: {} }));
    expect(found).toMatch(/not understood/);
  });

  test("a message that is not given", async () => {
    const found = await problemsOf(kaseOf("000", [{ op: "add", id: "x" }], { survivors: [] }));
    expect(found).toMatch(/"x" is not given/);
  });

  test("a case that expects nothing", async () => {
    expect(await problemsOf(kaseOf("000", [{ op: "create" }], {}))).toMatch(/expects nothing/);
  });
});

describe("what is left out of configurations", () => {
  test.each(LEFT_OUT.map((entry) => [`${entry.preset} ${entry.path}`, entry] as const))(
    "%s is what the server refuses by its name",
    async (_, { preset, path }) => {
      const [name = "", inner] = path.split(".");
      const sample: Json = path === "cache_invalidation_events" ? ["remove_by_id"] : 5;
      const options = { [name]: inner === undefined ? sample : { [inner]: sample } };
      const value = { name: preset, options };
      const session = Session.fromPartial({ policy: { choice: { $case: "preset", value } } });
      const refused = server.connection.in("left-out").call("createSession", { session });
      await expect(refused).rejects.toMatchObject({
        violations: expect.arrayContaining([
          expect.objectContaining({ field: `session.policy.preset.options.${path}` }),
        ]) as unknown,
      });
    },
  );

  test("is told of the case that has it, and of no other", async () => {
    const told = async (policy: JsonObject) => {
      const kase = { ...kaseOf("003", [{ op: "get_messages" }], { view: [] }), given: { policy } };
      return leftOutLines([await runCase(server.connection, kase, `left-out-${++runs}`)]);
    };
    expect(await told({ memory_type: "managed_conversation", description: "Sys" })).toEqual([
      "left out of a case: marsys description: the agent's prompt, which it sends as a message",
    ]);
    expect(await told({ memory_type: "managed_conversation" })).toEqual([]);
  });
});

describe("errors", () => {
  test("fail a case that does not expect them", async () => {
    const found = await problemsOf(kaseOf("000", [{ op: "get_recent", n: 0 }], { survivors: [] }));
    expect(found).toMatch(/get_recent.* is refused: .*INVALID_ARGUMENT/);
  });

  test("are missed when they do not come, and told apart by class and field", async () => {
    const create = (options: JsonObject, error: JsonObject): Case => ({
      ...kaseOf("000", [{ op: "create" }], { error }),
      given: { policy: options },
    });
    expect(await problemsOf(create({}, { kind: "ValueError" }))).not.toBe("");
    expect(await problemsOf(create({ max_tokens: 0 }, { kind: "IndexError" }))).not.toBe("");
    const ofOther = { kind: "ValueError", message: "max_messages must be at least 1" };
    expect(await problemsOf(create({ max_tokens: 0 }, ofOther))).toMatch(/names .*max_tokens/);
    expect(await problemsOf(create({ max_tokens: 0 }, { kind: "ValueError" }))).toBe("");
  });

  test("of token counts that differ from the case", async () => {
    const message = { id: "a", role: "user", content: "12345678", tokens: 3 };
    const kase = kaseOf("000", [{ op: "add", message }], { survivors: ["a"] });
    // Without a rule the counts may be those of another system.
    expect(await problemsOf(kase)).toBe("");
    const ruled = { ...kase, given: { token_rule: "floor(len(content)/4)" } };
    expect(await problemsOf(ruled)).toMatch(/costs 3 tokens by the case, 2 by the server/);
  });
});

describe("the model of a case", () => {
  const policy = { max_messages: 1, summarize_on_trim: true };
  const messages = ["a", "b"].map((id) => ({ id, role: "user", content: `text ${id}` }));
  const ask = (returns: Json, expected: JsonObject): Case => ({
    ...kaseOf(
      "000",
      [
        { op: "add_many", ids: ["a"] },
        { op: "add", id: "b" },
      ],
      expected,
    ),
    given: { policy, messages, summarizer_returns: returns },
  });
  const inputs = [{ transcript: "USER: text a" }];

  test("is asked by the server, and what it was asked is what a case is held to", async () => {
    expect(await problemsOf(ask(["S"], { summary: "S", summary_inputs: inputs }))).toBe("");
    const other = [{ transcript: "USER: text b" }];
    expect(await problemsOf(ask(["S"], { summary_inputs: other }))).toMatch(/transcript is/);
    expect(await problemsOf(ask(["S"], { summary_inputs: [] }))).toMatch(/has 1 entries/);
  });

  test("fails when the case says so, and when it has no answer left", async () => {
    for (const returns of [{ error: "down" }, [{ error: "down" }], [], null]) {
      const kase = ask(returns, { summary: null, summary_inputs: inputs });
      expect(await problemsOf(kase)).toBe("");
    }
  });
});

describe("expectations", () => {
  test("are the proposed ones and those of the newest era", () => {
    const both = { source_view: [1], proposed_view: [2], kept: 3 };
    expect(expectationsOf(both)).toEqual({ view: [2], kept: 3 });
    expect(expectationsOf({ source_view: [1] })).toEqual({ view: [1] });
    expect(expectationsOf({ view: [3], source_view: [1] })).toEqual({ view: [3] });
    expect(expectationsOf({ seed_era: { a: 1 }, newest_era: { a: 2 }, b: 3 })).toEqual({
      a: 2,
      b: 3,
    });
  });

  test("write repeats out", () => {
    const text = caseFile([
      { ...kaseOf("000", [], { a: [{ repeat: "ab", times: 3 }] }), given: { b: REPEAT_NONE } },
    ]);
    expect(readCases(text)[0]).toMatchObject({ given: { b: "" }, expected: { a: ["ababab"] } });
    expect(() => readCases("{}")).toThrow(CaseFault);
    expect(() => readCases("no")).toThrow(CaseFault);
  });
});

describe("a comparison", () => {
  test("takes numbers as equal up to a millionth, and nothing else that differs", () => {
    expect(mismatch(0.3, 0.1 + 0.2)).toBeUndefined();
    expect(mismatch(0.3, 0.30001)).toBeDefined();
    expect(mismatch("1", 1)).toBeDefined();
    expect(mismatch(null, undefined)).toBeDefined();
    expect(mismatch([], {})).toBeDefined();
    expect(mismatch(["a"], ["a", "b"])).toBeDefined();
    expect(mismatch(["a", "b"], ["a"])).toBeDefined();
  });

  test("asks for every field, and takes more only where that is said", () => {
    expect(mismatch({ a: 1 }, { a: 1, b: 2 })).toBeDefined();
    expect(mismatch({ a: 1 }, { a: 1, b: undefined })).toBeUndefined();
    expect(mismatch({ a: 1 }, atLeast({ a: 1, b: 2 }))).toBeUndefined();
    expect(mismatch({ a: 1, c: 3 }, atLeast({ a: 1, b: 2 }))).toBeDefined();
    expect(mismatch({ a: "<any>" }, { a: 5 })).toBeUndefined();
    expect(mismatch({ a: "<any>" }, {})).toBeDefined();
  });

  test("names things or writes them out", () => {
    const thing = shown(["m1"], { role: "user" });
    expect(mismatch("m1", thing)).toBeUndefined();
    expect(mismatch("m2", thing)).toBeDefined();
    expect(mismatch({ role: "user" }, thing)).toBeUndefined();
    expect(mismatch({ role: "tool" }, thing)).toBeDefined();
    expect(mismatch(null, thing)).toBeDefined();
  });
});

describe("a written call", () => {
  test("is read with its arguments", () => {
    expect(readCall("Message(images='x, y', n=[{id:''}, None])")).toEqual({
      name: "Message",
      positional: [],
      named: { images: "x, y", n: [{ id: "" }, null] },
      method: undefined,
    });
    expect(readCall("get(5 of 1)")?.positional).toEqual([{ words: "5 of 1" }]);
    expect(readCall("Make().run")).toMatchObject({ name: "Make", method: "run" });
    expect(readCall("add")).toBeUndefined();
    expect(() => readCall("Message(x=what)")).toThrow(CaseFault);
  });
});

const MAIN = join(import.meta.dirname, "main.ts");

function command(...args: string[]): Promise<{ code: number; lines: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : -1;
      resolve({ code, lines: `${stdout}${stderr}`.trim().split("\n") });
    });
  });
}

describe("the command", () => {
  const good = kaseOf("000", [{ op: "create" }], { survivors: [] });
  const bad = { ...good, id: "b", expected: { survivors: ["nobody"] } };
  const later = { ...bad, id: "c", feature: "later.thing" };

  test("ends with the counts, and with 1 when a case failed", async () => {
    await using directory = await makeTempDir();
    const file = join(directory.path, "cases.json");
    await writeFile(file, caseFile([good, bad, later]));
    const { code, lines } = await command(file);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe("1 passed, 2 failed");
    expect(lines.join("\n")).toMatch(/FAILED b .*\n.*\n +expected \["nobody"\]\n +got +\[\]/);
    expect(lines.join("\n")).toMatch(/FAILED c .*\n.*family "later" is not understood/);
    const family = await command(file, "--family", "later");
    expect(family.lines.slice(-2)).toEqual(["2 of other families", "0 passed, 1 failed"]);
  });

  test("counts a case that needs what is not offered neither way", async () => {
    await using directory = await makeTempDir();
    const file = join(directory.path, "cases.json");
    const unoffered = kaseOf("003", [{ op: "load_missing" }], { load_missing_returns: null });
    await writeFile(file, caseFile([good, unoffered]));
    const { code, lines } = await command(file);
    expect(code).toBe(0);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^not offered \(a\): files of memories/),
      "1 passed, 0 failed, 1 not offered",
    ]);
  });

  test("ends with 0 when all passed, and with 1 when there was none", async () => {
    await using directory = await makeTempDir();
    const file = join(directory.path, "cases.json");
    await writeFile(file, caseFile([good]));
    expect(await command(file)).toMatchObject({ code: 0 });
    await writeFile(file, caseFile([]));
    const { code, lines } = await command(file);
    expect([code, lines.at(-1)]).toEqual([1, "0 passed, 0 failed"]);
  });

  test("refuses what it does not know", async () => {
    expect(await command("--fast")).toMatchObject({ code: 2 });
    expect(await command("a", "b")).toMatchObject({ code: 2 });
    expect(await command(MAIN)).toMatchObject({ code: 2 });
    expect(await command("no-such-file.json")).toMatchObject({ code: 2 });
  });
});
