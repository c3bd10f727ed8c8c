// Conditions of policies: expressions in CEL, the Common Expression Language
// (https://github.com/google/cel-spec), over a message and the turn it is in.

import { ParseError, type ParseResult, TypeError as TypeFault } from "@marcbachmann/cel-js";
import { LIMITS } from "../../kit/limits.ts";
import { checkSums, checkTree } from "./check.ts";
import {
  CONDITIONS,
  ConditionFault,
  type ConditionView,
  DEPTH_MAX,
  inPlainWords,
  LIST_MAX,
  NODES_MAX,
  OLD_TURN,
  readPythonWords,
} from "./environment.ts";

export { ConditionFault, type ConditionView, MessageView, TurnView } from "./environment.ts";

/** A condition, ready to be asked. */
export interface Condition {
  /** Says whether it holds; "failed" when it cannot be told, for example for a missing element. */
  test(view: ConditionView): boolean | "failed";
  /** Cost: the average number of steps for a message of a full window. */
  readonly steps: number;
}

/** Number of conditions that stay compiled; the least recently used leave. */
export const CACHED_CONDITIONS = 1_000;

const cache = new Map<string, Condition>();

/**
 * Compiles a condition, or gives it as it was compiled before. Takes CEL and Python's words for the
 * logical operators. Throws ConditionFault for whatever keeps it from giving true or false: syntax,
 * types, and the limits on its size and its work.
 */
export function compileCondition(expression: string): Condition {
  const known = cache.get(expression);
  const condition = known ?? compile(expression);
  // A map keeps the order of insertion, so putting it in anew makes it the newest.
  cache.delete(expression);
  cache.set(expression, condition);
  if (cache.size > CACHED_CONDITIONS) cache.delete(cache.keys().next().value ?? "");
  return condition;
}

function compile(expression: string): Condition {
  if (Buffer.byteLength(expression) > LIMITS.conditionBytes) {
    throw new ConditionFault(0, `is longer than ${LIMITS.conditionBytes} bytes`);
  }
  let placeOf = (position: number): number => position;
  try {
    const cel = readPythonWords(expression);
    placeOf = cel.placeOf;
    return conditionOf(programOf(cel.text));
  } catch (error) {
    const { position, message } = faultOf(error);
    throw new ConditionFault(charsBefore(expression, placeOf(position)), message);
  }
}

/** Parses and checks an expression in CEL. Throws what the library or our checks throw. */
function programOf(text: string): { readonly program: ParseResult; readonly steps: number } {
  const program = CONDITIONS.parse(text);
  const steps = checkTree(program.ast);
  const { valid, type, error } = program.check();
  if (!valid) throw error ?? new ConditionFault(0, "has no type");
  if (type !== "bool") throw new ConditionFault(0, `must give true or false, not ${type}`);
  checkSums(program.ast);
  return { program, steps };
}

function conditionOf({ program, steps }: ReturnType<typeof programOf>): Condition {
  return {
    steps,
    test({ message, turn }) {
      try {
        const result: unknown = program({ message, turn, [OLD_TURN]: turn });
        return typeof result === "boolean" ? result : "failed";
      } catch {
        return "failed";
      }
    },
  };
}

const LIMIT_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["maxAstNodes", `has more than ${NODES_MAX} operators, names and values`],
  ["maxDepth", `has more than ${DEPTH_MAX} brackets or accesses inside each other`],
  ["maxListElements", `has a list of more than ${LIST_MAX} elements`],
  ["maxMapEntries", "maps are not supported"],
  ["maxCallArguments", "has a call with more than 3 arguments"],
];

function faultOf(error: unknown): { readonly position: number; readonly message: string } {
  if (error instanceof ConditionFault) return error;
  if (!(error instanceof ParseError || error instanceof TypeFault)) {
    return { position: 0, message: "cannot be read" };
  }
  const text = LIMIT_TEXTS.find(([name]) => error.summary.includes(`Exceeded ${name}`))?.[1];
  return { position: error.range?.start ?? 0, message: text ?? inPlainWords(error.summary) };
}

/** Number of characters before a position given in UTF-16 code units. */
function charsBefore(text: string, place: number): number {
  return [...text.slice(0, place)].length;
}
