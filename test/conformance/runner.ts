// Runs cases against a server: every operation of a case through the adapter of its system, then
// every expectation of it against what was seen.

import {
  isMemorySidecarError,
  type MemorySidecarError,
} from "../../clients/typescript/src/errors.ts";
import type { Adapter, Operation, Step } from "./adapter.ts";
import { type Case, expectationsOf, FAMILIES, familyOf } from "./cases.ts";
import { mismatch, show } from "./compare.ts";
import { singleSystemCases } from "./five.ts";
import { CaseFault, type Json, listOf, needText } from "./json.ts";
import { NotOffered } from "./not-offered.ts";
import type { Connection, Rpc } from "./rpc.ts";
import { systemOf } from "./systems.ts";

/** One way in which a case failed. */
export interface Problem {
  /** The expectation or the operation. */
  readonly about: string;
  readonly why: string;
  readonly expected?: string;
  readonly got?: string;
}

/** Outcome of a case: it passed when there is no problem and nothing that is not offered. */
export interface Result {
  readonly kase: Case;
  readonly problems: readonly Problem[];
  /** Options of its configuration that were left out, with the reasons. */
  readonly leftOut: readonly string[];
  /** Abilities that it needs and nobody has: then it counts neither as passed nor as failed. */
  readonly notOffered: readonly string[];
}

/** A case while it runs. */
interface Run {
  readonly kase: Case;
  readonly adapter: Adapter;
  readonly steps: Step[];
  /** The refusals that an expectation spoke of. */
  readonly expectedErrors: Set<unknown>;
  readonly notOffered: Set<string>;
}

function operationOf({ operations, parse }: Adapter, name: string): Operation {
  const operation = Object.hasOwn(operations, name) ? operations[name] : parse?.(name);
  if (operation === undefined) throw new CaseFault(`operation "${name}" is not understood`);
  return operation;
}

async function doSteps({ kase, adapter, steps }: Run): Promise<void> {
  for (const op of kase.when) {
    const operation = operationOf(adapter, needText(op["op"], "op"));
    let value: unknown;
    try {
      value = await operation(op);
    } catch (error) {
      if (!isMemorySidecarError(error)) throw error;
      value = error;
    }
    steps.push({ op, value });
  }
}

function errorsIn(steps: readonly Step[]): readonly MemorySidecarError[] {
  return steps.map(({ value }) => value).filter((value) => isMemorySidecarError(value));
}

/**
 * Results of the operations: of all, or of those that return something, whichever the case counts.
 */
function returned(steps: readonly Step[], expected: Json): readonly unknown[] {
  const count = listOf(expected, "returns").length;
  if (count === steps.length) return steps.map(({ value }) => value ?? null);
  return steps.map(({ value }) => value).filter((value) => value !== undefined);
}

/** Expectations that every system supports. */
const COMMON: Readonly<Record<string, (run: Run, expected: Json) => unknown>> = {
  returns: ({ steps }, expected) =>
    Array.isArray(expected) ? returned(steps, expected) : steps.at(-1)?.value,
  error: ({ steps }) => errorsIn(steps)[0] ?? null,
  errors: ({ steps }) => steps.map(({ value }) => (isMemorySidecarError(value) ? value : null)),
};

function collectErrors(value: unknown, into: Set<unknown>): void {
  if (isMemorySidecarError(value)) into.add(value);
  else if (Array.isArray(value)) for (const part of value) collectErrors(part, into);
}

async function check(run: Run, key: string, expected: Json): Promise<Problem | undefined> {
  const { expectations } = run.adapter;
  const own = Object.hasOwn(expectations, key) ? expectations[key] : undefined;
  const common = Object.hasOwn(COMMON, key) ? COMMON[key] : undefined;
  if (own === undefined && common === undefined) {
    return { about: key, why: `expectation "${key}" is not understood` };
  }
  const got = own === undefined ? await common?.(run, expected) : await own(expected);
  collectErrors(got, run.expectedErrors);
  const why = mismatch(expected, got ?? null, key);
  if (why === undefined) return undefined;
  return { about: key, why, expected: JSON.stringify(expected), got: show(got) };
}

async function checkAll(run: Run): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const expectations = Object.entries(expectationsOf(run.kase.expected));
  if (expectations.length === 0) problems.push({ about: "then", why: "the case expects nothing" });
  for (const [key, expected] of expectations) {
    const problem = await attempt(key, run, () => check(run, key, expected));
    if (problem !== undefined) problems.push(problem);
  }
  for (const { op, value } of run.steps) {
    if (!isMemorySidecarError(value) || run.expectedErrors.has(value)) continue;
    problems.push({ about: `operation ${JSON.stringify(op)}`, why: `is refused: ${show(value)}` });
  }
  return problems;
}

/** Makes a problem of whatever is thrown. */
async function attempt(
  about: string,
  { notOffered }: Pick<Run, "notOffered">,
  act: () => Promise<Problem | undefined>,
): Promise<Problem | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotOffered) {
      notOffered.add(error.message);
      return undefined;
    }
    if (isMemorySidecarError(error)) return { about, why: `is refused: ${show(error)}` };
    if (error instanceof CaseFault) return { about, why: error.message };
    const stack = error instanceof Error ? error.stack : undefined;
    return { about, why: stack ?? String(error) };
  }
}

async function runOne(rpc: Rpc, kase: Case, notOffered: Set<string>): Promise<Problem[]> {
  const problems: Problem[] = [];
  const problem = await attempt("when", { notOffered }, async () => {
    if (!FAMILIES.includes(familyOf(kase))) {
      throw new CaseFault(`family "${familyOf(kase)}" is not understood`);
    }
    const system = systemOf(kase.system);
    if (system === undefined) throw new CaseFault(`system "${kase.system}" is not understood`);
    const steps: Step[] = [];
    const adapter = system.open({ rpc, kase, steps });
    const run: Run = { kase, adapter, steps, expectedErrors: new Set(), notOffered };
    await doSteps(run);
    problems.push(...(await checkAll(run)));
    return undefined;
  });
  return problem === undefined ? problems : [...problems, problem];
}

/** Runs a case in namespaces whose names begin with `scope`. Never throws. */
export async function runCase(connection: Connection, kase: Case, scope: string): Promise<Result> {
  const problems: Problem[] = [];
  const leftOut: string[] = [];
  const notOffered = new Set<string>();
  const problem = await attempt("system", { notOffered }, async () => {
    for (const single of singleSystemCases(kase)) {
      const rpc = connection.in(`${scope}-${single.system}`);
      const found = await runOne(rpc, single, notOffered);
      leftOut.push(...rpc.leftOut);
      const where = single.system === kase.system ? "" : `${single.system} `;
      problems.push(...found.map((each) => ({ ...each, about: where + each.about })));
    }
    return undefined;
  });
  const all = problem === undefined ? problems : [...problems, problem];
  return { kase, problems: all, leftOut, notOffered: [...notOffered] };
}

/** Runs cases one after the other; `onResult` hears of each as it ends. */
export async function runCases(
  connection: Connection,
  cases: readonly Case[],
  onResult: (result: Result) => void = () => {},
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, kase] of cases.entries()) {
    const result = await runCase(connection, kase, `case-${index}`);
    onResult(result);
    results.push(result);
  }
  return results;
}
