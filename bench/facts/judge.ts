// Precision and recall of the rules and of promotion on labelled sentences.

import { readFileSync } from "node:fs";
import { extractByRules } from "../../src/memory/extract/rules.ts";
import { promotableOf, RuleScores } from "../../src/memory/learn/promotable.ts";
import type { StoredMessage } from "../../src/store/store.ts";
import { DEFAULT_PROMOTION } from "../../src/window/policy/memory-policy.ts";
import { ROLE } from "../../src/window/rules/types.ts";

/** Context in which promotion reads messages. */
type Context = Parameters<typeof promotableOf>[0];

const SAID_MS = Date.UTC(2026, 0, 5);

/** A labelled sentence in a message with its role and context. */
export interface Labelled {
  /** `test` is held out: no rule was tuned on it. */
  readonly part: "dev" | "test";
  readonly kind: string;
  /** Default: user. */
  readonly role?: "assistant" | "tool";
  /** Earlier messages. */
  readonly context?: readonly { readonly role: "assistant"; readonly text: string }[];
  /** Lines before and after it in its message. None of them states a fact. */
  readonly before?: string;
  readonly text: string;
  readonly after?: string;
  /**
   * Lasting statements that must be found: words that their fact has to contain, each as a prefix,
   * `a|b` for alternatives; `!` before them for a denial. Empty when nothing may be found.
   */
  readonly facts: readonly string[];
}

/** Verdict on a sentence. */
export interface Verdict {
  readonly sentence: Labelled;
  /** Facts that were made from it. */
  readonly made: readonly string[];
  readonly rightCount: number;
}

/** Precision and recall. */
export interface Figures {
  readonly precision: number;
  readonly recall: number;
  readonly madeCount: number;
  readonly statedCount: number;
}

/** The sentences in file order. */
export function readSentences(): readonly Labelled[] {
  return JSON.parse(readFileSync(new URL("sentences.json", import.meta.url), "utf8")) as Labelled[];
}

const DENIAL = /\b(?:not|never|no|cannot)\b/i;

function holds(fact: string, made: string): boolean {
  const words = made.toLowerCase().split(/[^\p{L}\p{N}-]+/u);
  const wanted = fact.replace(/^!/, "").toLowerCase().split(" ");
  const isWhole = wanted.every((either) =>
    either.split("|").some((start) => words.some((word) => word.startsWith(start))),
  );
  return isWhole && DENIAL.test(made) === fact.startsWith("!");
}

function messageOf({ before = "", text, after = "" }: Labelled): string {
  return [before, text, after].filter((line) => line !== "").join("\n");
}

/**
 * Judges the rules. A fact is correct when it says what the sentence states, about the right
 * subject.
 */
export function judgeExtraction(sentence: Labelled): Verdict {
  const line = { name: "", messageId: "m", saidMs: SAID_MS };
  const said = { ...line, role: sentence.role ?? "user", text: messageOf(sentence) } as const;
  const before = (sentence.context ?? []).map((one) => ({ ...line, ...one }));
  const { facts } = extractByRules([...before, said], ["facts"]);
  const made = facts.map(({ text }) => text);
  const right = made.filter((one) => sentence.facts.some((fact) => holds(fact, one)));
  return { sentence, made, rightCount: right.length };
}

/** Judges default promotion. A memory is correct when its sentence states something lasting. */
export function judgePromotion(sentence: Labelled): Verdict {
  const text = messageOf(sentence);
  const context = { codec: { readSpeech: () => ({ text }) } } as unknown as Context;
  const role = { user: ROLE.user, assistant: ROLE.assistant, tool: ROLE.tool }[
    sentence.role ?? "user"
  ];
  const message = { role, bytes: new Uint8Array(0) } as StoredMessage;
  const { selection } = DEFAULT_PROMOTION;
  const candidate = promotableOf(context, message, selection);
  const promoted = candidate && new RuleScores(DEFAULT_PROMOTION).promoted(candidate);
  if (promoted === undefined) return { sentence, made: [], rightCount: 0 };
  const isRight = sentence.facts.length > 0;
  return { sentence, made: [promoted.promotable.text], rightCount: isRight ? 1 : 0 };
}

/** The figures of verdicts. */
export function figuresOf(verdicts: readonly Verdict[]): Figures {
  const madeCount = verdicts.reduce((sum, { made }) => sum + made.length, 0);
  const rightCount = verdicts.reduce((sum, verdict) => sum + verdict.rightCount, 0);
  const stated = verdicts.filter(({ sentence }) => sentence.facts.length > 0);
  const foundCount = stated.filter((verdict) => verdict.rightCount > 0).length;
  const statedCount = stated.length;
  return {
    ...{ madeCount, statedCount },
    precision: madeCount === 0 ? 1 : rightCount / madeCount,
    recall: statedCount === 0 ? 1 : foundCount / statedCount,
  };
}
