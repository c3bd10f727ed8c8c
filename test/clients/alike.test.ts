// The clients for Python and TypeScript are alike: the same methods with the same parameters and
// defaults under the same names, in the spelling of each language.

import { expect, test } from "vitest";
import { MessageFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { SessionFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { pythonMethods, type TypeScriptParameters, typeScriptMethods } from "./parameters.ts";

/** Helpers of the base class that are not for callers. */
const INNER: ReadonlySet<string> = new Set(["call", "stream", "at", "session", "change"]);

/** Names of parameters of TypeScript that hold further ones. */
const OPTIONS: ReadonlySet<string> = new Set(["opts"]);

const SCOPE = ["userId", "agentId", "sessionId"];
const PLACE = ["resumeToken", "position", "consumerId", "afterRevision"];

/** Parameters of TypeScript that are several in Python. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  scope: SCOPE,
  owner: SCOPE,
  "watch from": PLACE,
  "listEvents from": PLACE,
  "createConsumer from": PLACE,
  "ensureConsumer from": PLACE,
  "replaceMessages from": ["fromSeq", "all"],
  "putRecord search": ["search", "collectionId"],
};

/** Filters of Python, by method: in TypeScript their fields, those of the contract, stand alone. */
const FILTERS: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ...["listSessions", "countSessions", "findMessages", "deleteFoundMessages"].map((name) => [
    name,
    Object.keys(SessionFilter.fromPartial({})),
  ]),
  ...["listMessages", "countMessages", "listSessionMessages", "countSessionMessages"].map(
    (name) => [name, Object.keys(MessageFilter.fromPartial({}))],
  ),
]);

/** Parameters of TypeScript alone, each with its reason. */
const TYPESCRIPT_ONLY: ReadonlySet<string> = new Set([
  // In Python a task is cancelled, and a call in a thread is left to its timeout.
  "signal",
  // Earlier names of `asOfTime` and `omitValues`.
  ...["getMemory asOf", "listMemories asOf", "countMemories asOf", "batchGetRecords omitValue"],
  // The fields of a session are one type, also where the server refuses this one.
  ...["createSession etag", "ensureSession etag"],
]);

/** Parameters of Python alone, each with its reason. */
const PYTHON_ONLY: ReadonlySet<string> = new Set([
  // The options of every call are one type, also for calls that concern no namespace.
  ...["listNamespaces namespace", "serverInfo namespace", "listPolicyPresets namespace"],
]);

const python = new Map(
  Object.entries(pythonMethods()).map(([name, parameters]) => [
    camel(name),
    new Map(Object.entries(parameters).map(([key, value]) => [camel(key), value])),
  ]),
);
const typescript = new Map([...typeScriptMethods()].filter(([name]) => !INNER.has(name)));

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A name as Python has it: durations are in milliseconds in TypeScript, which their names say. */
function pythonName(name: string, known: { has(name: string): boolean }): string {
  return name.endsWith("Ms") && known.has(name.slice(0, -2)) ? name.slice(0, -2) : name;
}

/** The parameters of a method of TypeScript by the names of Python; fields are among them. */
function flat(
  method: string,
  parameters: TypeScriptParameters,
  known: { has(name: string): boolean },
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, fields] of parameters) {
    const isWhole = fields.size === 0 || (!OPTIONS.has(name) && known.has(name));
    for (const one of isWhole ? [name] : fields.keys()) {
      const group = GROUPS[`${method} ${one}`] ?? GROUPS[one];
      const parts = group?.filter((part) => known.has(part)) ?? [];
      for (const part of parts.length > 0 ? parts : [pythonName(one, known)]) names.add(part);
    }
  }
  return names;
}

/** The differences of the parameters of a method, as sentences. */
function differences(
  method: string,
  ours: ReadonlyMap<string, unknown>,
  theirs: TypeScriptParameters,
): string[] {
  const expanded = new Map(ours);
  const filter = FILTERS[method];
  if (filter !== undefined && expanded.delete("filter")) {
    for (const field of filter) expanded.set(field, undefined);
  }
  const names = flat(method, theirs, expanded);
  const lacks = [...expanded.keys()].filter(
    (name) => !names.has(name) && !PYTHON_ONLY.has(`${method} ${name}`),
  );
  const adds = [...names].filter(
    (name) =>
      !expanded.has(name) &&
      !(TYPESCRIPT_ONLY.has(name) || TYPESCRIPT_ONLY.has(`${method} ${name}`)),
  );
  return [
    ...lacks.map((name) => `${method} has no ${name} in TypeScript`),
    ...adds.map((name) => `${method} has no ${name} in Python`),
  ];
}

const LITERAL = /\bDefault:? [`"]*(true|false|now|-?[\d][\d,.]*\d|\d|(?<=[`"])[\w-]+(?=[`"]))/i;

/** The default that a text tells, if it is a plain value: as Python writes it, without quotes. */
function toldDefault(text: string, isMs: boolean): string | undefined {
  const found = LITERAL.exec(text.replace(/\s+/g, " "))?.[1]?.toLowerCase().replaceAll(",", "");
  const value = found === undefined ? undefined : found.replaceAll("-", "_");
  return isMs && value !== undefined ? String(Number(value) / 1_000) : value;
}

test("both clients have the same methods", () => {
  expect([...typescript.keys()].sort()).toEqual([...python.keys()].sort());
  expect(typescript.size).toBeGreaterThan(90);
});

test("the methods of both clients have the same parameters", () => {
  const found = [...python].flatMap(([method, ours]) =>
    differences(method, ours, typescript.get(method) ?? new Map()),
  );
  expect(found).toEqual([]);
});

test("a parameter that one side lacks is found, on either side", () => {
  const ours = python.get("window") ?? new Map();
  const theirs = typescript.get("window") ?? new Map();
  const less = new Map([...ours].filter(([name]) => name !== "readOnly"));
  expect(differences("window", less, theirs)).toEqual(["window has no readOnly in Python"]);
  const opts = new Map([...(theirs.get("opts") ?? [])].filter(([name]) => name !== "readOnly"));
  const fewer = new Map([...theirs, ["opts", opts]]);
  expect(differences("window", ours, fewer)).toEqual(["window has no readOnly in TypeScript"]);
});

test("the defaults that both clients tell are the same", () => {
  const found: string[] = [];
  let compared = 0;
  for (const [method, ours] of python) {
    const fields = [...(typescript.get(method)?.values() ?? [])].flatMap((one) => [...one]);
    for (const [name, doc] of fields) {
      const same = ours.get(pythonName(name, ours));
      if (same === undefined) continue;
      const code = same.default.replace(/^'(.*)'$/, "$1");
      const isSet = !["", "None", "0", "0.0", "()"].includes(code);
      const theirs = toldDefault(doc, name.endsWith("Ms"));
      const wanted = isSet ? code.toLowerCase() : toldDefault(same.doc, false);
      // Python tells none, or leaves it to the server.
      if (wanted === undefined || (theirs === undefined && (!isSet || code === "False"))) continue;
      compared++;
      if (theirs !== wanted) found.push(`${method} ${name}: ${wanted} and ${theirs}`);
    }
  }
  expect(found).toEqual([]);
  expect(compared).toBeGreaterThan(40);
});
