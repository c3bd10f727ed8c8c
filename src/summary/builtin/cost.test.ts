import fc from "fast-check";
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { budgetOfTokens, costOf, fits } from "./cost.ts";

const TEXTS = [
  "We decided to fly on March 14 instead, which costs 240 euros less than the other flight.",
  "Мы решили лететь четырнадцатого марта, потому что это дешевле.",
  "Αποφασίσαμε να πετάξουμε στις δεκατέσσερις Μαρτίου.",
  "قررنا السفر في الرابع عشر من مارس لأنه أرخص.",
  "我们决定三月十四日出发，因为那天的机票便宜得多。",
  "三月十四日に出発することにしました。安いからです。",
  "우리는 3월 14일에 출발하기로 했습니다.",
  "เราตัดสินใจเดินทางวันที่สิบสี่มีนาคม",
  "हमने चौदह मार्च को जाने का फैसला किया।",
  "👍🎉🚀😀🙏🔥💡🎂",
  "{{}}[]<>();:=>&&||!==++--//**",
  "c29tZSBsb25nIGJhc2U2NCBkYXRhIHRoYXQgaXMgbm8gd29yZCBhdCBhbGwgYW5kIGdvZXMgb24=",
];

describe("costOf", () => {
  test("counts the bytes of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(costOf(text).bytes).toBe(Buffer.byteLength(text));
      }),
    );
  });

  test.each(TEXTS)("does not let a tokenizer count twice what was asked for: %s", (text) => {
    const tokens = Array.from({ length: 400 }, (_, i) => i + 1).find((count) => {
      return fits(costOf(text), budgetOfTokens(count));
    });
    expect(o200k(text)).toBeLessThanOrEqual(2 * (tokens ?? 0));
    expect(cl100k(text)).toBeLessThanOrEqual(2 * (tokens ?? 0));
  });
});
