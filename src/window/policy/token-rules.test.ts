import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../kit/limits.ts";
import { type CustomTokenRule, DEFAULT_POLICY, type TokenRule } from "./policy.ts";
import {
  type CountedContent,
  type CountedRule,
  countedRule,
  countedTexts,
  countPlainText,
  countTokens,
  isExact,
  isSameRule,
  withImages,
} from "./token-rules.ts";

const CUSTOM: CustomTokenRule = {
  charsPerToken: 3,
  rounding: "up",
  perMessage: 4,
  perCall: 5,
  min: 0,
  contentOnly: false,
};

function ruleOf(rule: TokenRule, custom?: CustomTokenRule, imageTokenCount = 800): CountedRule {
  return { rule, imageTokenCount, custom };
}

function contentOf(parts: Partial<CountedContent>): CountedContent {
  return { content: [], calls: [], name: "", hasCallId: false, imageCount: 0, ...parts };
}

const counted = (parts: Partial<CountedContent>, rule: CountedRule) =>
  countTokens(contentOf(parts), rule);

describe("what a text costs", () => {
  test.each<[TokenRule, string, number]>([
    ["bytes-div-4", "", 0],
    ["bytes-div-4", "abcde", 2],
    ["bytes-div-4", "äöü", 2],
    ["given", "abcde", 2],
    ["chars-div-4", "äöüß", 1],
    ["chars-div-4", "😀😀😀😀😀", 2],
    ["chars-floor-4", "abc", 0],
    ["chars-floor-4", "😀😀😀😀😀😀😀", 1],
    ["chars-floor-4-min-1", "", 0],
    ["chars-floor-4-min-1", "a", 1],
    ["chars-floor-4-min-1", "abcdefghijk", 2],
    ["chars-sum-4", "", 0],
    ["chars-sum-4", "abcde", 1.25],
    ["chars-sum-4", "😀😀😀", 0.75],
    ["structured", "", 3],
    ["structured", "abcdefg", 4],
    ["words", "", 0],
    ["words", " \t\u3000", 0],
    ["words", " two\u00a0words ", 2],
    ["words", "😀 b-c.d\n\u2003e", 3],
  ])("under %s, of %j, is %d", (rule, text, tokens) => {
    expect(counted({ content: [text] }, ruleOf(rule))).toBe(tokens);
  });
});

describe("texts of one message", () => {
  const content = ["abc", "de", "f"];
  test.each<[TokenRule, number]>([
    ["bytes-div-4", 2],
    ["chars-div-4", 2],
    ["chars-floor-4", 1],
    ["chars-floor-4-min-1", 1],
    ["chars-sum-4", 1.5],
    ["structured", 3],
    ["words", 3],
  ])("are counted under %s as %d", (rule, tokens) => {
    expect(counted({ content }, ruleOf(rule))).toBe(tokens);
  });

  test("are rounded one by one under structured, as sources with typed parts do", () => {
    expect(counted({ content: ["abcdefg", "abcdefg"] }, ruleOf("structured"))).toBe(5);
  });
});

