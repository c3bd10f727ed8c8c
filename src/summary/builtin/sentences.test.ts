import { describe, expect, test } from "vitest";
import { cutLong, SENTENCE_CHARS, sentencesOf } from "./sentences.ts";

function textsOf(text: string): string[] {
  return sentencesOf(text).map((sentence) => sentence.text);
}

describe("sentencesOf", () => {
  test.each([
    ["I moved. It rained! Why? Who knows…", ["I moved.", "It rained!", "Why?", "Who knows…"]],
    ["Dr. Berg met J. Smith at 5 p.m. on Jan. 4.", ["Dr. Berg met J. Smith at 5 p.m. on Jan. 4."]],
    ["It costs 3.50 euros. See https://a.example/x.y?z=1 for more.", undefined],
    ['She said "no." Then she left.', ['She said "no."', "Then she left."]],
    ["No. I will not. See no. 5 there.", ["No.", "I will not.", "See no. 5 there."]],
    ["我叫安娜。我住在柏林！你呢？", ["我叫安娜。", "我住在柏林！", "你呢？"]],
    ["Wait... what? ok", ["Wait... what?", "ok"]],
    ["!!! --- ...", []],
    ["👍", ["👍"]],
    ["", []],
  ])("cuts %j", (text, expected) => {
    const costs = ["It costs 3.50 euros.", "See https://a.example/x.y?z=1 for more."];
    expect(textsOf(text)).toEqual(expected ?? costs);
  });

  test("knows lists, headings, tables and code", () => {
    const text = [
      "# Plan for May",
      "- Buy milk",
      "2. Call Anna. She waits.",
      "| name | price |",
      "| --- | --- |",
      "| tea | 3 |",
      "> quoted words",
      "```js",
      "const a = 1;",
      "",
      "```",
      "After it.",
    ].join("\n");
    expect(sentencesOf(text)).toEqual([
      { text: "Plan for May", kind: "heading" },
      { text: "Buy milk", kind: "item" },
      { text: "Call Anna.", kind: "item" },
      { text: "She waits.", kind: "item" },
      { text: "| name | price |", kind: "scrap" },
      { text: "| tea | 3 |", kind: "table" },
      { text: "quoted words", kind: "prose" },
      { text: "const a = 1;", kind: "code" },
      { text: "After it.", kind: "prose" },
    ]);
  });

  const QUERY = [
    "DELETE FROM sessions",
    "WHERE state = 'idle' AND usename IN ('metabase', 'airflow')",
    "  AND state_change < now() - interval '10 minutes';",
  ];

  test.each([
    ["in a fence", ["```sql", ...QUERY, "```"]],
    ["without one", QUERY],
    ["in backticks", [`Run \`${QUERY.join(" ")}\` now, and then look. It is quick.`]],
    ["on one line", [QUERY.join(" ")]],
  ])("never cuts a statement %s", (_, lines) => {
    const holding = textsOf(lines.join("\n")).filter((text) => text.includes("DELETE FROM"));
    expect(holding).toHaveLength(1);
    expect(holding[0]).toContain(QUERY.map((line) => line.trim()).join(" "));
  });

  test("makes of a statement that is too long to be quoted no sentence", () => {
    const long = [
      ...QUERY.slice(0, 2),
      ...Array<string>(20).fill("  AND pid <> pg_backend()"),
      ";",
    ];
    const kinds = sentencesOf(["```", ...long, "```"].join("\n")).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["scrap"]));
  });

  test("takes whole statements of code that is too long", () => {
    const body = Array.from({ length: 12 }, (_, i) => `    total_${i} = amount(${i}, "EUR") + 1`);
    const lines = [
      "```python",
      "import shop",
      "def pay():",
      ...body,
      "seats = [",
      "  3,",
      "]",
      "```",
    ];
    const code = sentencesOf(lines.join("\n")).filter(({ kind }) => kind === "code");
    expect(code[0]?.text).toBe("import shop");
    expect(code[1]?.text).toBe('total_0 = amount(0, "EUR") + 1');
    expect(code.at(-1)?.text).toBe("seats = [ 3, ]");
  });

  test("knows a table without a frame", () => {
    const table = "usename | count\n--------+------\nmetabase | 121\n(1 row)";
    expect(sentencesOf(table)).toEqual([
      { text: "usename | count", kind: "scrap" },
      { text: "metabase | 121", kind: "table" },
    ]);
  });

  test.each([
    "max_connections = 200. No pooler. The rest is as it was.",
    "if you agree (see below):",
    "- npm install",
    "I like apples;",
    "$ 500 for the hotel",
    "Name: Anna\nTown: Bergen",
  ])("takes %j for prose", (text) => {
    for (const { kind } of sentencesOf(text)) expect(["prose", "item"]).toContain(kind);
  });

  test("joins lines that were wrapped, and parts those that were not", () => {
    const wrapped = "This line was wrapped by an editor because it is long\nand goes on here.";
    expect(textsOf(wrapped)).toEqual([wrapped.replace("\n", " ")]);
    expect(textsOf("Name: Anna\nTown: Bergen")).toEqual(["Name: Anna", "Town: Bergen"]);
  });

  test("ends a code block that is never closed with the text", () => {
    expect(sentencesOf("```\nlet x = 2;")).toEqual([{ text: "let x = 2;", kind: "code" }]);
  });

  test("takes time that grows with the text only", () => {
    const start = process.cpuUsage().user;
    for (const text of [".", "a", " ", "-", "> ", "a.\n", "`", "。", "(", "1.", "a, "]) {
      sentencesOf(text.repeat(1_048_576 / text.length));
    }
    expect(process.cpuUsage().user - start).toBeLessThan(20_000_000);
  });
});

describe("cutLong", () => {
  test("cuts at the best place there is", () => {
    const clause = "The first part of this sentence is here, and the second part follows";
    expect(cutLong(clause, 50)).toEqual([
      "The first part of this sentence is here,",
      "and the second part follows",
    ]);
    expect(cutLong("aaaa bbbb cccc dddd", 10)).toEqual(["aaaa bbbb", "cccc dddd"]);
  });

  test("never cuts through what people see as one character", () => {
    const family = "👨‍👩‍👧‍👦";
    for (const part of cutLong(family.repeat(100))) {
      expect(part.length).toBeLessThanOrEqual(SENTENCE_CHARS);
      expect(part.replaceAll(family, "")).toBe("");
    }
    // One character that is longer than a sentence is cut all the same, at a code point.
    for (const part of cutLong(`e${"\u0301".repeat(500)}`)) {
      expect(part.length).toBeLessThanOrEqual(SENTENCE_CHARS);
    }
  });
});
