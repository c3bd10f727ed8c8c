// Finds the known memory that a draft repeats, and reinforces it.

import { LIMITS } from "../../kit/limits.ts";
import { nextState, strengthened, unitedSources } from "./change.ts";
import type { Memory } from "./memory.ts";
import type { Decision, DedupeRule, NewMemory, Remembered } from "./rules.ts";
import {
  type CompareBudget,
  type ComparedText,
  comparedText,
  similarityFrom,
} from "./similarity.ts";
import { textKeyOf } from "./text-key.ts";

/** Confidence that a memory gains when it is remembered again. */
const AGAIN = 0.1;

/**
 * Whether a memory's validity had ended when that of a draft began: the draft is then a new fact,
 * not a repeat. Equal ends mean the same period.
 */
function hadEnded({ content }: Memory, { content: said }: NewMemory, nowMs: number): boolean {
  const { validToMs = Infinity } = content;
  return validToMs !== said.validToMs && validToMs <= (said.validFromMs ?? nowMs);
}

/**
 * Whether a memory cannot take another state from a draft that no caller gave. Without a caller to
 * report to, an error would lose the other results silently.
 */
export function isFinal({ version }: Memory, { source }: Pick<NewMemory, "source">): boolean {
  return version >= LIMITS.memoryRevisions && source.origin !== "caller";
}

/** Whether both keys are set and differ. */
function answersOther(known: string, wanted: string): boolean {
  return known !== "" && wanted !== "" && known !== wanted;
}

/** Compares texts; of each memory once. */
export class KnownTexts {
  readonly #texts = new WeakMap<Memory, ComparedText>();
  readonly #budget: CompareBudget;
  readonly #windowMax: number;

  /**
   * @param count - Drafts that share the work of a decision.
   * @param budget - Counts the work done.
   */
  constructor(count: number, budget: CompareBudget = { left: LIMITS.comparedPoints }) {
    this.#windowMax = Math.max(1, Math.floor(LIMITS.comparedPairs / count));
    this.#budget = budget;
  }

  /**
   * The memory that a draft repeats; undefined for none. A memory of lower trust counts only with
   * the same words.
   */
  find({ overlay, rules: { dedupe }, stamp }: Decision, draft: NewMemory): Memory | undefined {
    if (dedupe.mode === "none") return undefined;
    // The same words may have different keys: a city of birth, and one to live in.
    const isLasting = (memory: Memory): boolean =>
      !hadEnded(memory, draft, stamp.nowMs) && !answersOther(memory.content.key, draft.content.key);
    const told = overlay.byText(draft.scope, draft.kind, textKeyOf(draft)).filter(isLasting);
    const isTrusted = ({ trust }: Memory): boolean => trust >= draft.trust;
    const same = told.find(isTrusted) ?? told[0];
    if (same !== undefined || dedupe.mode === "same-text") return same;
    const window = Math.min(dedupe.window, this.#windowMax);
    const known = overlay.newest(draft.scope, draft.kind, window);
    return this.#mostSimilar(dedupe, draft, known.filter(isTrusted).filter(isLasting));
  }

  /** The most similar memory; of equal ones the first. Episodes of different times never are. */
  #mostSimilar(
    { threshold }: DedupeRule,
    { kind, content }: NewMemory,
    known: readonly Memory[],
  ): Memory | undefined {
    const text = comparedText(content.text, this.#budget);
    let from = threshold;
    let best: Memory | undefined;
    for (const memory of known) {
      if (kind === "episode" && memory.content.validFromMs !== content.validFromMs) continue;
      // The same key in other words contradicts: a name that changed by one letter.
      if (content.key !== "" && memory.content.key === content.key) continue;
      if (this.#budget.left < 0) break;
      const found = similarityFrom(from, text, this.#textOf(memory), this.#budget);
      if (found === undefined || (best !== undefined && found === from)) continue;
      best = memory;
      from = found;
    }
    return best;
  }

  #textOf(memory: Memory): ComparedText {
    let text = this.#texts.get(memory);
    if (text === undefined) {
      text = comparedText(memory.content.text, this.#budget);
      this.#texts.set(memory, text);
    }
    return text;
  }
}

/**
 * A known memory that was mentioned again. A higher importance and a wish to keep it are content:
 * they make a new state, unless it has had as many as it may.
 */
export function saidAgain({ stamp }: Decision, known: Memory, draft: NewMemory): Memory {
  const strength = strengthened(known.strength, AGAIN, draft.lastSeenMs ?? stamp.nowMs);
  const source = unitedSources(known.source, draft.source);
  const importance = Math.max(known.content.importance, draft.content.importance);
  const persistent = known.persistent || draft.persistent;
  const isRaised = importance > known.content.importance || persistent !== known.persistent;
  if (!isRaised || known.version >= LIMITS.memoryRevisions) {
    return { ...known, strength, source, etagRevision: stamp.revision };
  }
  const content = { ...known.content, importance };
  return nextState(known, { content, persistent, strength, source }, stamp);
}

/** Reinforces a known memory; one of higher trust than the draft always stays as it is. */
export function placeKnown(decision: Decision, known: Memory, draft: NewMemory): Remembered {
  if (decision.rules.dedupe.keepUnchanged || known.trust > draft.trust) {
    return { memory: known, outcome: "unchanged", supersededIds: [] };
  }
  const memory = decision.overlay.put(saidAgain(decision, known, draft));
  return { memory, outcome: "reinforced", supersededIds: [] };
}
