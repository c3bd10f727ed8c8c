// Packing of the unified memory of selectools: everything first, and over the budget the older half
// of the conversation becomes a mark, again and again; then episodes go, then entities; then the
// text is cut.

import type { ContextCount } from "../../context/rules/count.ts";
import { ANSWER_BYTES } from "../../context/rules/entries.ts";
import { FENCE_CLOSE } from "../../context/rules/fence.ts";
import { endOfChars, layOut, type SectionText } from "../../context/rules/layout.ts";
import { cutsOf, joined, partsOf, SECTION_GAP } from "../../context/rules/parts.ts";
import type {
  ContextRules,
  ContextSectionKind,
  Entry,
  PackedContext,
  ReadySection,
} from "../../context/rules/types.ts";
import { codePointsOf } from "../../window/policy/tokens.ts";

const TEXT_CUT = "\n[... context truncated ...]";
const KEPT_SHARE = 0.9;
const RECENT_MIN = 2;
const DROPPED: readonly ContextSectionKind[] = ["episodes", "entities"];

/** The entries of each section that stand in a text. */
interface Draft {
  readonly entries: readonly (readonly Entry[])[];
  /** Number of older messages that a mark replaces. */
  readonly compacted: number;
}

/** Packs sections as selectools does. */
export async function compactContext(
  sections: readonly ReadySection[],
  rules: ContextRules,
  count: ContextCount,
): Promise<PackedContext> {
  const strong = sections.map((section) => ({
    ...section,
    entries: section.entries.filter(({ reason }) => reason === undefined),
  }));
  const limited = strong.map(({ rules: own, entries }) => entries.slice(0, own.limit));
  const costOf = async (text: string): Promise<number> => (await count.texts([text]))[0] ?? 0;
  // A text that no answer holds is cut as one that is too dear.
  const isTooMuch = (cost: number, text: string): boolean =>
    cost > rules.budgetTokens || 2 * Buffer.byteLength(text) > ANSWER_BYTES;
  let draft: Draft = { entries: limited, compacted: 0 };
  let texts = layAll(sections, rules, draft);
  let tokenCount = await costOf(joined(texts));
  for (const next of drafts(sections, draft)) {
    if (!isTooMuch(tokenCount, joined(texts))) break;
    draft = next;
    texts = layAll(sections, rules, draft);
    tokenCount = await costOf(joined(texts));
  }
  let text = joined(texts);
  if (isTooMuch(tokenCount, text)) {
    const fits = async (one: string): Promise<boolean> => !isTooMuch(await costOf(one), one);
    const hard = await cutHard(texts, fits);
    ({ text, texts } = hard);
    tokenCount = await costOf(text);
  }
  const kept = new Set(draft.entries.flat());
  const within = new Set(limited.flat());
  return {
    text,
    tokenCount,
    budgetTokens: rules.budgetTokens,
    messages: [],
    blocks: [],
    parts: await partsOf(texts, count),
    cut: cutsOf(sections, texts, (entry) => {
      if (kept.has(entry)) return "budget";
      return within.has(entry) ? "compacted" : (entry.reason ?? "limit");
    }),
  };
}

/** The shorter and shorter forms of a context. */
function* drafts(sections: readonly ReadySection[], whole: Draft): Generator<Draft> {
  const talk = sections.findIndex(({ rules }) => rules.kind === "conversation");
  const messages = whole.entries[talk] ?? [];
  let draft = whole;
  for (let recent = messages.length; recent > RECENT_MIN; ) {
    recent = Math.max(RECENT_MIN, Math.floor(recent / 2));
    // The newest ones come first.
    const entries = whole.entries.with(talk, messages.slice(0, recent));
    draft = { entries, compacted: messages.length - recent };
    yield draft;
  }
  for (const kind of DROPPED) {
    const index = sections.findIndex(({ rules }) => rules.kind === kind);
    if (index < 0 || draft.entries[index]?.length === 0) continue;
    draft = { ...draft, entries: draft.entries.with(index, []) };
    yield draft;
  }
}

function layAll(
  sections: readonly ReadySection[],
  rules: ContextRules,
  { entries, compacted }: Draft,
): readonly SectionText[] {
  return sections.map(({ rules: own }, index) => {
    const isTalk = own.kind === "conversation" && compacted > 0;
    const before = isTalk ? `[... ${compacted} earlier messages compacted ...]` : "";
    return layOut(rules, own, entries[index] ?? [], before);
  });
}

/** Cuts a tenth of a text off, again and again, until it fits with a mark behind it. */
async function cutHard(
  texts: readonly SectionText[],
  fits: (text: string) => Promise<boolean>,
): Promise<{ readonly text: string; readonly texts: readonly SectionText[] }> {
  let kept = joined(texts);
  for (;;) {
    const { text, end } = closed(texts, kept);
    if (kept === "" || (await fits(text))) return { text, texts: shownUpTo(texts, end) };
    const chars = codePointsOf(kept);
    kept = kept.slice(0, endOfChars(kept, Math.max(0, Math.trunc(KEPT_SHARE * chars) - 1)));
  }
}

/** A text that was cut, with the mark, and with every mark of data closed. */
function closed(
  texts: readonly SectionText[],
  kept: string,
): { readonly text: string; readonly end: number } {
  let start = 0;
  for (const { text, fenced } of texts) {
    if (text === "") continue;
    const at = {
      open: start,
      first: start + (fenced?.start ?? 0),
      last: start + (fenced?.end ?? 0),
    };
    const isCutInside = kept.length < at.last + FENCE_CLOSE.length + 1;
    if (fenced !== undefined && kept.length > at.open && isCutInside) {
      if (kept.length <= at.first)
        return { text: marked(kept.slice(0, at.open).trimEnd()), end: at.open };
      const end = Math.min(kept.length, at.last);
      return { text: `${marked(kept.slice(0, end))}\n${FENCE_CLOSE}`, end };
    }
    start += text.length + SECTION_GAP.length;
  }
  return { text: marked(kept), end: kept.length };
}

function marked(kept: string): string {
  return kept === "" ? TEXT_CUT.trimStart() : kept + TEXT_CUT;
}

/** The sections with what stands before a place in their text. */
function shownUpTo(texts: readonly SectionText[], end: number): readonly SectionText[] {
  let start = 0;
  return texts.map((section) => {
    const left = Math.max(0, end - start);
    if (section.text !== "") start += section.text.length + SECTION_GAP.length;
    if (left >= section.text.length) return section;
    const spans = section.spans
      .filter((span) => span.start < left)
      .map((span) => ({ ...span, end: Math.min(span.end, left) }));
    return { ...section, text: section.text.slice(0, left), spans };
  });
}
