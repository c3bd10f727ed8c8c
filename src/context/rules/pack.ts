// Packs what was found into a context: sections get their shares of the budget, what one leaves is
// for the others, and what the whole text costs is counted at the end, since nothing else holds
// under every token rule.

import type { FoundSection } from "./candidate.ts";
import { compactContext } from "./compact.ts";
import type { ContextCount } from "./count.ts";
import { type Entry, type ReadySection, readySections } from "./entries.ts";
import { Filler } from "./filler.ts";
import { type ContextRules, type LayoutStyle, layOut, type SectionText } from "./layout.ts";
import { partsOf, withoutShown } from "./parts.ts";
import { byShare, divide } from "./shares.ts";
import type { ContextCut, PackedContext } from "./types.ts";

/** The second round gives away what the conversation, with more room, made superfluous. */
const ROUNDS = 2;

/**
 * Packs a context. What is in it and what is cut are together all candidates of the sections, each
 * once. The text never costs more than the budget, but for the mark that the profile of selectools
 * leaves when nothing else fits.
 */
export async function packContext(
  found: readonly FoundSection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const sections = await readySections(found, rules.sections, { style: rules, count });
  if (rules.profile === "selectools") return await compactContext(sections, rules, count);
  return await fillContext(sections, rules, count);
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
  return {
    ...{ text, tokenCount, budgetTokens: rules.budgetTokens },
    parts: await partsOf(texts, count),
    cut: cutOf(filler, sections, texts),
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
  // What was said stands for what was remembered of it.
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
  style: LayoutStyle,
): readonly SectionText[] {
  return sections.map(({ rules }, index) => layOut(style, rules, filler.taken(index)));
}

/** The text of a context. */
function joined(texts: readonly SectionText[]): string {
  return texts.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n");
}

async function costOf(count: ContextCount, text: string): Promise<number> {
  const [cost = 0] = await count.texts([text]);
  return cost;
}

function cutOf(
  filler: Filler,
  sections: readonly ReadySection[],
  texts: readonly SectionText[],
): readonly ContextCut[] {
  const cuts = sections.flatMap(({ rules, entries }, index) => {
    const taken = new Set(filler.taken(index));
    const shown = new Set<Entry>(texts[index]?.spans.map(({ entry }) => entry));
    return entries.flatMap((entry): ContextCut[] => {
      if (shown.has(entry)) return [];
      const { ref } = entry.candidate;
      // One that was taken and is not shown stood behind the end of its section.
      const reason = taken.has(entry) ? "budget" : filler.reasonOf(index, entry);
      return [{ kind: rules.kind, ref, tokenCount: entry.tokenCount, reason }];
    });
  });
  return withoutShown(cuts, texts);
}
