// Messages as candidates for long-term memory: the part that may become a memory, and its
// importance.

import type { ServiceContext } from "../../core/context.ts";
import { checkedImportance } from "../../hooks/answers.ts";
import { guardedCall, guardOf } from "../../hooks/hook-state.ts";
import { type DirectCall, HookFailure } from "../../hooks/port.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { LIMITS } from "../../kit/limits.ts";
import { cutText } from "../../kit/text.ts";
import { ownerOf, type Session } from "../../session/rules/session.ts";
import type { StoredMessage } from "../../store/store.ts";
import {
  BUILTIN_EXTRACTOR,
  type ImportanceRule,
  type PromotionPolicy,
} from "../../window/policy/memory-policy.ts";
import { ROLE, ROLE_NAMES } from "../../window/rules/types.ts";
import type { ImportanceScore } from "../api.ts";
import { factOf, statementsOf } from "../extract/rules.ts";
import type { HookParts, MemoryParts } from "../parts.ts";
import {
  compileRules,
  DEFAULT_IMPORTANCE_RULES,
  scoreBudget,
  scoreText,
} from "../rules/importance.ts";
import { MEMORY_DEFAULTS, type MemoryScope } from "../rules/memory.ts";
import { learnt, type NewMemory } from "../rules/rules.ts";
import { promotionKeyOf } from "../rules/text-key.ts";

const PREFERENCE = "preference";

/** Confidence of promoted memories: see docs/memory.md. */
const STATEMENT_SURE = 0.75;
const ANY_TEXT_SURE = 0.5;
/** Lowest score, by the rules of the server, of a lasting fact; the score of all other text. */
const LASTING_SCORE = 0.7;
const NOT_LASTING: Score = { score: 0.3, rule: "" };
/** Characters of a change that are searched for facts: tens of milliseconds of work. */
const FACT_CHARS = 65_536;

type Rules = ReturnType<typeof compileRules>;

const compiled = new WeakMap<readonly ImportanceRule[], Rules>();

/** The rules of a policy, made once for each policy. */
function rulesOf({ importanceRules }: Pick<PromotionPolicy, "importanceRules">): Rules {
  const rules = importanceRules.length === 0 ? DEFAULT_IMPORTANCE_RULES : importanceRules;
  let known = compiled.get(rules);
  if (known === undefined) {
    known = compileRules(rules);
    compiled.set(rules, known);
  }
  return known;
}

/** The speech of a user or an assistant in a message, trimmed; empty for other messages. */
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
  /** Its statements, or its whole text. Never empty. */
  readonly parts: readonly string[];
  /** All of that. */
  readonly text: string;
  /** Key by which a scope recognizes a promoted text. */
  readonly key: string;
}

/** The part of a message that may be promoted; undefined for none. */
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

/** Importance of a text, and the rule that gave it; empty when none fits. */
interface Score {
  readonly score: number;
  readonly rule: string;
}

/** A promoted message: the text of its memory, and its importance. */
export interface Promoted {
  readonly promotable: Promotable;
  readonly score: Score;
  /** The source of the score. */
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

  /** The parts of a message that are important enough; undefined for none. */
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

  /** Importance of a part of a message. */
  of(part: string): Score {
    const { selection, importanceRules } = this.#policy;
    // Only as much as a memory can hold.
    const text = part.slice(0, LIMITS.memoryTextBytes);
    const byRules = scoreText(this.#rules, text, this.#budget);
    if (selection === "any-text" || importanceRules.length > 0) return byRules;
    // A phrase alone proves little: `I like this one` does not matter tomorrow.
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
  session: Pick<Session, "sessionId" | "fields">,
  of: Promoted & Pick<PromotionPolicy, "selection"> & { readonly scope: MemoryScope },
): NewMemory {
  const { promotable, score, hook, selection, scope } = of;
  const { message, text } = promotable;
  const { rule } = score;
  const { sessionId } = session;
  const from = { sessionId, owner: ownerOf(session), messageIds: [message.messageId] };
  return learnt(
    {
      kind: rule === PREFERENCE ? "preference" : "fact",
      scope,
      trust: codec.readTrust(message.bytes),
      source: { origin: "promotion", ...from, hook, model: "" },
    },
    {
      text: cutText(text, LIMITS.memoryTextBytes),
      category: rule === "" ? MEMORY_DEFAULTS.category : rule,
      importance: score.score,
      labels: new Map([["role", ROLE_NAMES[message.role]]]),
    },
    selection === "any-text" ? ANY_TEXT_SURE : STATEMENT_SURE,
  );
}

/** Asks a hook for one score of each text, 0 to 1. Throws HookFailure. */
export async function scoresOfHook(
  parts: HookParts,
  name: string,
  call: DirectCall,
  texts: readonly string[],
): Promise<readonly number[]> {
  if (texts.length === 0) return [];
  const hook = parts.context.hooks.byName.get(name);
  const score = hook?.score;
  if (hook === undefined || score === undefined) {
    throw new HookFailure("no-hook", "The server has no hook of this name that scores.");
  }
  return await guardedCall(guardOf(parts, hook), call, texts, async (timed) =>
    checkedImportance(await score(timed, { texts }), texts.length),
  );
}

/** Characters that are scored in one turn of the event loop. */
const TURN_CHARS = 16_384;
/** Visits to places of phrases that take as long as reading a character. */
const PLACES_A_CHAR = 16;

/** Scores a text, or without one the messages that have speech. */
export async function scoreImportance(
  { context, pace }: Pick<MemoryParts, "context" | "pace">,
  call: Call,
  what: {
    readonly text: string;
    readonly messages: readonly StoredMessage[];
    /** None means those of the server. */
    readonly rules: readonly ImportanceRule[];
  },
): Promise<readonly ImportanceScore[]> {
  const { text: alone, messages, rules } = what;
  const spoken = messages.flatMap((message) => {
    const text = speechOf(context, message);
    return text === "" ? [] : [{ messageId: message.messageId, text }];
  });
  const compiled = compileRules(rules.length === 0 ? DEFAULT_IMPORTANCE_RULES : rules);
  const scores: ImportanceScore[] = [];
  let work = 0;
  for (const { messageId, text } of alone === "" ? spoken : [{ messageId: "", text: alone }]) {
    checkLive(call.signal);
    if (work > TURN_CHARS) {
      await pace.turn(true);
      work = 0;
    }
    const budget = scoreBudget();
    const before = budget.left;
    scores.push({ messageId, ...scoreText(compiled, text, budget) });
    work += text.length + (before - budget.left) / PLACES_A_CHAR;
  }
  return scores;
}
