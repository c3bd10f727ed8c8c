// What conditions say of the messages of a window. Views are made only for windows that a condition
// looks at, and each condition is asked at most once for each message.

import { type Condition, type ConditionView, compileCondition } from "../conditions/condition.ts";
import { costAt, type Look } from "./look.ts";
import { type DetailOf, type MessageDetail, ROLE, type Role, type WindowEntry } from "./types.ts";
import { NO_UNIT } from "./units.ts";

const ROLE_NAMES: { readonly [role in Role]: string } = {
  [ROLE.user]: "user",
  [ROLE.assistant]: "assistant",
  [ROLE.system]: "system",
  [ROLE.tool]: "tool",
};

/** Answers what a condition says of an entry. */
export interface Judge {
  readonly test: (expression: string, index: number) => boolean | "failed";
}

/**
 * What conditions know of a message; reads the details only when one asks for them. A class, as one
 * is made for every message, and objects with getters of their own are slow to make.
 */
class MessageView<E extends WindowEntry> {
  readonly role: string;
  readonly tool_call_id: string;
  readonly tokens: number;
  readonly age_seconds: number;
  readonly #entry: E;
  readonly #detailOf: DetailOf<E>;
  #detail: MessageDetail | undefined;

  constructor(entry: E, tokens: number, ageMs: number, detailOf: DetailOf<E>) {
    this.role = ROLE_NAMES[entry.role];
    this.tool_call_id = entry.answers[0] ?? "";
    this.tokens = tokens;
    this.age_seconds = ageMs / 1000;
    this.#entry = entry;
    this.#detailOf = detailOf;
  }

  get content(): string {
    return this.#read().content;
  }

  get name(): string {
    return this.#read().name;
  }

  get tool_calls(): MessageDetail["toolCalls"] {
    return this.#read().toolCalls;
  }

  #read(): MessageDetail {
    this.#detail ??= this.#detailOf(this.#entry);
    return this.#detail;
  }
}

/** A condition and what it said of each entry so far. */
interface Asked {
  readonly condition: Condition;
  readonly answers: (boolean | "failed" | undefined)[];
}

const NOT_IN_ONE: ConditionView["turn"] = { index: 0, tokens: 0, size: 0 };

/** Makes the judge of a window. `newestMs` is when the newest message was stored. */
export function judgeOf<E extends WindowEntry>(
  look: Look<E>,
  detailOf: DetailOf<E>,
  newestMs: () => number,
): Judge {
  const views: (ConditionView | undefined)[] = [];
  const turns: ConditionView["turn"][] = [];
  const asked = new Map<string, Asked>();
  const turnOf = (index: number): ConditionView["turn"] => {
    const { unitOf, sizes } = look.layout("turn");
    const unit = unitOf[index] ?? NO_UNIT;
    if (unit === NO_UNIT) return NOT_IN_ONE;
    const { tokens, messages } = sizes();
    turns[unit] ??= {
      index: unit + 1,
      tokens: tokens[unit] ?? 0,
      size: messages[unit] ?? 0,
    };
    return turns[unit];
  };
  const viewOf = (index: number, entry: E): ConditionView => {
    views[index] ??= {
      message: new MessageView(entry, costAt(look, index), newestMs() - entry.createMs, detailOf),
      turn: turnOf(index),
    };
    return views[index];
  };
  const test = (expression: string, index: number): boolean | "failed" => {
    let known = asked.get(expression);
    if (known === undefined) {
      known = { condition: compileCondition(expression), answers: [] };
      asked.set(expression, known);
    }
    const entry = look.entries[index];
    if (entry === undefined) return false;
    known.answers[index] ??= known.condition.test(viewOf(index, entry));
    return known.answers[index];
  };
  return { test };
}
