// Limits on expressions. The library's own limits are on the text; these bound the work of an
// evaluation and leave nothing in the language that we have not looked at.

import type { ASTNode } from "@marcbachmann/cel-js";
import { LIMITS } from "../../kit/limits.ts";
import { CONTAINS, ConditionFault, HAS, inPlainWords, OLD_TURN } from "./environment.ts";

/** The most operators inside each other. */
export const TREE_DEPTH_MAX = 64;

/**
 * Maximum reads of long values by one expression: the content of a message, its tool calls,
 * or the arguments of all of them.
 */
export const READINGS_MAX = 32;

/** Steps that reading a long text counts: contents are short on average in a full window. */
const STEPS_PER_READING = 8;

/** The tool calls of a message on average, in a window full of them: each takes 10 bytes. */
const CALLS_PER_MESSAGE = 32;

const NAMES: ReadonlySet<string> = new Set(["message", "turn", OLD_TURN]);
const LONG_FIELDS: ReadonlySet<string> = new Set(["content", "tool_calls", "arguments"]);
const FUNCTIONS: ReadonlySet<string> = new Set(["size", HAS]);
const METHODS: ReadonlySet<string> = new Set([
  "size",
  "startsWith",
  "endsWith",
  CONTAINS,
  "lowerAscii",
  "upperAscii",
  "trim",
]);
/** Those methods that give text as long as what they look at. */
const TEXT_METHODS: ReadonlySet<string> = new Set(["lowerAscii", "upperAscii", "trim"]);
const MACROS: ReadonlySet<string> = new Set(["exists", "exists_one", "all", "filter", "map"]);
const LIST_MACROS: ReadonlySet<string> = new Set(["filter", "map"]);

/** Position of a node in the tree. */
interface Place {
  readonly depth: number;
  /** Maximum number of evaluations of the node. */
  readonly times: number;
  /** Average number of evaluations of the node for a message. */
  readonly steps: number;
  /** The variables of macros, with the readings that one look at all their values is. */
  readonly variables: ReadonlyMap<string, number>;
}

/** Counts the readings and the steps of one expression. */
interface Tally {
  readings: number;
  steps: number;
}

type Node<Op extends ASTNode["op"]> = Extract<ASTNode, { readonly op: Op }>;

/**
 * Refuses what conditions may not hold: unknown names and functions, `matches`, macros inside
 * macros, deep trees, and more work than is bearable for each message. An evaluation takes at most
 * NODES_MAX steps for each of the 128 tool calls of a message. Throws ConditionFault. Gives the
 * steps that it takes for a message of a full window on average.
 */
export function checkTree(root: ASTNode): number {
  const tally: Tally = { readings: 0, steps: 0 };
  visit(root, { depth: 1, times: 1, steps: 1, variables: new Map() }, tally);
  if (tally.readings <= READINGS_MAX) return tally.steps + tally.readings * STEPS_PER_READING;
  throw new ConditionFault(
    root.start,
    `looks at contents or tool calls ${tally.readings} times, at most ${READINGS_MAX} are allowed; ` +
      "inside a macro over tool_calls every look counts 128 times",
  );
}

/**
 * Checks a node and what is below it. Gives how many readings a look at its value is: 0 for what is
 * short, else how often the long text behind it is there.
 */
function visit(node: ASTNode, place: Place, tally: Tally): number {
  if (place.depth > TREE_DEPTH_MAX) {
    throw new ConditionFault(node.pos, `is deeper than ${TREE_DEPTH_MAX} operators`);
  }
  tally.steps += place.steps;
  const below: Place = { ...place, depth: place.depth + 1 };
  const look = (child: ASTNode): number => {
    const weight = visit(child, below, tally);
    tally.readings += weight;
    return weight;
  };
  switch (node.op) {
    case "value":
      return visitValue(node);
    case "id":
      return visitName(node, place);
    case ".":
      return visitField(node, below, tally);
    case "[]":
      return visitElement(node, below, tally);
    case "?:": {
      const [condition, yes, no] = node.args;
      look(condition);
      return Math.max(visit(yes, below, tally), visit(no, below, tally));
    }
    case "list":
      return node.args.reduce((sum, child) => sum + visit(child, below, tally), 0);
    case "call":
      checkCall(node);
      node.args[1].forEach(look);
      return 0;
    case "rcall":
      return visitMethod(node, place, tally);
    case "!_":
    case "-_":
      look(node.args);
      return 0;
    default:
      return visitOperator(node, look);
  }
}

function visitValue(node: Node<"value">): number {
  const { args } = node;
  if (args === null || typeof args !== "object") return 0;
  throw new ConditionFault(node.pos, "values are text, numbers, true, false and null");
}

function visitName(node: Node<"id">, place: Place): number {
  const weight = place.variables.get(node.args);
  if (weight !== undefined) return weight;
  if (NAMES.has(node.args)) throw new ConditionFault(node.pos, `name a field of ${node.args}`);
  throw new ConditionFault(node.pos, `unknown name ${node.args}; there are message and turn`);
}

