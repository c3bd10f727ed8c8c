import { describe, expect, test } from "vitest";
import { LIMITS } from "../../kit/limits.ts";
import { confidenceLabel, describeStructure } from "./memory.ts";

const entity = (name: string, type: string, attributes: Record<string, string> = {}) =>
  describeStructure({
    kind: "entity",
    entity: { name, type, aliases: ["x"], attributes: new Map(Object.entries(attributes)) },
  });
const episode = (userText: string, assistantText: string) =>
  describeStructure({ kind: "episode", episode: { userText, assistantText } });

describe("in words", () => {
  test("an entity has its type and its attributes", () => {
    expect(entity("Alps", "location", { country: "Switzerland" })).toBe(
      "Alps [location] (country: Switzerland)",
    );
    expect(entity("Alice", "person", { role: "CTO", city: "Seattle" })).toBe(
      "Alice [person] (role: CTO, city: Seattle)",
    );
    expect(entity("Bob", "person")).toBe("Bob [person]");
  });

  test("a relation is a sentence", () => {
    const relation = { subject: "Alice", predicate: "works_at", object: "Acme" };
    expect(describeStructure({ kind: "relation", relation })).toBe("Alice works_at Acme");
  });

  test("an episode has the sides that spoke", () => {
    expect(episode("Plan hiking", "In the Alps?")).toBe(
      "user: Plan hiking | assistant: In the Alps?",
    );
    expect(episode("hi", "")).toBe("user: hi");
    expect(episode("", "hi")).toBe("assistant: hi");
  });

  test("nothing is longer than a text may be, and no character is cut", () => {
    const text = episode("ä".repeat(4_096), "€".repeat(2_730));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.memoryTextBytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.memoryTextBytes - 4);
    expect(text).not.toContain("\ufffd");
  });
});

test.each([
  [1, "high"],
  [0.8, "high"],
  [0.79, "medium"],
  [0.5, "medium"],
  [0.49, "low"],
  [0, "low"],
])("a confidence of %d is %s", (confidence, label) => {
  expect(confidenceLabel(confidence)).toBe(label);
});
