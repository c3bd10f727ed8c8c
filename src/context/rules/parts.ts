// The sections and cuts of a context, as an answer lists them.

import type { ContextCount } from "./count.ts";
import { itemOf } from "./entries.ts";
import type { SectionText, Span } from "./layout.ts";
import type {
  ContextCut,
  ContextCutReason,
  ContextItem,
  ContextPart,
  ContextRef,
  Entry,
  ReadySection,
} from "./types.ts";

/** Between two sections. */
export const SECTION_GAP = "\n\n";

/** The sections that hold something, with what each and each item of it costs. */
export async function partsOf(
  sections: readonly SectionText[],
  count: ContextCount,
): Promise<readonly ContextPart[]> {
  const shown = sections.filter(({ spans }) => spans.length > 0);
  const shortened = shown.flatMap((section) =>
    section.spans.flatMap((span) => {
      const text = textOf(section, span);
      return text === span.entry.line ? [] : [text];
    }),
  );
  const costs = await count.texts([...shown.map(({ text }) => text), ...shortened]);
  let next = shown.length;
  return shown.map((section, index): ContextPart => {
    const items = section.spans.map((span): ContextItem => {
      const whole = itemOf(span.entry);
      const text = textOf(section, span);
      if (text === whole.text) return whole;
      const tokenCount = costs[next] ?? 0;
      next += 1;
      return { ...whole, text, tokenCount };
    });
    const { rules, heading } = section;
    const tokenCount = rules.isApart ? costApart(section) : (costs[index] ?? 0);
    return { kind: rules.kind, heading, tokenCount, items };
  });
}

/** Tokens of the messages of a section that is not in the text. */
export function costApart({ spans }: SectionText): number {
  return Math.floor(spans.reduce((sum, { entry }) => sum + entry.cost, 0));
}

function textOf({ text }: SectionText, { start, end }: Span): string {
  return text.slice(start, end);
}

/** The text of a context. */
export function joined(texts: readonly SectionText[]): string {
  return texts.flatMap(({ text }) => (text === "" ? [] : [text])).join(SECTION_GAP);
}

/**
 * The entries that are not shown, each with its reason. A message may be found twice, in the
 * conversation and by recall: it is left out when another section shows or lists it.
 */
export function cutsOf(
  sections: readonly ReadySection[],
  texts: readonly SectionText[],
  reasonOf: (entry: Entry, section: number) => ContextCutReason,
): readonly ContextCut[] {
  const shown = new Set(texts.flatMap(({ spans }) => spans.map(({ entry }) => entry)));
  const seen = new Set([...shown].map(({ candidate }) => messageKey(candidate.ref)));
  return sections.flatMap(({ rules, entries }, index) =>
    entries.flatMap((entry): ContextCut[] => {
      if (shown.has(entry)) return [];
      const { ref } = entry.candidate;
      const key = messageKey(ref);
      if (key !== undefined && seen.has(key)) return [];
      seen.add(key);
      return [
        { kind: rules.kind, ref, tokenCount: entry.tokenCount, reason: reasonOf(entry, index) },
      ];
    }),
  );
}

function messageKey(ref: ContextRef): string | undefined {
  return ref.kind === "message" ? JSON.stringify([ref.sessionId, ref.messageId]) : undefined;
}
