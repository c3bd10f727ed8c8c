import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold, foldLower, TERM_CHARS } from "./fold.ts";
import { identifiersIn, indexTerms, QUERY_TERMS_MAX, queryTerms } from "./terms.ts";

const terms = (text: string): string => indexTerms(text).join(" ");

describe("indexTerms", () => {
  test.each([
    ["words are stems, without stop words", "The cats were running quickly", "cat run quick"],
    ["question words go", "When did Caroline go to the museum?", "carolin go museum"],
    ["accents and case go", "Naïve CAFÉ Zürich Straße Łódź", "naiv cafe zurich strass lodz"],
    ["a possessive ending goes", "Caroline's dogs' James's it’s", "carolin dog jame"],
    ["contractions are stop words", "don't can’t you'd we've", ""],
    ["contractions that look like words", "I'll he'll she'd I'd ain't let’s Ana'll", "aint ana"],
    ["words that look like contractions", "ill id shed wed", "ill id shed wed"],
    ["an apostrophe inside", "O'Brien l'amour", "obrien brien lamour amour"],
    ["an ending behind an apostrophe", "İstanbul'da", "istanbulda istanbul"],
    ["repeats stay", "tea, tea and tea", "tea tea tea"],
    ["names of code", "getUserName", "getusernam get user name"],
    ["paths of code", "foo_bar.baz", "foo_bar.baz foo bar baz"],
    ["names with digits", "ERR-1234 COVID-19", "err-1234 err 1234 covid-19 covid 19"],
    ["versions", "v1.2.3", "v1.2.3 1.2.3 v1 1 2 3"],
    ["mail", "Bob.Smith@example.com", "bob.smith@example.com bob smith exampl com"],
    ["files", "/usr/lib/x.py", "usr/lib/x.py usr lib x py"],
    ["addresses", "https://example.com/a?b=1", "https example.com/a exampl com b 1"],
    ["hyphens", "e-mail check-in", "email e mail checkin check"],
    ["two words with a stroke", "he/she tea/coffee", "tea coffe"],
    ["acronyms", "U.S.A. PDFs R&D", "usa pdf r&d r d"],
    ["a country and a trade", "US IT us it", "us it"],
    ["languages", "C++ C# F#", "c++ c# f#"],
    ["numbers", "1,000.50 3.14 $12 50%", "1000.50 3.14 12 50"],
    ["times", "10:30 a.m.", "10:30 10 30"],
    ["ordinals and decades", "12th 1990s 5km 10am", "12th 1990s 1990 5km 5 km 10am 10"],
    ["hashes are one term", "a1b2c3d4e5f6", "a1b2c3d4e5f6"],
    ["capitals that name more", "HTMLParser YouTube", "htmlparser html parser youtub tube"],
    ["compatibility forms", "ﬁne ＡＢＣ ① ｶﾞ", "fine abc 1 ガ"],
    ["emoji", "😂😂 👍🏽 👩‍💻 🇩🇪 ❤️", "😂 😂 👍 👩 💻 🇩🇪 ❤"],
    ["Chinese", "我爱北京", "我 爱 我爱 北 爱北 京 北京"],
    ["Japanese", "タワーに行く", "タワ ワー ーに 行 に行 行く"],
    ["Korean", "학교에서", "학교 교에 에서"],
    ["Thai", "ภาษา", "ภา าษ ษา"],
    ["scripts that touch", "GPT模型v2", "gpt 模 型 模型 v2 2"],
    ["Russian", "Ёлка стоит", "елка стоит"],
    ["Hindi keeps its vowels", "हिन्दी भाषा", "हिन्दी भाषा"],
    ["Arabic without points", "مُحَمَّد", "محمد"],
    ["Greek", "ΟΔΟΣ οδός", "οδοσ οδοσ"],
    ["a soft hyphen", "re\u00adcall", "recal"],
    ["halves of pairs", "a\ud800b \udc00cat", "b cat"],
  ])("%s: %s", (_what, text, expected) => {
    expect(terms(text)).toBe(expected);
  });
});

