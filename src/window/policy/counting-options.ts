// The options of presets that say how tokens are counted. Profiles of other systems have their own.

import { LIMITS } from "../../kit/limits.ts";
import { modelContextWindow } from "./models.ts";
import { choice, text } from "./option-kinds.ts";
import { optional } from "./options.ts";
import type { Policy, PolicyTokenRule } from "./policy.ts";

/** The rules that an option can name, and what they are in a policy. */
const RULES = {
  bytes_div_4: "bytes-div-4",
  chars_div_4: "chars-div-4",
  o200k: "o200k",
  cl100k: "cl100k",
  words: "words",
  given: "given",
  model: "model",
} as const satisfies Record<string, PolicyTokenRule>;

type RuleName = keyof typeof RULES;

/** Token counting options of a window. */
export const COUNTING_OPTIONS = {
  token_rule: optional(
    choice<RuleName>(
      ["bytes_div_4", "chars_div_4", "o200k", "cl100k", "words", "given", "model"],
      "bytes_div_4",
      "Token rule. Null: that of the model, or bytes_div_4 without a model.",
    ),
  ),
  model: text(LIMITS.modelBytes, "", "Model that receives the window."),
};

/** Gives what these options say in a policy. */
export function countedBy({
  token_rule,
  model,
}: {
  readonly token_rule: RuleName | undefined;
  readonly model: string;
}): Pick<Policy, "tokenRule" | "model" | "contextWindow"> {
  const tokenRule = RULES[token_rule ?? (model === "" ? "bytes_div_4" : "model")];
  return { tokenRule, model, contextWindow: modelContextWindow(model) };
}
