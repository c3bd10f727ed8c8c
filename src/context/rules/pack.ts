// Packs what was found into a context: sections get their shares of the budget, what one leaves is
// for the others, and what the whole text costs is counted at the end, since nothing else holds
// under every token rule.

import type { ContextCount } from "./count.ts";
import { readySections } from "./entries.ts";
import { Filler } from "./filler.ts";
import { layOut, type SectionText } from "./layout.ts";
import { cutsOf, joined, partsOf } from "./parts.ts";
import type {
  ContextRules,
  ContextStyle,
  Entry,
  FoundSection,
  PackedContext,
  ReadySection,
} from "./types.ts";

/** The second round gives away what the conversation, with more room, made superfluous. */
const ROUNDS = 2;

/**
 * Packs a context. What is in it and what is cut are together all candidates of the sections, each
 * once. The text never costs more than the budget, except for the mark that a profile with its own
 * packing may leave when nothing else fits.
 */
export async function packContext(
  found: readonly FoundSection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const sections = await readySections(found, rules.sections, { style: rules, count });
  return await (rules.profile.pack ?? fillContext)(sections, rules, count);
}

async function fillContext(
  sections: readonly ReadySection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const filler = new Filler(sections, rules, count);
  fillByShares(filler, sections, rules.budgetTokens - count.base);
  let texts = textsOf(filler, sections, rules);
  let text = joined(texts);
  let tokenCount = await costOf(count, text);
  for (let least = 1; tokenCount > rules.budgetTokens; least *= 2) {
    if (!filler.takeBack(tokenCount - rules.budgetTokens, least)) break;
    texts = textsOf(filler, sections, rules);
    text = joined(texts);
    tokenCount = await costOf(count, text);
  }
  const taken = sections.map((_, index) => new Set(filler.taken(index)));
  return {
    text,
    tokenCount,
    budgetTokens: rules.budgetTokens,
    parts: await partsOf(texts, count),
    cut: cutsOf(sections, texts, (entry, index) =>
      // One that was taken and is not shown stood behind the end of its section.
      taken[index]?.has(entry) ? "budget" : filler.reasonOf(index, entry),
    ),
  };
}

function fillByShares(filler: Filler, sections: readonly ReadySection[], budget: number): void {
  const shares = sections.map(({ rules }) => rules.share);
  const order = sections.map((_, index) => index);
  const used = (): number => order.reduce((sum, index) => sum + filler.used(index), 0);
  for (const index of order) {
    const room = (sections[index]?.rules.firstShare ?? 0) * budget;
    filler.fill(index, Math.min(room, budget - used()), isFitting);
  }
  const wants = filler.wants().map((cost, index) => ({ cost, share: shares[index] ?? 0 }));
  const given = divide(wants, budget - used());
  const isTalk = (index: number): boolean => sections[index]?.rules.kind === "conversation";
  // A message in the conversation stands for the memories made of it.
  for (const index of [...order.filter(isTalk), ...order.filter((one) => !isTalk(one))]) {
    filler.fill(index, filler.used(index) + (given[index] ?? 0));
  }
  for (let round = 0; round < ROUNDS; round++) {
    let left = budget - used();
    for (const index of byShare(shares)) {
      const before = filler.used(index);
      filler.fill(index, before + left);
      left -= filler.used(index) - before;
    }
    filler.dropRepeated();
  }
}

function isFitting({ candidate }: Entry): boolean {
  return candidate.isFitting === true;
}

function textsOf(
  filler: Filler,
  sections: readonly ReadySection[],
  style: ContextStyle,
): readonly SectionText[] {
  return sections.map(({ rules }, index) => layOut(style, rules, filler.taken(index)));
}

async function costOf(count: ContextCount, text: string): Promise<number> {
  const [cost = 0] = await count.texts([text]);
  return cost;
}

/** A section's claim on the budget. */
interface Want {
  readonly share: number;
  /** Tokens of all its entries. */
  readonly cost: number;
}

/** The order in which sections get what others leave: the highest share first. */
function byShare(shares: readonly number[]): readonly number[] {
  const order = shares.map((_, index) => index);
  return order.sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
}

/**
 * Says how much of a budget each section may take. Shares are scaled down when they are more than 1
 * together. What a section leaves of its share, and what no share names, goes to the others, those
 * with the highest shares first. Never more than the budget in all.
 */
function divide(wants: readonly Want[], budget: number): readonly number[] {
  const total = wants.reduce((sum, { share }) => sum + share, 0);
  const scale = total > 1 ? 1 / total : 1;
  const room = Math.max(0, budget);
  const given = wants.map(({ share, cost }) => Math.min(cost, share * scale * room));
  let left = room - given.reduce((sum, one) => sum + one, 0);
  for (const index of byShare(wants.map(({ share }) => share))) {
    const more = Math.min((wants[index]?.cost ?? 0) - (given[index] ?? 0), left);
    if (more <= 0) continue;
    given[index] = (given[index] ?? 0) + more;
    left -= more;
  }
  return given;
}
