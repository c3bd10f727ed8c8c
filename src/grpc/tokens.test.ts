import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPageTokens, numberPosition } from "./page-token.ts";
import { createResumeTokens } from "./resume-token.ts";

const STORE = "0123456789abcdef";
const call = { digest: "\xff".repeat(16) };
const pages = createPageTokens(STORE);
const resumes = createResumeTokens(STORE);

const position = fc.record({
  revision: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  index: fc.nat({ max: 0xffff_ffff }),
});

describe("page tokens", () => {
  test("give back their position to the query that they belong to", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 128 }), (text) => {
        expect(pages.read(call, pages.make(call, text), String)).toBe(text.toWellFormed());
      }),
    );
    const token = pages.make(call, "5");
    expect(() => pages.read({ digest: "\b".repeat(16) }, token, String)).toThrow("page token");
    expect(() => createPageTokens("ffffffffffffffff").read(call, token, String)).toThrow(
      "page token",
    );
  });

  test("are small even for the longest position", () => {
    expect(pages.make(call, "é".repeat(128)).length).toBeLessThan(2_048);
  });

  test("are refused in any other form", () => {
    const token = pages.make(call, "5");
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(..."abcXYZ019-_ =+/"), (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        fc.pre(changed !== token);
        expect(() => pages.read(call, changed, String)).toThrow("page token");
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(() => pages.read(call, text, String)).toThrow();
      }),
    );
    expect(() => pages.read(call, resumes.make("n", { revision: 1, index: 0 }), String)).toThrow();
  });

  test("hold numbers only as digits", () => {
    expect(numberPosition("17")).toBe(17);
    for (const text of ["", "-1", "1.5", "1e3", "99999999999999999", " 1"]) {
      expect(() => numberPosition(text)).toThrow("page token");
    }
  });
});

describe("resume tokens", () => {
  test("give back their position, and are at most 256 bytes", () => {
    fc.assert(
      fc.property(position, (value) => {
        const token = resumes.make("default", value);
        expect(token.length).toBeLessThanOrEqual(256);
        expect(resumes.read("default", token)).toEqual(value);
      }),
    );
  });

  test("tell another store and another namespace from damage", () => {
    const token = resumes.make("default", { revision: 9, index: 1 });
    const reasonOf = (read: () => unknown): string => {
      try {
        read();
      } catch (error) {
        return (error as { reason: string }).reason;
      }
      return "";
    };
    const other = createResumeTokens("ffffffffffffffff");
    expect(reasonOf(() => resumes.read("other", token))).toBe("RESUME_TOKEN_FOREIGN");
    expect(reasonOf(() => other.read("default", token))).toBe("RESUME_TOKEN_FOREIGN");
    for (let length = 0; length < token.length; length++) {
      const cut = token.slice(0, length);
      expect(reasonOf(() => resumes.read("default", cut))).toBe("RESUME_TOKEN_INVALID");
    }
    const page = pages.make(call, "5");
    expect(reasonOf(() => resumes.read("default", page))).toBe("RESUME_TOKEN_INVALID");
  });
});