function visitField(node: Node<".">, below: Place, tally: Tally): number {
  const [owner, field] = node.args;
  const isLong = LONG_FIELDS.has(field);
  // Long fields of the message are read anew in every evaluation, those of a variable once in all.
  if (owner.op === "id" && NAMES.has(owner.args)) return isLong ? below.times : 0;
  const weight = visit(owner, below, tally);
  return isLong ? weight : 0;
}

function visitElement(node: Node<"[]">, below: Place, tally: Tally): number {
  const [owner, key] = node.args;
  tally.readings += visit(key, below, tally);
  if (owner.op === "id" && NAMES.has(owner.args)) {
    throw new ConditionFault(node.pos, `write fields with a dot, for example ${owner.args}.tokens`);
  }
  const weight = visit(owner, below, tally);
  tally.readings += weight;
  return weight;
}

function checkCall(node: Node<"call">): void {
  const [name, values] = node.args;
  if (!FUNCTIONS.has(name)) throw unknownFunction(node.pos, name);
  const [field] = values;
  if (name === HAS && field?.op !== ".") {
    throw new ConditionFault(node.pos, "has takes a field, for example has(message.name)");
  }
}

function visitMethod(node: Node<"rcall">, place: Place, tally: Tally): number {
  const [name, owner, values] = node.args;
  if (MACROS.has(name)) return visitMacro(node, place, tally);
  if (!METHODS.has(name)) throw unknownFunction(node.pos, name);
  const below: Place = { ...place, depth: place.depth + 1 };
  const weight = visit(owner, below, tally);
  tally.readings += weight;
  for (const value of values) tally.readings += visit(value, below, tally);
  return TEXT_METHODS.has(name) ? weight : 0;
}

function unknownFunction(position: number, name: string): ConditionFault {
  if (name === "matches") {
    return new ConditionFault(
      position,
      "matches is not supported, as some patterns take forever; " +
        "use contains, startsWith or endsWith",
    );
  }
  const all = [...new Set([...FUNCTIONS, ...METHODS, ...MACROS])].join(", ");
  return new ConditionFault(position, inPlainWords(`unknown function ${name}; there are ${all}`));
}

function visitMacro(node: Node<"rcall">, place: Place, tally: Tally): number {
  const [name, range, [variable, ...bodies]] = node.args;
  if (place.variables.size > 0) {
    throw new ConditionFault(node.pos, `${name} may not stand inside another macro`);
  }
  if (variable?.op !== "id" || NAMES.has(variable.args)) {
    throw new ConditionFault(node.pos, `${name} needs the name of a variable of its own`);
  }
  const times = lengthMax(range);
  const below: Place = { ...place, depth: place.depth + 1 };
  const weight = visit(range, below, tally);
  tally.readings += weight;
  const steps = range.op === "list" ? times : Math.min(times, CALLS_PER_MESSAGE);
  const inside: Place = { ...below, times, steps, variables: new Map([[variable.args, weight]]) };
  const looks = bodies.map((body) => visit(body, inside, tally));
  tally.readings += looks.reduce((sum, look) => sum + look, 0);
  return LIST_MACROS.has(name) ? Math.max(weight, ...looks) : 0;
}

/** Maximum length of the range of a macro. */
function lengthMax(range: ASTNode): number {
  if (range.op === "list") return range.args.length;
  if (range.op === "." && range.args[1] === "tool_calls") return LIMITS.toolCalls;
  if (range.op === "rcall" && LIST_MACROS.has(range.args[0])) return lengthMax(range.args[1]);
  throw new ConditionFault(
    range.pos,
    "macros go over message.tool_calls or over a list that is written out",
  );
}

const OPERATORS: ReadonlySet<string> = new Set<ASTNode["op"]>([
  "||",
  "&&",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "+",
  "-",
  "*",
  "/",
  "%",
]);

function visitOperator(node: ASTNode, look: (child: ASTNode) => number): number {
  const { args } = node;
  if (OPERATORS.has(node.op) && Array.isArray(args)) {
    for (const child of args as readonly ASTNode[]) look(child);
    return 0;
  }
  throw new ConditionFault(node.pos, "this part of CEL is not supported");
}

const NUMBERS: ReadonlySet<string | undefined> = new Set(["int", "double"]);

/**
 * Refuses `+` between anything but numbers: joined texts and lists would grow past every bound.
 * Needs the types that the library's check leaves in the tree. Throws ConditionFault.
 */
export function checkSums(node: ASTNode): void {
  if (node.op === "+" && !NUMBERS.has(typeOf(node))) {
    throw new ConditionFault(node.pos, "+ adds numbers only");
  }
  for (const child of childrenOf(node)) checkSums(child);
}

/** The library writes the type of a node into it, which its declarations do not say. */
function typeOf(node: ASTNode & { readonly checkedType?: { readonly name: string } }) {
  return node.checkedType?.name;
}

function childrenOf({ args }: ASTNode): readonly ASTNode[] {
  const list: readonly unknown[] = Array.isArray(args) ? args.flat() : [args];
  return list.filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value;
}
