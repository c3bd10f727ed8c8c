// What conditions say of the messages of a window. Views are made only for windows that a condition
// looks at, and each condition is asked at most once for each message.

import { type Condition, type ConditionView, compileCondition } from "../conditions/condition.ts";
import { costAt, type Look, once } from "./look.ts";
import { type DetailOf, ROLE, type Role, type WindowEntry } from "./types.ts";
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

/** A condition and what it said of each entry so far. */
interface Asked {
  readonly condition: Condition;
  readonly answers: (boolean | "failed" | undefined)[];
}

const NOT_IN_ONE: ConditionView["interaction"] = { index: 0, tokens: 0, size: 0 };

/** Makes the judge of a window. `newestMs` is when the newest message was stored. */
export function judgeOf<E extends WindowEntry>(
  look: Look<E>,
  detailOf: DetailOf<E>,
  newestMs: () => number,
): Judge {
  const views: (ConditionView | undefined)[] = [];
  const interactions: ConditionView["interaction"][] = [];
  const asked = new Map<string, Asked>();
  const interactionOf = (index: number): ConditionView["interaction"] => {
    const { unitOf, sizes } = look.layout("interaction");
    const unit = unitOf[index] ?? NO_UNIT;
    if (unit === NO_UNIT) return NOT_IN_ONE;
    const { tokens, messages } = sizes();
    interactions[unit] ??= {
      index: unit + 1,
      tokens: tokens[unit] ?? 0,
      size: messages[unit] ?? 0,
    };
    return interactions[unit];
  };
  const viewOf = (index: number, entry: E): ConditionView => {
    views[index] ??= {
      message: messageView(
        entry,
        costAt(look, index),
        once(() => detailOf(entry)),
        newestMs(),
      ),
      interaction: interactionOf(index),
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

/** The names of a message. The content is read only when an expression asks for it. */
function messageView(
  entry: WindowEntry,
  tokens: number,
  detail: () => ReturnType<DetailOf>,
  newestMs: number,
): ConditionView["message"] {
  return {
    role: ROLE_NAMES[entry.role],
    tool_call_id: entry.answers[0] ?? "",
    tokens,
    age_seconds: Math.max(0, newestMs - entry.createMs) / 1000,
    get content() {
      return detail().content;
    },
    get name() {
      return detail().name;
    },
    get tool_calls() {
      return detail().toolCalls;
    },
  };
}
