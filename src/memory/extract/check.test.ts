import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { LIMITS } from "../../kit/limits.ts";
import { EXTRACTION_TARGETS, type ExtractionTarget } from "../../window/policy/memory-policy.ts";
import type { Extracted } from "../rules/extracted.ts";
import { checkExtracted, checkResolution, jsonIn, scoresIn, shareOf, timeOf } from "./check.ts";

const IDS = ["m1", "m2", "m3"];

function read(
  answer: unknown,
  targets: readonly ExtractionTarget[] = EXTRACTION_TARGETS,
): Extracted | undefined {
  return checkExtracted(answer, { messageIds: IDS, targets });
}

function found(answer: unknown): Extracted {
  const extracted = read(answer);
  if (extracted === undefined) throw new Error("the answer is not of the form");
  return extracted;
}

describe("jsonIn", () => {
  test.each([
    ['Sure: [{"content":"User likes tea"}] ok', [{ content: "User likes tea" }]],
    ['```json\n{"facts": []}\n```', { facts: [] }],
    ["[]", []],
    ["no json", undefined],
    ["[broken", undefined],
    ["[1] and [2]", undefined],
    ['{"a":1', undefined],
    ["", undefined],
  ])("reads %j", (text, expected) => {
    expect(jsonIn(text)).toEqual(expected);
  });
});

describe("the lists of other systems", () => {
  test("are entities, with what is missing made good", () => {
    const { entities, rejectedCount } = found([
      { name: "Alice", entity_type: "person", attributes: { a: "b" } },
      { entity_type: "x" },
      7,
      { name: "Acme", attributes: "bad" },
    ]);
    expect(entities).toEqual([
      {
        ...{ name: "Alice", type: "person", aliases: [], messageIds: [] },
        attributes: new Map([["a", "b"]]),
      },
      { name: "Acme", type: "other", aliases: [], messageIds: [], attributes: new Map() },
    ]);
    expect(rejectedCount).toBe(2);
  });

  test("are triples, and a confidence that cannot be read is not one", () => {
    const { relations } = found([
      { subject: "A", relation: "r", object: "B", confidence: "0.4" },
      { subject: "A", relation: "r" },
      { subject: "C", relation: "r", object: "D", confidence: "high" },
    ]);
    expect(relations.map(({ subject, confidence }) => [subject, confidence])).toEqual([
      ["A", 0.4],
      ["C", undefined],
    ]);
  });

  test("are one triple by itself", () => {
    const triple = { subject: "Eiffel Tower", predicate: "is in", object: "Paris" };
    expect(found(triple).relations).toMatchObject([triple]);
    expect(read({ subject: "x" })).toBeUndefined();
    expect(read({ name: "x" })).toBeUndefined();
  });

  test("are facts", () => {
    const { facts } = found([{ content: "User likes tea", topics: ["food"] }, "User rows"]);
    expect(facts.map(({ text, topics }) => [text, topics])).toEqual([
      ["User likes tea", ["food"]],
      ["User rows", []],
    ]);
  });
});

describe("our own form", () => {
  test("keeps every field", () => {
    const answer = {
      facts: [
        {
          ...{ text: " Anna lives in Rome. ", key: "home_city", category: "location" },
          ...{ topics: ["home", "home"], importance: 0.6, confidence: 0.5 },
          ...{ valid_from_time: "2024-02-01", messages: [2, 9], is_preference: true },
        },
      ],
      entities: [],
      relations: [],
      model: "m",
    };
    expect(found(answer)).toEqual({
      facts: [
        {
          ...{ text: "Anna lives in Rome.", key: "home_city", category: "location" },
          ...{ topics: ["home"], importance: 0.6, confidence: 0.5, isPreference: true },
          ...{ validFromMs: Date.UTC(2024, 1, 1), messageIds: ["m2"] },
        },
      ],
      ...{ entities: [], relations: [], model: "m", rejectedCount: 0 },
    });
  });

  test("leaves out ids that were not given", () => {
    const fact = (ids: unknown) => found({ facts: [{ text: "x", message_ids: ids }] }).facts[0];
    expect(fact(["m3", "other", 7, null, "m3"])?.messageIds).toEqual(["m3"]);
    expect(fact(["other"])?.messageIds).toEqual([]);
    expect(fact("m1")?.messageIds).toEqual([]);
    expect(fact([Number.NaN, 0, -1, 1.5])?.messageIds).toEqual([]);
  });

  test("counts what breaks a limit, and leaves it out", () => {
    const long = "x".repeat(LIMITS.extractedFactBytes + 1);
    const { facts, entities, rejectedCount } = found({
      facts: [{ text: long }, { text: "ok", key: "k".repeat(129), topics: ["t".repeat(129)] }],
      entities: [{ name: "é".repeat(129) }, { name: "n", type: "t".repeat(65) }],
    });
    expect(facts).toMatchObject([{ text: "ok", key: "", topics: [] }]);
    expect(entities).toMatchObject([{ name: "n", type: "other" }]);
    expect(rejectedCount).toBe(5);
  });

  test("takes nothing that was not asked for", () => {
    const answer = { facts: ["a"], triples: [{ subject: "a", relation: "b", object: "c" }] };
    expect(read(answer, ["relations"])).toMatchObject({ facts: [], rejectedCount: 1 });
  });

  test("takes a hundred of a million", () => {
    const many = new Array(1_000_000).fill({ text: "again" });
    expect(found({ facts: many })).toMatchObject({ rejectedCount: 1_000_000 - 100 });
    expect(found(new Array(1_000_000).fill(0)).rejectedCount).toBe(1_000_000);
  });

  test("is not what has none of its lists", () => {
    for (const answer of [undefined, null, 7, "text", {}, { facts: "none" }, { name: "x" }]) {
      expect(read(answer)).toBeUndefined();
    }
  });
});

