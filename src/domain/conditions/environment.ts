// The names and operators that conditions know, told to the CEL library.

import { Environment } from "@marcbachmann/cel-js";
import { LIMITS } from "../limits.ts";
import { HAS } from "./python-words.ts";

/** A tool call as conditions see it. */
export interface CallView {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the names of an expression stand for. */
export interface ConditionView {
  readonly message: {
    /** `user`, `assistant`, `system` or `tool`. */
    readonly role: string;
    /** All text of the content. */
    readonly content: string;
    /** Empty when the message has none. */
    readonly name: string;
    /** Empty when the message answers no call. */
    readonly tool_call_id: string;
    readonly tool_calls: readonly CallView[];
    readonly tokens: number;
    /** How much older than the newest message of the window, before any stage, it is. */
    readonly age_seconds: number;
  };
  readonly turn: {
    readonly index: number;
    readonly tokens: number;
    /** How many messages it has. */
    readonly size: number;
  };
}

// The library tells types by their constructor, so each type is a class. The fields are the very
// names of the expressions; nothing else of an instance can be reached.

class CelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;

  constructor(call: CallView) {
    this.id = call.id;
    this.name = call.name;
    this.arguments = call.arguments;
  }
}

/** Reads from the view only what an expression asks for: to know a content can be work. */
class CelMessage {
  readonly #message: ConditionView["message"];
  #calls: readonly CelCall[] | undefined;

  constructor({ message }: ConditionView) {
    this.#message = message;
  }

  get role(): string {
    return this.#message.role;
  }

  get content(): string {
    return this.#message.content;
  }

  get name(): string {
    return this.#message.name;
  }

  get tool_call_id(): string {
    return this.#message.tool_call_id;
  }

  get tool_calls(): readonly CelCall[] {
    this.#calls ??= callsOf(this.#message.tool_calls);
    return this.#calls;
  }

  get tokens(): number {
    return this.#message.tokens;
  }

  get age_seconds(): number {
    return this.#message.age_seconds;
  }
}

function callsOf(calls: readonly CallView[]): readonly CelCall[] {
  // No message is stored with more; what macros may cost rests on it.
  if (calls.length > LIMITS.toolCalls) throw new Error("A message has too many tool calls.");
  return calls.map((call) => new CelCall(call));
}

class CelTurn {
  readonly index: number;
  readonly tokens: number;
  readonly size: number;

  constructor({ turn }: ConditionView) {
    this.index = turn.index;
    this.tokens = turn.tokens;
    this.size = turn.size;
  }
}

/** What `turn` was called at first: stored conditions still say so. */
export const OLD_TURN = "interaction";

/** The most brackets inside each other. */
export const DEPTH_MAX = 32;
/** The most operators, names and values. */
export const NODES_MAX = 200;
/** The most elements of a list that is written out. */
export const LIST_MAX = 64;

type Numeric = number | bigint;

/** Knows the names of conditions and nothing more; made once, as making it is slow. */
export const CONDITIONS = makeEnvironment();

/** Gives the values of the names. */
export function valuesOf(view: ConditionView): {
  message: CelMessage;
  turn: CelTurn;
  [OLD_TURN]: CelTurn;
} {
  const turn = new CelTurn(view);
  return { message: new CelMessage(view), turn, [OLD_TURN]: turn };
}

function makeEnvironment(): Environment {
  const environment = new Environment({
    limits: {
      maxAstNodes: NODES_MAX,
      maxDepth: DEPTH_MAX,
      maxListElements: LIST_MAX,
      maxMapEntries: 0,
      maxCallArguments: 3,
    },
  });
  const text = { id: "string", name: "string" };
  const size = { tokens: "double" };
  environment
    .registerType("tool_call", { ctor: CelCall, fields: { ...text, arguments: "string" } })
    .registerType("message", {
      ctor: CelMessage,
      fields: {
        role: "string",
        content: "string",
        name: "string",
        tool_call_id: "string",
        tool_calls: "list<tool_call>",
        age_seconds: "double",
        ...size,
      },
    })
    .registerType("turn", {
      ctor: CelTurn,
      fields: { index: "double", size: "double", ...size },
    })
    .registerVariable("message", "message")
    .registerVariable("turn", "turn")
    .registerVariable(OLD_TURN, "turn")
    .registerFunction(`${HAS}(string): bool`, (value: string) => value !== "")
    .registerFunction(`${HAS}(list): bool`, (value: readonly unknown[]) => value.length > 0)
    .registerFunction(`${HAS}(double): bool`, (value: number) => value !== 0)
    .registerOperator("string in string", (part: string, whole: string) => whole.includes(part))
    .registerOperator("string == null", (value: string) => value === "");
  registerArithmetic(environment);
  return environment;
}

/** CEL has no operator between an int and a double; people expect `message.tokens + 1` to work. */
function registerArithmetic(environment: Environment): void {
  const rules = {
    "+": (a: Numeric, b: Numeric) => Number(a) + Number(b),
    "-": (a: Numeric, b: Numeric) => Number(a) - Number(b),
    "*": (a: Numeric, b: Numeric) => Number(a) * Number(b),
    "/": (a: Numeric, b: Numeric) => Number(a) / divisor(b),
    "%": (a: Numeric, b: Numeric) => Number(a) % divisor(b),
  };
  for (const [operator, rule] of Object.entries(rules)) {
    environment.registerOperator(`int ${operator} double: double`, rule);
    environment.registerOperator(`double ${operator} int: double`, rule);
  }
  environment.registerOperator("double % double: double", rules["%"]);
  environment
    .registerOperator("int == double", (a: Numeric, b: Numeric) => Number(a) === Number(b))
    .registerOperator("int in list<double>", (value: bigint, list: readonly number[]) =>
      list.includes(Number(value)),
    );
}

/** What people write, as in `message.tokens / 0`, is the fault that it is between ints. */
function divisor(value: Numeric): number {
  const number = Number(value);
  if (number === 0) throw new RangeError("A number was divided by 0.");
  return number;
}
