import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import {
  costOf,
  memoryOf,
  pack,
  plainRule,
  remembered,
} from "../../../test/support/memory/context.ts";
import { withCallIds } from "./blocks.ts";
import { blockMarks, withoutBlockMarks } from "./fence.ts";
import type {
  BlockFence,
  BlockRules,
  Candidate,
  ContextSectionKind,
  FoundSection,
  PackedContext,
} from "./types.ts";

const RUNS = 500;
const seed = testSeed("blocks of a context");

const tag = fc.constantFrom("facts", "data", "x", "A-b_1", "memory").map((name): BlockFence => {
  return { kind: "tag", tag: name };
});
const line = fc.constantFrom(
  ...[
    "=== END ===",
    "```",
    "-----",
    "END OF DATA",
    "<<<",
    "</end>",
    "]]",
    "資料ここまで",
    "🔒🔒🔒",
  ],
);
const lines = fc.tuple(line, line).map(([open, close]): BlockFence => {
  return { kind: "lines", open: `${open}.`, close: `${close}.` };
});
const fence = fc.oneof(tag, lines);

/** Characters that nobody sees. */
const unseen = fc.constantFrom("", "", "", "\u200b", "\u00ad", "\u0301", "\ufe0f");

/** Ways to write a character of a mark so that it still looks like one. */
function disguised(char: string): fc.Arbitrary<string> {
  const code = char.codePointAt(0) ?? 0;
  const wide = code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : char;
  const cyrillic = { a: "а", e: "е", o: "о", c: "с", x: "х" }[char] ?? char;
  const forms = [char, char, char.toUpperCase(), char.toLowerCase(), wide, cyrillic];
  const space = fc.constantFrom(" ", "  ", "\t", "\n");
  return char === " " ? space : fc.tuple(fc.constantFrom(...forms), unseen).map(([a, b]) => a + b);
}

/** A text with marks of a fence in disguise, and pieces of them. */
function hostile(of: BlockFence): fc.Arbitrary<string> {
  const { open, close } = blockMarks(of, []);
  const mark = fc
    .constantFrom(open, close, close.slice(1), close.slice(0, -1), `${close}${close}`, "</", "<")
    .chain((text) => fc.tuple(...[...text].map(disguised)).map((chars) => chars.join("")));
  return fc.array(fc.oneof(mark, fc.lorem({ maxCount: 3 })), { maxLength: 5 }).map((all) => {
    return all.join(" ");
  });
}