describe("calls, names and images", () => {
  const calls = [{ name: "search", body: '{"q":"cats"}' }];
  test.each<[TokenRule, number]>([
    ["bytes-div-4", 5],
    ["chars-div-4", 5],
    ["chars-floor-4", 0],
    ["chars-floor-4-min-1", 0],
    ["chars-sum-4", 0],
    ["structured", 12],
    ["words", 2],
  ])("a call alone costs %s tokens", (rule, tokens) => {
    expect(counted({ calls }, ruleOf(rule))).toBe(tokens);
  });

  test("structured rounds the sum of the calls, and the name apart", () => {
    const two = [...calls, ...calls];
    expect(counted({ calls: two, name: "ab" }, ruleOf("structured"))).toBe(3 + 19);
    expect(counted({ calls, name: "abcdef" }, ruleOf("structured"))).toBe(3 + 9 + 1);
  });

  test("structured adds ten for a call id of the message's own", () => {
    const result = { content: ["result text"], name: "search", hasCallId: true };
    expect(counted(result, ruleOf("structured"))).toBe(16);
  });

  test.each<TokenRule>([
    "bytes-div-4",
    "chars-div-4",
    "chars-floor-4",
    "chars-floor-4-min-1",
    "chars-sum-4",
    "structured",
    "custom",
    "words",
  ])("images cost what the policy says under %s", (rule) => {
    const custom = rule === "custom" ? CUSTOM : undefined;
    const without = counted({ content: ["look at this"] }, ruleOf(rule, custom));
    const parts = { content: ["look at this"], imageCount: 2 };
    expect(counted(parts, ruleOf(rule, custom, 0))).toBe(without);
    expect(counted(parts, ruleOf(rule, custom, 85))).toBe(without + 170);
  });

  test("never cost more than any message may", () => {
    const rule = ruleOf("chars-floor-4", undefined, LIMITS.imageTokenCount);
    expect(counted({ imageCount: 16_384 }, rule)).toBe(LIMITS.countedTokens);
    expect(withImages(7, 16_384, rule)).toBe(LIMITS.countedTokens);
    expect(withImages(7, 2, ruleOf("o200k", undefined, 10))).toBe(27);
  });
});

describe("a custom rule", () => {
  const calls = [
    { name: "ab", body: "cd" },
    { name: "", body: "efg" },
  ];
  test.each<[string, Partial<CustomTokenRule>, number]>([
    ["counts everything, rounded up", {}, 4 + 4 + 10],
    ["rounds down", { rounding: "down" }, 3 + 4 + 10],
    ["leaves out calls, but for each one's price", { contentOnly: true }, 2 + 4 + 10],
    ["has no less than its least", { min: 40 }, 40],
    ["divides by fractions", { charsPerToken: 0.25 }, 44 + 4 + 10],
  ])("%s", (_name, parts, tokens) => {
    const rule = ruleOf("custom", { ...CUSTOM, ...parts });
    expect(counted({ content: ["1234"], calls }, rule)).toBe(tokens);
  });

  test("holds its least for the whole, images included", () => {
    const rule = ruleOf("custom", { ...CUSTOM, min: 300 }, 100);
    expect(counted({ content: ["abc"], imageCount: 2 }, rule)).toBe(300);
    expect(counted({ content: ["abc"], imageCount: 3 }, rule)).toBe(305);
  });
});

// Slow and plain: everything is turned into one list of characters.
function naive({ content, calls, name, hasCallId, imageCount }: CountedContent, rule: CountedRule) {
  const chars = (texts: readonly string[]) => [...texts.join("")].length;
  const ofCalls = calls.flatMap((call) => [call.name, call.body]);
  const all = [...content, ...ofCalls];
  const images = imageCount * rule.imageTokenCount;
  switch (rule.rule) {
    case "chars-div-4":
      return Math.ceil(chars(all) / 4) + images;
    case "chars-floor-4":
      return Math.floor(chars(content) / 4) + images;
    case "chars-floor-4-min-1":
      return (chars(content) > 0 ? Math.max(1, Math.floor(chars(content) / 4)) : 0) + images;
    case "chars-sum-4":
      return chars(content) / 4 + images;
    case "structured": {
      const texts = content.reduce((sum, text) => sum + Math.floor([...text].length / 4), 0);
      const called = Math.floor(calls.length * 5 + chars(ofCalls) / 4);
      return Math.floor(3 + texts + called + chars([name]) / 4 + (hasCallId ? 10 : 0) + images);
    }
    case "custom": {
      const { charsPerToken, rounding, perMessage, perCall, min, contentOnly } =
        rule.custom ?? CUSTOM;
      const quotient = chars(contentOnly ? content : all) / charsPerToken;
      const rounded = rounding === "up" ? Math.ceil(quotient) : Math.floor(quotient);
      return Math.max(min, rounded + perMessage + perCall * calls.length + images);
    }
    case "words":
      return all.flatMap((one) => one.split(/\s+/u).filter((word) => word !== "")).length + images;
    default:
      return Math.ceil(new TextEncoder().encode(all.join("")).length / 4) + images;
  }
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom("a", "é", " ", "\n", "\u2003", "\ufeff"), maxLength: 20 }),
);
const anyContent: fc.Arbitrary<CountedContent> = fc.record({
  content: fc.array(text, { maxLength: 4 }),
  calls: fc.array(fc.record({ name: text, body: text }), { maxLength: 3 }),
  name: text,
  hasCallId: fc.boolean(),
  imageCount: fc.nat(3),
});
const anyCustom: fc.Arbitrary<CustomTokenRule> = fc.record({
  charsPerToken: fc.double({ min: 0.25, max: 100, noNaN: true }),
  rounding: fc.constantFrom("up" as const, "down" as const),
  perMessage: fc.nat(20),
  perCall: fc.nat(20),
  min: fc.nat(50),
  contentOnly: fc.boolean(),
});
const PLAIN = [
  "bytes-div-4",
  "chars-div-4",
  "given",
  "chars-floor-4",
  "chars-floor-4-min-1",
  "chars-sum-4",
  "structured",
  "words",
] as const;
const anyRule: fc.Arbitrary<CountedRule> = fc.oneof(
  fc.record({
    rule: fc.constantFrom(...PLAIN),
    imageTokenCount: fc.nat(1_000),
    custom: fc.constant(undefined),
  }),
  fc.record({
    rule: fc.constant("custom" as const),
    imageTokenCount: fc.nat(9),
    custom: anyCustom,
  }),
);

