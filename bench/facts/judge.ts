// How many labelled sentences the rules and promotion take for facts, and how many they should.

import { readFileSync } from "node:fs";
import { extractByRules } from "../../src/domain/memories/extract/rules.ts";
import { DEFAULT_PROMOTION } from "../../src/domain/memories/policy.ts";
import { ROLE } from "../../src/domain/window/types.ts";
import { promotableOf, RuleScores } from "../../src/service/memories/promotable.ts";
import type { StoredMessage } from "../../src/storage/store.ts";

/** What promotion reads messages with. */
type Context = Parameters<typeof promotableOf>[0];

const SAID_MS = Date.UTC(2026, 0, 5);

/** A sentence with its label, in a message of the role with what stands around it. */
export interface Labelled {
  /** `test` is held out: no rule was changed for it. */
  readonly part: "dev" | "test";
  readonly kind: string;
  /** Default: user. */
  readonly role?: "assistant" | "tool";
  /** What was said before. */
  readonly context?: readonly { readonly role: "assistant"; readonly text: string }[];
  /** Lines before and behind it in its message. None of them states anything. */
  readonly before?: string;
  readonly text: string;
  readonly after?: string;
  /**
   * What it states that lasts, and is to be found one way or another: words that a fact of it has
   * to hold, each the beginning of one, `a|b` for either; `!` before them for a denial. Empty when
   * nothing may be found.
   */
  readonly facts: readonly string[];
}

/** What came of a sentence. */
export interface Verdict {
  readonly sentence: Labelled;
  /** What was made of it. */
  readonly made: readonly string[];
  readonly rightCount: number;
}

/** How much of what was made is right, and how much of what is right was made. */
export interface Figures {
  readonly precision: number;
  readonly recall: number;
  readonly madeCount: number;
  readonly statedCount: number;
}

/** The sentences, in the order of their file. */
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

/** What the rules find: right is a fact that says what is stated, of whom it is stated. */
export function judgeExtraction(sentence: Labelled): Verdict {
  const line = { name: "", messageId: "m", saidMs: SAID_MS };
  const said = { ...line, role: sentence.role ?? "user", text: messageOf(sentence) } as const;
  const before = (sentence.context ?? []).map((one) => ({ ...line, ...one }));
  const { facts } = extractByRules([...before, said], ["facts"]);
  const made = facts.map(({ text }) => text);
  const right = made.filter((one) => sentence.facts.some((fact) => holds(fact, one)));
  return { sentence, made, rightCount: right.length };
}

/** What is promoted by default: right is a memory of a sentence that states something lasting. */
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
