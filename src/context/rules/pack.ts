// Packs what was found into a context: sections get their shares of the budget, what one leaves is
// for the others, and what the whole text costs is counted at the end, since nothing else holds
// under every token rule.

import { contextBudgetTooSmall, formTooLarge } from "../../kit/errors.ts";
import { callText, type Written, writeBlocks } from "./blocks.ts";
import type { ContextCount } from "./count.ts";
import { ANSWER_BYTES, readySections } from "./entries.ts";
import { Filler, isFixed } from "./filler.ts";
import { layOut, type SectionText } from "./layout.ts";
import { costApart, cutsOf, partsOf } from "./parts.ts";
import type {
  BlockRules,
  ContextPlace,
  ContextRules,
  Entry,
  FoundSection,
  PackedBlock,
  PackedContext,
  PromptRules,
  ReadySection,
} from "./types.ts";

/** The second round gives away what the conversation, with more room, made superfluous. */
const ROUNDS = 2;

/**
 * Packs a context. What is in it and what is cut are together all candidates of the sections, each
 * once. The text never costs more than the budget, except for the mark that a profile with its own
 * packing may leave when nothing else fits; with messages that stand apart, all together never do.
 * Throws CONTEXT_BUDGET_TOO_SMALL and WINDOW_FULL, when those that are always included do not fit.
 */
export async function packContext(
  found: readonly FoundSection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const inPrompt = rules.prompt !== undefined;
  const sections = await readySections(found, rules.sections, { style: rules, count, inPrompt });
  return await (rules.profile.pack ?? fillContext)(sections, rules, count);
}

async function fillContext(
  sections: readonly ReadySection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const { budgetTokens } = rules;
  const filler = new Filler(sections, rules, count);
  fillApart(filler, sections, budgetTokens);
  fillByShares(filler, sections, budgetTokens - count.base);
  const packing = await fitting(filler, sections, rules, count);
  const { texts, text, tokenCount, messages, blocks } = packing;
  const taken = sections.map((_, index) => new Set(filler.taken(index)));
  return {
    text,
    tokenCount,
    budgetTokens,
    messages,
    blocks,
    parts: await partsOf(texts, count),
    cut: cutsOf(sections, texts, (entry, index) =>
      // One that was taken and is not shown stood behind the end of its section.
      taken[index]?.has(entry) ? "budget" : filler.reasonOf(index, entry),
    ),
  };
}

/** The content of a filler as an answer. */
interface Packing {
  readonly texts: readonly SectionText[];
  readonly text: string;
  readonly blocks: readonly PackedBlock[];
  readonly messages: readonly Uint8Array[];
  /** Of the text, the blocks, the messages and what a form adds to them. */
  readonly tokenCount: number;
}

/**
 * Takes entries back until every block is within its maximum, and all within the budget. Throws
 * when only messages are left that are always included.
 */
async function fitting(
  filler: Filler,
  sections: readonly ReadySection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<Packing> {
  const { budgetTokens, prompt } = rules;
  let packing = await packingOf(filler, sections, rules, count);
  let least = 1;
  let last: BlockRules | undefined;
  for (;;) {
    const full = packing.blocks.find((one) => one.tokenCount > one.rules.maxTokens);
    const block = full?.rules;
    const over =
      full === undefined
        ? packing.tokenCount - budgetTokens
        : full.tokenCount - full.rules.maxTokens;
    if (over <= 0) return packing;
    least = block === last ? least : 1;
    last = block;
    if (!filler.takeBack(over, least, block)) {
      if (prompt === undefined) return packing;
      throw contextBudgetTooSmall(packing.tokenCount, budgetTokens);
    }
    least *= 2;
    packing = await packingOf(filler, sections, rules, count);
  }
}

async function packingOf(
  filler: Filler,
  sections: readonly ReadySection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<Packing> {
  const laid = sections.map((one, index) => layOut(rules, one.rules, filler.taken(index)));
  const written = writeBlocks(laid, rules.blocks);
  const { texts, text } = written;
  const { prompt } = rules;
  const messages = prompt === undefined ? [] : promptOf(written, prompt);
  const ofBlocks = written.blocks.flatMap((one) => [one.text, callText(one)]);
  const costs = await count.texts([...ofBlocks, text, ...(prompt?.addedTo(messages) ?? [])]);
  const blocks = written.blocks.map((one, index): PackedBlock => {
    return { ...one, tokenCount: (costs[2 * index] ?? 0) + (costs[2 * index + 1] ?? 0) };
  });
  const apart = texts.reduce((sum, one) => sum + (one.rules.isApart ? costApart(one) : 0), 0);
  const tokenCount = costs.reduce((sum, one) => sum + one, apart);
  return { texts, text, blocks, messages, tokenCount };
}

/** The messages that stand apart, with the texts in their places among them. */
function promptOf(
  { texts, text, blocks }: Written,
  { messagesOf }: PromptRules,
): readonly Uint8Array[] {
  const all = texts.flatMap(({ spans }) =>
    spans.flatMap(({ entry }) => entry.candidate.apart ?? []),
  );
  const messages = all.map(({ bytes }) => bytes);
  const inPlace = (place: ContextPlace): readonly Uint8Array[] =>
    blocks.flatMap((one) =>
      one.rules.place === place && one.text !== "" ? messagesOf(one.text, one.rules) : [],
    );
  const plain = text === "" ? [] : messagesOf(text, undefined);
  // The part that stays the same from call to call comes first: caches of prompts keep it.
  const question = all.findIndex(({ role }) => role === "newest-user");
  const first = all.findIndex(({ role }) => role !== "system");
  const start = first >= 0 ? first : all.length;
  const at = question >= 0 ? question : start;
  return [
    ...messages.slice(0, start),
    ...inPlace("system"),
    ...messages.slice(start, at),
    ...[...inPlace("tool-result"), ...plain, ...inPlace("user-message")],
    ...messages.slice(at),
  ];
}

/**
 * Takes the messages that stand apart: those that are always included, then as many as the claim of
 * their section has room for. Throws when the first do not fit.
 */
function fillApart(filler: Filler, sections: readonly ReadySection[], budget: number): void {
  for (const [index, { rules, entries }] of sections.entries()) {
    if (!rules.isApart) continue;
    const fixed = entries.filter(isFixed);
    filler.fill(index, budget, isFixed);
    if (filler.taken(index).length < fixed.length) {
      const cost = Math.ceil(fixed.reduce((sum, entry) => sum + entry.cost, 0));
      if (cost > budget) throw contextBudgetTooSmall(cost, budget);
      const bytes = fixed.reduce((sum, entry) => sum + entry.bytes, 0);
      throw formTooLarge(bytes, ANSWER_BYTES);
    }
    filler.fill(index, rules.firstShare * budget);
  }
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
