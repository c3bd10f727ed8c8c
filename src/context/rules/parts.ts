// What an answer tells of the sections of a context.

import type { ContextCount } from "./count.ts";
import { itemOf } from "./entries.ts";
import type { SectionText, Span } from "./layout.ts";
import type { ContextCut, ContextItem, ContextPart, ContextRef } from "./types.ts";

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
    return { kind: rules.kind, heading, tokenCount: costs[index] ?? 0, items };
  });
}

function textOf({ text }: SectionText, { start, end }: Span): string {
  return text.slice(start, end);
}

/**
 * Cuts without the messages that stand in another section, and without those that are told of in an
 * earlier one: a message may be found twice, in the conversation and by recall.
 */
export function withoutShown(
  cuts: readonly ContextCut[],
  texts: readonly SectionText[],
): readonly ContextCut[] {
  const seen = new Set<string>();
  for (const { spans } of texts) {
    for (const { entry } of spans) {
      const key = messageKey(entry.candidate.ref);
      if (key !== undefined) seen.add(key);
    }
  }
  return cuts.filter(({ ref }) => {
    const key = messageKey(ref);
    if (key === undefined) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function messageKey(ref: ContextRef): string | undefined {
  return ref.kind === "message" ? JSON.stringify([ref.sessionId, ref.messageId]) : undefined;
}
