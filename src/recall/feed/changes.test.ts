import { describe, expect, test } from "vitest";
import { WrittenKeys } from "./changes.ts";

describe("the written containers", () => {
  test("are kept by namespace", () => {
    const written = new WrittenKeys();
    written.add("a", "s:1");
    written.add("a", "s:2");
    expect([...written.of("a").keys]).toEqual(["s:1", "s:2"]);
    expect(written.of("b")).toEqual({ keys: new Set(), isOver: false });
  });

  test("may be any where there were too many, and only there", () => {
    const written = new WrittenKeys();
    for (let at = 0; at <= 10_000; at++) written.add("a", `s:${at}`);
    written.add("b", "s:1");
    expect(written.of("a")).toEqual({ keys: new Set(), isOver: true });
    expect(written.of("b").isOver).toBe(false);
  });

  test("take no more room for more namespaces", () => {
    const written = new WrittenKeys();
    for (let at = 0; at < 20_001; at++) written.add(`n${at}`, "s:1");
    expect(written.of("n0")).toEqual({ keys: new Set(["s:1"]), isOver: false });
    expect(written.of("n20000").isOver).toBe(true);
    expect(written.of("never seen").isOver).toBe(true);
  });
});