describe("checkExtracted", () => {
  test("keeps every limit, whatever it gets", () => {
    const text = fc.oneof(fc.string(), fc.constant("m1"), fc.constant("y".repeat(3_000)));
    const entry = fc.dictionary(
      fc.constantFrom(
        ...["text", "content", "name", "subject", "predicate", "object", "topics", "key"],
        ...["attributes", "aliases", "confidence", "importance", "valid_from_time", "message_ids"],
      ),
      fc.oneof(text, fc.double(), fc.array(text), fc.dictionary(fc.string(), text), fc.anything()),
    );
    const lists = fc.dictionary(
      fc.constantFrom("facts", "entities", "relations", "triples", "model"),
      fc.oneof(fc.array(entry), fc.anything()),
    );
    const property = fc.property(fc.oneof(lists, fc.array(entry), fc.anything()), (answer) => {
      const extracted = read(answer);
      if (extracted === undefined) return;
      const { facts, entities, relations } = extracted;
      for (const fact of facts) {
        expect(Buffer.byteLength(fact.text)).toBeLessThanOrEqual(LIMITS.extractedFactBytes);
        expect(fact.text.trim()).not.toBe("");
        for (const share of [fact.confidence ?? 0, fact.importance ?? 0]) {
          expect(share >= 0 && share <= 1).toBe(true);
        }
      }
      for (const { name, attributes } of entities) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(LIMITS.entityNameBytes);
        expect(attributes.size).toBeLessThanOrEqual(LIMITS.entityAttributes);
      }
      for (const { messageIds } of [...facts, ...entities, ...relations]) {
        for (const id of messageIds) expect(IDS).toContain(id);
      }
    });
    fc.assert(property, { seed: testSeed("answers of extractors") });
  });
});

describe("values", () => {
  test("are shares", () => {
    expect([0, 1, "0.5", -0].map(shareOf)).toEqual([0, 1, 0.5, 0]);
    for (const bad of [Number.NaN, -0.1, 1.1, "", " ", "high", null, [0.5], Infinity]) {
      expect(shareOf(bad)).toBeUndefined();
    }
  });

  test("are times", () => {
    expect(timeOf("2024-02-01")).toBe(Date.UTC(2024, 1, 1));
    expect(timeOf("2024-02-01T10:00:00")).toBe(Date.UTC(2024, 1, 1, 10));
    expect(timeOf("2024-02-01T10:00:00.5+02:00")).toBe(Date.UTC(2024, 1, 1, 8, 0, 0, 500));
    for (const bad of ["2024", "0000-01-01", "2024-13-01", "soon", 2024, "+012024-01-01"]) {
      expect(timeOf(bad)).toBeUndefined();
    }
  });
});

describe("other answers", () => {
  test("are scores", () => {
    expect(scoresIn({ scores: [1] })).toEqual([1]);
    expect(scoresIn([0.5])).toEqual([0.5]);
    expect(scoresIn({})).toBeUndefined();
  });

  test("are resolutions", () => {
    expect(checkResolution({ action: "keep_both" })).toEqual({ action: "keep-both" });
    expect(checkResolution({ action: "supersede", text: "x" })).toEqual({ action: "supersede" });
    expect(checkResolution({ action: "merge", text: " both " })).toEqual({
      action: "merge",
      text: "both",
    });
    const tooLong = { action: "merge", text: "x".repeat(LIMITS.memoryTextBytes + 1) };
    for (const bad of [{ action: "merge" }, { action: "toString" }, tooLong, [], null]) {
      expect(checkResolution(bad)).toBeUndefined();
    }
  });
});