test("every rule counts as its definition says, in quarters at the finest", () => {
  const property = fc.property(anyContent, anyRule, (content, rule) => {
    const tokens = countTokens(content, rule);
    expect(tokens).toBe(naive(content, rule));
    expect(Number.isInteger(tokens * (rule.rule === "chars-sum-4" ? 4 : 1))).toBe(true);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("a text of the server's own costs what its message would, rounded down", () => {
  const property = fc.property(text, anyRule, (own, rule) => {
    const content = own === "" ? [] : [own];
    expect(countPlainText(own, rule)).toBe(Math.floor(naive(contentOf({ content }), rule)));
  });
  fc.assert(property, { numRuns: 500 });
});

describe("the rule of a policy", () => {
  test("is the same object for the same policy", () => {
    const policy = { ...DEFAULT_POLICY, imageTokenCount: 5 };
    expect(countedRule(policy)).toEqual({
      rule: "bytes-div-4",
      imageTokenCount: 5,
      custom: undefined,
    });
    expect(countedRule(policy)).toBe(countedRule(policy));
  });

  test("is that of the model when the policy asks for it", () => {
    const of = (model: string) =>
      countedRule({ ...DEFAULT_POLICY, tokenRule: "model", model }).rule;
    expect([of("gpt-4o-mini"), of("gpt-4"), of("some-other"), of("")]).toEqual([
      "o200k",
      "cl100k",
      "bytes-div-4",
      "bytes-div-4",
    ]);
  });

  test("is told from another that counts otherwise", () => {
    const rule = ruleOf("custom", CUSTOM);
    expect(isSameRule(rule, { ...rule, custom: { ...CUSTOM } })).toBe(true);
    expect(isSameRule(rule, { ...rule, imageTokenCount: 1 })).toBe(false);
    expect(isSameRule(rule, ruleOf("structured"))).toBe(false);
    for (const parts of [
      { charsPerToken: 2 },
      { rounding: "down" as const },
      { perMessage: 1 },
      { perCall: 1 },
      { min: 1 },
      { contentOnly: true },
    ]) {
      expect(isSameRule(rule, { ...rule, custom: { ...CUSTOM, ...parts } })).toBe(false);
    }
  });
});

test("a tokenizer gets every text of content and calls, one by one", () => {
  const calls = [{ name: "n", body: "b" }];
  expect(countedTexts(contentOf({ content: ["a", "c"], calls }))).toEqual(["a", "c", "n", "b"]);
  expect([isExact("o200k"), isExact("cl100k"), isExact("structured")]).toEqual([true, true, false]);
});
