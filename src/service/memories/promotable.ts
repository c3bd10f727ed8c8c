// Messages as long-term memory looks at them: what may become a memory, and how important it is.

import { LIMITS } from "../../domain/limits.ts";
import { statementsOf } from "../../domain/memories/extract/statements.ts";
import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  scoreBudget,
  scoreText,
} from "../../domain/memories/importance.ts";
import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { ImportanceRule, PromotionPolicy } from "../../domain/memories/policy.ts";
import type { NewMemory } from "../../domain/memories/rules.ts";
import { promotionKeyOf } from "../../domain/memories/text-key.ts";
import type { Session } from "../../domain/session.ts";
import { ROLE, type Role } from "../../domain/window/types.ts";
import type { StoredMessage } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { cutText } from "../cut-text.ts";

const DEFAULT_CATEGORY = "general";
const PREFERENCE = "preference";
const NO_METADATA = new Uint8Array(0);

type Rules = ReturnType<typeof compileRules>;

const compiled = new WeakMap<readonly ImportanceRule[], Rules>();

/** The rules of a policy, made once for each policy. */
export function rulesOf({ importanceRules }: Pick<PromotionPolicy, "importanceRules">): Rules {
  const rules = importanceRules.length === 0 ? DEFAULT_IMPORTANCE_RULES : importanceRules;
  let known = compiled.get(rules);
  if (known === undefined) {
    known = compileRules(rules);
    compiled.set(rules, known);
  }
  return known;
}

/** What a user or an assistant says in a message, trimmed; empty for any other message. */
export function speechOf(
  { codec }: Pick<ServiceContext, "codec">,
  { role, bytes }: StoredMessage,
): string {
  const isSpeech = role === ROLE.user || role === ROLE.assistant;
  return isSpeech ? codec.readSpeech(bytes).text.trim() : "";
}

/** A message that may be promoted. */
export interface Promotable {
  readonly message: StoredMessage;
  /** What a memory would hold of it. Trimmed, never empty. */
  readonly text: string;
  /** By which a scope knows that it promoted the text. */
  readonly key: string;
}

/** What of a message may be promoted; undefined when nothing may. */
export function promotableOf(
  context: Pick<ServiceContext, "codec">,
  message: StoredMessage,
  selection: PromotionPolicy["selection"],
): Promotable | undefined {
  const isWhole = selection === "any-text";
  if (!isWhole && message.role !== ROLE.user) return undefined;
  const said = speechOf(context, message);
  const text = isWhole ? said : statementsOf(said);
  return text === "" ? undefined : { message, text, key: promotionKeyOf(text) };
}

/** How important a text is, and by which rule; the rule is empty when none fits. */
export interface Score {
  readonly score: number;
  readonly rule: string;
}

/** Scores texts by the rules of a policy, each once, with a bounded amount of work for all. */
export class RuleScores {
  readonly #rules: Rules;
  readonly #budget = scoreBudget();
  readonly #known = new Map<string, Score>();

  constructor(policy: Pick<PromotionPolicy, "importanceRules">) {
    this.#rules = rulesOf(policy);
  }

  /** How important a text is, as far as a memory would hold it. */
  of({ key, text }: Pick<Promotable, "key" | "text">): Score {
    let score = this.#known.get(key);
    if (score === undefined) {
      score = scoreText(this.#rules, text.slice(0, LIMITS.memoryTextBytes), this.#budget);
      this.#known.set(key, score);
    }
    return score;
  }
}

/** The memory that a message becomes. */
export function promotedMemory(
  { codec }: Pick<ServiceContext, "codec">,
  { sessionId }: Pick<Session, "sessionId">,
  of: {
    readonly promotable: Promotable;
    readonly score: Score;
    readonly scope: MemoryScope;
  },
): NewMemory {
  const { promotable, score, scope } = of;
  const { message, text } = promotable;
  const { rule } = score;
  return {
    memoryId: "",
    kind: rule === PREFERENCE ? "preference" : "fact",
    scope,
    content: {
      text: cutText(text, LIMITS.memoryTextBytes),
      structure: undefined,
      key: "",
      category: rule === "" ? DEFAULT_CATEGORY : rule,
      topics: [],
      importance: score.score,
      labels: new Map([["role", roleName(message.role)]]),
      metadata: NO_METADATA,
      validFromMs: undefined,
      validToMs: undefined,
    },
    confidence: 1,
    trust: codec.readTrust(message.bytes),
    persistent: false,
    ttlMs: 0,
    source: {
      origin: "promotion",
      sessionId,
      messageIds: [message.messageId],
      hook: "",
      model: "",
    },
    lastSeenMs: undefined,
  };
}

function roleName(role: Role): string {
  return role === ROLE.user ? "user" : "assistant";
}
