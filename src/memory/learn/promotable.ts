// Messages as long-term memory looks at them: what may become a memory, and how important it is.

import { LIMITS } from "../../domain/limits.ts";
import { factOf, statementsOf } from "../../domain/memories/extract/statements.ts";
import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  scoreBudget,
  scoreText,
} from "../../domain/memories/importance.ts";
import type { MemoryScope } from "../../domain/memories/memory.ts";
import {
  BUILTIN_EXTRACTOR,
  type ImportanceRule,
  type PromotionPolicy,
} from "../../domain/memories/policy.ts";
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

/** How sure memories are that promotion makes: see docs/memory.md. */
const STATEMENT_SURE = 0.75;
const ANY_TEXT_SURE = 0.5;
/** The least score, by the rules of the server, of what states a lasting fact; that of all else. */
const LASTING_SCORE = 0.7;
const NOT_LASTING: Score = { score: 0.3, rule: "" };
/** How much of the statements of a change is looked through for facts: tens of milliseconds. */
const FACT_CHARS = 65_536;

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
  /** What a memory may hold of it: its statements, or its whole text. Never empty. */
  readonly parts: readonly string[];
  /** All of that. */
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
  if (said === "") return undefined;
  const parts = isWhole ? [said] : statementsOf(said.slice(0, LIMITS.memoryTextBytes));
  return promotable(message, parts);
}

function promotable(message: StoredMessage, parts: readonly string[]): Promotable | undefined {
  if (parts.length === 0) return undefined;
  const text = parts.join(" ");
  return { message, parts, text, key: promotionKeyOf(text) };
}

/** How important a text is, and by which rule; the rule is empty when none fits. */
export interface Score {
  readonly score: number;
  readonly rule: string;
}

/** A message that is promoted: what the memory holds, and how important that is. */
export interface Promoted {
  readonly promotable: Promotable;
  readonly score: Score;
  /** Who scored it. */
  readonly hook: string;
}

/** Scores by the rules of a policy, with a bounded amount of work for all messages of a change. */
export class RuleScores {
  readonly #policy: PromotionPolicy;
  readonly #rules: Rules;
  readonly #budget = scoreBudget();
  #factChars = FACT_CHARS;

  constructor(policy: PromotionPolicy) {
    this.#policy = policy;
    this.#rules = rulesOf(policy);
  }

  /** What of a message is important enough, each part by itself; undefined for nothing. */
  promoted({ message, parts }: Promotable): Promoted | undefined {
    const scored = parts.map((part) => ({ part, score: this.of(part) }));
    const kept = scored.filter(({ score }) => score.score >= this.#policy.importanceThreshold);
    const [first, ...others] = kept.map(({ score }) => score);
    const whole = promotable(
      message,
      kept.map(({ part }) => part),
    );
    if (first === undefined || whole === undefined) return undefined;
    const score = others.reduce((best, one) => (one.score > best.score ? one : best), first);
    return { promotable: whole, score, hook: BUILTIN_EXTRACTOR };
  }

  /** How important a part of a message is. */
  of(part: string): Score {
    const { selection, importanceRules } = this.#policy;
    // As far as a memory would hold it.
    const text = part.slice(0, LIMITS.memoryTextBytes);
    const byRules = scoreText(this.#rules, text, this.#budget);
    if (selection === "any-text" || importanceRules.length > 0) return byRules;
    // By itself a phrase tells little: `I like this one` matters to nobody tomorrow.
    const fact = this.#factOf(part);
    if (fact === undefined) return NOT_LASTING;
    if (byRules.score >= LASTING_SCORE) return byRules;
    return { score: LASTING_SCORE, rule: byRules.rule === "" ? fact.category : byRules.rule };
  }

  #factOf(part: string): ReturnType<typeof factOf> {
    this.#factChars -= part.length;
    return this.#factChars < 0 ? undefined : factOf(part);
  }
}

/** The memory that a message becomes. */
export function promotedMemory(
  { codec }: Pick<ServiceContext, "codec">,
  { sessionId }: Pick<Session, "sessionId">,
  of: Promoted & Pick<PromotionPolicy, "selection"> & { readonly scope: MemoryScope },
): NewMemory {
  const { promotable, score, hook, selection, scope } = of;
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
    confidence: selection === "any-text" ? ANY_TEXT_SURE : STATEMENT_SURE,
    trust: codec.readTrust(message.bytes),
    persistent: false,
    ttlMs: 0,
    source: {
      origin: "promotion",
      sessionId,
      messageIds: [message.messageId],
      hook,
      model: "",
    },
    lastSeenMs: undefined,
  };
}

function roleName(role: Role): string {
  return role === ROLE.user ? "user" : "assistant";
}
