import { describe, expect, test } from "vitest";
import { TouchedKeys } from "./touched.ts";

describe("what was written to", () => {
  test("is known by namespace", () => {
    const touched = new TouchedKeys();
    touched.add("a", "s:1");
    touched.add("a", "s:2");
    expect([...touched.of("a").keys]).toEqual(["s:1", "s:2"]);
    expect(touched.of("b")).toEqual({ keys: new Set(), isOver: false });
  });

  test("may be anything where there was too much, and only there", () => {
    const touched = new TouchedKeys();
    for (let at = 0; at <= 10_000; at++) touched.add("a", `s:${at}`);
    touched.add("b", "s:1");
    expect(touched.of("a")).toEqual({ keys: new Set(), isOver: true });
    expect(touched.of("b").isOver).toBe(false);
  });

  test("takes no more room for more namespaces", () => {
    const touched = new TouchedKeys();
    for (let at = 0; at < 20_001; at++) touched.add(`n${at}`, "s:1");
    expect(touched.of("n0")).toEqual({ keys: new Set(["s:1"]), isOver: false });
    expect(touched.of("n20000").isOver).toBe(true);
    expect(touched.of("never seen").isOver).toBe(true);
  });
});
