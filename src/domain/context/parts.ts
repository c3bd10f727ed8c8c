// What an answer tells of the sections of a context.

import type { ContextCount } from "./count.ts";
import { itemOf } from "./entries.ts";
import type { SectionText, Span } from "./layout.ts";
import type { ContextItem, ContextPart } from "./types.ts";

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
