// CountTokens: what texts and messages cost by a token rule.

import type { MessageDraft } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import type { CountTokensInput } from "../recall/api.ts";
import { DEFAULT_POLICY, type TokenRule } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { ROLE } from "../window/rules/types.ts";

/** Counts the tokens of texts and messages. */
export interface TokenCounts {
  readonly texts: readonly number[];
  readonly messages: readonly number[];
  readonly rule: TokenRule;
}

/** Counts texts and messages as an append would. */
export async function countTokens(
  context: ServiceContext,
  call: Call,
  input: CountTokensInput,
): Promise<TokenCounts> {
  checkLive(call.signal);
  const rule = countedRule({ ...DEFAULT_POLICY, ...input.policy });
  const drafts = [...input.texts.map(draftOf), ...input.drafts];
  const counts = await context.tokens.countAll(drafts, rule);
  const { length } = input.texts;
  return { texts: counts.slice(0, length), messages: counts.slice(length), rule: rule.rule };
}

/** A user message with this text and nothing else. */
function draftOf(text: string): MessageDraft {
  return {
    ...{ messageId: "", role: ROLE.user, name: "", callIds: [], answers: [], failedIds: [] },
    ...{ isResult: false, toolError: false, tokenCount: undefined, imageCount: 0 },
    counted: () => ({ content: [text], calls: [], name: "", hasCallId: false, imageCount: 0 }),
    wire: undefined,
  };
}
