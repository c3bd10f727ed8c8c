import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { TABLES } from "../tables/all.ts";
import { parseWords, proveErased } from "./prove-erased.ts";

/** More than one chunk of the search. */
const LONG = 4_194_304;

test("finds a word in every form that a record may hold it in", async () => {
  await using directory = await makeTempDir();
  mkdirSync(join(directory.path, "parts"));
  const inFile = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
  inFile("plain", "..Zebra Ünd..Zebra Ünd");
  inFile("parts/folded", "..zebra ünd..");
  inFile("json", JSON.stringify({ text: 'the "quoted\nword"' }));
  inFile("ascii", '{"a":"Zebra \\u00dcnd"}');
  const words = parseWords('\nZebra Ünd\r\nquoted\nabsent\n"quoted\n');
  const report = proveErased(directory.path, words);
  expect(report).toMatchObject({ erased: false, words: 4, files: 4 });
  expect(report.found).toEqual([
    { line: 2, file: "ascii", count: 1, offsets: [6] },
    { line: 3, file: "json", count: 1, offsets: [15] },
    { line: 5, file: "json", count: 2, offsets: [13, 14] },
    { line: 2, file: "parts/folded", count: 1, offsets: [2] },
    { line: 2, file: "plain", count: 2, offsets: [2, 14] },
  ]);
  // The report may be kept: it names no word.
  expect(JSON.stringify(report)).not.toMatch(/zebra|quoted/i);
  expect(proveErased(directory.path, parseWords("absent"))).toMatchObject({ erased: true });
});

test.each([-7, -1, 0, 1])("finds a word %i bytes from the border of two reads", async (at) => {
  await using directory = await makeTempDir();
  const bytes = Buffer.alloc(2 * LONG, ".");
  bytes.write("distinct", LONG + at);
  writeFileSync(join(directory.path, "data.mdb"), bytes);
  const { found } = proveErased(directory.path, parseWords("distinct"));
  expect(found).toEqual([{ line: 1, file: "data.mdb", count: 1, offsets: [LONG + at] }]);
});

test("refuses a list that proves nothing, and says all that is wrong", () => {
  expect(() => parseWords("\n\n")).toThrow("it names no word");
  expect(() => parseWords(`abc\n${"x".repeat(4_097)}`)).toThrow(
    /line 1 has 3 bytes; 4 to 4096 fit; line 2 has 4097 bytes/,
  );
  expect(() => parseWords("word\n".repeat(1_001))).toThrow("at most 1000 fit");
});

// A table says with what its rows are erased, or does not compile. Nothing may be said that is not
// so: rows under a log go with it, and rows without content of a subject are listed here by hand.
test("tables without content of a subject are known by name", () => {
  const names = TABLES.filter(({ erasedWith }) => erasedWith === "nothing").map(({ name }) => name);
  expect(names.sort()).toEqual([
    "collection",
    "consumer",
    "count of collections",
    "dropped events",
    "emptied collection",
    "end of an upload",
    "memories",
    "namespace",
    "namespace with memories",
    "purge",
    "recall",
    "revision",
    "running erasure",
    "upload",
    "usage",
  ]);
});