describe("long and odd texts", () => {
  test("makes one short term of a run of data", () => {
    const data = "aGVsbG8+d29y/bGQ".repeat(65_536);
    const [term, ...others] = indexTerms(data);
    expect(others).toEqual([]);
    expect(term).toHaveLength(TERM_CHARS);
  });

  test("tells long words apart by their ends", () => {
    const start = "n".repeat(100);
    expect(indexTerms(`${start}a`)).not.toEqual(indexTerms(`${start}b`));
    expect(indexTerms(`${start}a`)).toEqual(queryTerms(`${start}A`.toUpperCase()));
  });

  test("takes a bounded number of terms from a query", () => {
    const query = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ");
    expect(queryTerms(query)).toHaveLength(QUERY_TERMS_MAX);
  });

  test("finds one Han character by itself and inside of a word", () => {
    expect(queryTerms("猫")).toEqual(["猫"]);
    expect(indexTerms("黑猫在")).toContain("猫");
    expect(queryTerms("黑猫在")).toEqual(["黑猫", "猫在"]);
  });

  test("finds nothing in stop words and marks", () => {
    expect(queryTerms("to be or not to be?! ... -- \u200b")).toEqual([]);
    expect(queryTerms("")).toEqual([]);
  });
});

// Texts of what is hard: scripts, marks between letters, halves of pairs, capitals, digits.
const hard = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.string({ unit: "grapheme-composite", maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(..."aAbZé1９0'’_./\\@&+-:,# \u00ad\u0301\u3099東カ한ภ😂İßς½㎏"),
        maxLength: 80,
      }),
      fc.string({ unit: fc.constantFrom("\ud83d", "\ude02", "a", " ", "1"), maxLength: 12 }),
      fc.constantFrom("x".repeat(200), "don't", "getUserName", "\ufdfa", "\ufe0f", "🇩🇪🇩"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("any text", () => {
  test("gives short, folded terms that are whole characters", () => {
    fc.assert(
      fc.property(hard, (text) => {
        const found = indexTerms(text);
        expect(found.length).toBeLessThanOrEqual(2 + 4 * text.normalize("NFKD").length);
        for (const term of found) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(TERM_CHARS);
          expect(term.isWellFormed()).toBe(true);
          expect(term).not.toMatch(/\s/);
          expect(foldLower(term)).toBe(term);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("gives the same terms again, and those of a query among those of a text", () => {
    fc.assert(
      fc.property(hard, (text) => {
        const found = indexTerms(text);
        expect(indexTerms(text)).toEqual(found);
        const query = queryTerms(text);
        expect(new Set(query).size).toBe(query.length);
        for (const term of query) expect(found).toContain(term);
      }),
      { numRuns: 1_000 },
    );
  });

  test("does not matter in which normal form it is", () => {
    const marks = fc.string({ unit: fc.constantFrom(..."aeéüñ가か が行 ЙйЁ ."), maxLength: 40 });
    fc.assert(
      fc.property(marks, (text) => {
        expect(indexTerms(text.normalize("NFD"))).toEqual(indexTerms(text.normalize("NFC")));
      }),
    );
  });

  test("is folded once and for all", () => {
    fc.assert(
      fc.property(hard, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        expect(foldLower(foldLower(text))).toBe(foldLower(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("identifiers of a query", () => {
  test.each([
    ["Where is ORD-48213?", "ord-48213"],
    ["what about 0x7ffe3a and so on", "0x7ffe3a"],
    ["ERR_CONN_RESET again", "err_conn_reset"],
    ["open src/app/main.ts please", "src/app/main.ts"],
    ["mail ana.k@example.org", "ana.k@example.org"],
    ["who calls getUserName", "getusernam"],
    ["a NullPointerException", "nullpointerexcept"],
    ["order 48213", "48213"],
    ["550e8400-e29b-41d4-a716-446655440000 is gone", "550e8400-e29b-41d4-a716-446655440000"],
  ])("%s", (text, term) => {
    expect([...identifiersIn(text)]).toEqual([term]);
    expect(indexTerms(text)).toContain(term);
  });

  test.each([
    ...["What did Ana say on 2024-03-21 at 10:30?", "on March 21st", "in 1984 and 2 or 3"],
    ...["a well-known check-in and/or more", "5km in 20-minute runs of the 80s", "3.5 of 1,000"],
    ...["a McDonald on YouTube and WeChat", "PDFs of NASA"],
    ...["I'll ask the U.S. about C++ and Ana's cat", "", "of the", "図書館はどこですか"],
  ])("none in %j", (text) => {
    expect([...identifiersIn(text)]).toEqual([]);
  });

  test("are the one word of a query, whatever it is", () => {
    expect([...identifiersIn("the zeppelin?")]).toEqual(["zeppelin"]);
  });
});
