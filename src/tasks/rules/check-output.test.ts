import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outputOf } from "../../../test/support/hooks/hooks.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import { isPlainText, outputFault } from "./check-output.ts";

const SPEC = { maxTokens: 100, shape: "system" } as const;

function faultOf(text: string, fields: Partial<SummaryOutput> = {}, tokenCount = 10) {
  return outputFault(outputOf(text, fields), { spec: SPEC, tokenCount });
}

describe("the text", () => {
  test("must not be empty, nor white space alone", () => {
    for (const text of ["", " ", "\n\t \r\n", "\u00a0\u2003"]) {
      expect(faultOf(text)).toBe("empty-output");
    }
    expect(faultOf("x")).toBeUndefined();
  });

  test("takes at most 65,536 bytes", () => {
    expect(faultOf("x".repeat(LIMITS.summaryBytes))).toBeUndefined();
    expect(faultOf("x".repeat(LIMITS.summaryBytes + 1))).toBe("output-too-long");
    expect(faultOf("é".repeat(LIMITS.summaryBytes / 2 + 1))).toBe("output-too-long");
  });

  test("takes at most twice the tokens that were asked for", () => {
    expect(faultOf("x", {}, 200)).toBeUndefined();
    expect(faultOf("x", {}, 201)).toBe("output-too-long");
  });

  test("counts with its sections when it is an exchange", () => {
    const output = outputOf("x".repeat(60_000), { facts: Array(6).fill("f".repeat(1_000)) });
    expect(outputFault(output, { spec: SPEC, tokenCount: 1 })).toBeUndefined();
    const exchange = { ...SPEC, shape: "exchange" } as const;
    expect(outputFault(output, { spec: exchange, tokenCount: 1 })).toBe("output-too-long");
  });

  test("must cost less than what it takes the place of", () => {
    const check = (placed: number, replaced: number) =>
      outputFault(outputOf("x"), { spec: SPEC, tokenCount: 1, cost: { placed, replaced } });
    expect(check(19, 20)).toBeUndefined();
    expect(check(20, 20)).toBe("output-too-long");
    expect(check(17, 16)).toBe("output-too-long");
  });

  test("may cost more when it is as short as a summary can be asked to be", () => {
    const cost = { placed: LIMITS.summaryTokensMin, replaced: 0 };
    expect(outputFault(outputOf("x"), { spec: SPEC, tokenCount: 1, cost })).toBeUndefined();
  });
});

describe("the form", () => {
  test("has no half characters and no NUL", () => {
    for (const text of ["a\ud83d", "\ude00a", "\ude00\ud83d", "a\0b"]) {
      expect(faultOf(text)).toBe("invalid-output");
      expect(faultOf("fine", { requestText: text })).toBe("invalid-output");
      expect(faultOf("fine", { facts: [text] })).toBe("invalid-output");
      expect(faultOf("fine", { openThreads: [text] })).toBe("invalid-output");
      expect(faultOf("fine", { missingEntities: [text] })).toBe("invalid-output");
      expect(faultOf("fine", { model: text })).toBe("invalid-output");
    }
    expect(faultOf("a😀b")).toBeUndefined();
  });

  test("has at most a tenth of other control characters", () => {
    expect(faultOf(`${"x".repeat(9)}\u0007`)).toBeUndefined();
    expect(faultOf(`${"x".repeat(8)}\u0007`)).toBe("invalid-output");
    expect(faultOf("😀\u0085")).toBe("invalid-output");
    expect(faultOf("a\tb\r\nc\n")).toBeUndefined();
  });

  test("keeps to the limits of every list", () => {
    const long = (bytes: number) => "x".repeat(bytes + 1);
    const many = (count: number) => Array<string>(count + 1).fill("x");
    const faults: Partial<SummaryOutput>[] = [
      { requestText: long(LIMITS.summaryRequestBytes) },
      { model: long(LIMITS.hookModelBytes) },
      { missingEntities: many(LIMITS.missingEntities) },
      { missingEntities: [long(LIMITS.missingEntityBytes)] },
      { facts: many(LIMITS.summaryFacts) },
      { facts: [long(LIMITS.summaryFactBytes)] },
      { openThreads: many(LIMITS.summaryFacts) },
      { openThreads: [long(LIMITS.summaryFactBytes)] },
      { inputTokens: LIMITS.hookTokens + 1 },
      { outputTokens: -1 },
      { outputTokens: 0.5 },
    ];
    for (const fault of faults) expect(faultOf("fine", fault)).toBe("invalid-output");
    expect(
      faultOf("fine", {
        requestText: "x".repeat(LIMITS.summaryRequestBytes),
        missingEntities: many(LIMITS.missingEntities - 1),
        inputTokens: LIMITS.hookTokens,
      }),
    ).toBeUndefined();
  });

  test("is that of text whenever a text is well formed and has no control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const clean = text.replaceAll(/\p{Cc}/gu, "");
        expect(isPlainText(clean)).toBe(clean.isWellFormed());
      }),
    );
  });
});