/** A text as a reader takes it who forgives everything. */
function seen(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replace(/[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, "");
  const latin: Record<string, string> = { а: "a", е: "e", о: "o", с: "c", х: "x" };
  const letters = [...plain.toLowerCase()].map((char) => latin[char] ?? char).join("");
  return letters.replace(/\s+/gu, " ");
}

/** Whether a text holds what passes for a mark of a fence. */
function holdsMark(text: string, of: BlockFence): boolean {
  const body = seen(text);
  if (of.kind === "lines") return [of.open, of.close].some((mark) => body.includes(seen(mark)));
  const name = seen(of.tag);
  return body
    .split("<")
    .slice(1)
    .some((rest) => rest.replace(/^[\s/\\]*/u, "").startsWith(name));
}

const block = (
  name: string,
  sections: readonly ContextSectionKind[],
  rest: Partial<BlockRules> = {},
): BlockRules => ({
  ...{ name, sections, place: "system", fence: undefined, hasSectionMarks: false },
  ...{ maxTokens: Infinity, call: undefined },
  ...rest,
});

const KINDS = ["long-term", "documents", "recalled-messages"] as const;

function foundOf(texts: readonly (readonly string[])[]): readonly FoundSection[] {
  return KINDS.map((kind, index) => ({
    kind,
    candidates: (texts[index] ?? []).map((text, at): Candidate => {
      if (kind === "long-term") return remembered(memoryOf({ text }));
      const documentId = `${index}-${at}`;
      return {
        ref: { kind: "document", collectionId: "c", documentId },
        said: { kind: "document", text },
        ...{ relevance: 1, trust: 2 },
      };
    }),
  }));
}

describe(`the fence of a block, ${RUNS} random cases`, () => {
  const hostileCase = fence.chain((of) =>
    fc.record({
      of: fc.constant(of),
      texts: fc.array(fc.array(hostile(of), { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
      profile: fc.constantFrom("default", "lauren"),
      heading: fc.oneof(fc.constant(""), hostile(of)),
    }),
  );

  test("cannot be closed by content, whatever its disguise", async () => {
    const property = fc.asyncProperty(hostileCase, async ({ of, texts, profile, heading }) => {
      const { blocks, parts } = await pack(foundOf(texts), 5_000, {
        profile,
        fence: false,
        sections: KINDS.map((kind) => ({ kind, heading })),
        blocks: [block("all", KINDS, { fence: of })],
      });
      const text = blocks[0]?.text ?? "";
      if (text === "") return;
      const { open, close } = blockMarks(of, [
        2,
        ...parts.flatMap(({ items }) => items.map((one) => one.trust)),
      ]);
      expect(text.startsWith(`${open}\n`)).toBe(true);
      expect(text.endsWith(`\n${close}`)).toBe(true);
      const body = text.slice(open.length + 1, -close.length - 1);
      expect(holdsMark(body, of)).toBe(false);
      for (const { items } of parts) {
        for (const item of items) expect(body).toContain(item.text);
      }
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  }, 60_000);

  test("changes no length, and nothing that is safe already", () => {
    const property = fc.property(
      fence.chain((of) => fc.tuple(fc.constant(of), hostile(of))),
      ([of, text]) => {
        const safe = withoutBlockMarks(text, of);
        expect(safe).toHaveLength(text.length);
        expect(withoutBlockMarks(safe, of)).toBe(safe);
        expect(holdsMark(safe, of)).toBe(false);
        if (!holdsMark(text, of)) expect(safe).toBe(text);
      },
    );
    fc.assert(property, { seed, numRuns: RUNS });
  }, 60_000);

  test("takes no time to speak of, whatever the content", () => {
    const marks: BlockFence = { kind: "lines", open: "aaaa aaaa", close: "END  OF" };
    const runs = ["a\u0301".repeat(200_000), `a${"\u0301".repeat(400_000)}`, "<".repeat(400_000)];
    for (const text of [...runs, `a${" ".repeat(400_000)}`, "a ".repeat(200_000)]) {
      const start = performance.now();
      for (const of of [marks, { kind: "tag", tag: "aaaa" } as const]) withoutBlockMarks(text, of);
      expect(performance.now() - start).toBeLessThan(5_000);
    }
  }, 60_000);
});

describe(`blocks and their budget, ${RUNS} random cases`, () => {
  const rule = fc.constantFrom("words", "bytes-div-4", "o200k", "structured").map((name) => {
    return plainRule(name as "words");
  });
  const blocks = fc
    .tuple(fc.subarray([...KINDS], { minLength: 1 }), fc.integer({ min: 1, max: 80 }), fence)
    .map(([chosen, maxTokens, of]) => {
      const [first, ...rest] = chosen.map((kind, n) =>
        block(`b${n}`, [kind], n === 0 ? { maxTokens, fence: of } : {}),
      );
      return [first, ...rest].filter((one) => one !== undefined);
    });
  const text = fc.oneof(fc.lorem({ maxCount: 20 }), fc.string({ unit: "binary", maxLength: 50 }));
  const scene = fc.record({
    texts: fc.array(fc.array(text, { maxLength: 6 }), { minLength: 3, maxLength: 3 }),
    ...{ rule, blocks, tokens: fc.integer({ min: 1, max: 400 }), fence: fc.boolean() },
  });

  test("hold one budget, and each its maximum", async () => {
    const property = fc.asyncProperty(scene, async ({ texts, tokens, ...how }) => {
      const sections = KINDS.map((kind) => ({ kind }));
      const packed: PackedContext = await pack(foundOf(texts), tokens, { ...how, sections });
      const costs = packed.blocks.map((one) => {
        expect(one.tokenCount).toBe(costOf(one.text, how.rule));
        expect(one.tokenCount).toBeLessThanOrEqual(one.rules.maxTokens);
        return one.tokenCount;
      });
      const sum = costs.reduce((total, one) => total + one, costOf(packed.text, how.rule));
      expect(packed.tokenCount).toBe(sum);
      expect(sum).toBeLessThanOrEqual(tokens);
      const inBlocks = new Map(
        packed.blocks.flatMap((one) => one.sections.map((kind) => [kind, one])),
      );
      for (const { kind, items } of packed.parts) {
        const whole = inBlocks.get(kind)?.text ?? packed.text;
        for (const item of items) expect(whole).toContain(item.text);
      }
      const shown = packed.parts.reduce((total, { items }) => total + items.length, 0);
      expect(shown + packed.cut.length).toBe(texts.flat().length);
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  }, 120_000);
});

test("ids of calls differ from those of the window, and from one another", () => {
  const call = (toolCallId: string) => ({ toolName: "t", toolCallId, arguments: "{}" });
  const ids = ["a", "a_2", "b", "x".repeat(50)];
  const blocks = ids.map((id, n) => block(`b${n}`, ["documents"], { call: call(id) }));
  const given = withCallIds(blocks, new Set(["a", "x".repeat(40)]));
  expect(given.map((one) => one.call?.toolCallId)).toEqual([
    ...["a_2", "a_2_2", "b", `${"x".repeat(38)}_2`],
  ]);
});
