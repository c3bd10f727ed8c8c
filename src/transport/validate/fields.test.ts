import { describe, expect, it } from "vitest";
import { EventType } from "../../gen/memorysidecar/v1/event.ts";
import { checkEnum } from "./fields.ts";
import { Violations } from "./violations.ts";

describe("checkEnum", () => {
  const check = (value: number, names: Readonly<Record<string, number>>): readonly string[] => {
    const v = new Violations();
    checkEnum(v, "type", value, names);
    return (v.error()?.detail.violations ?? []).map(
      ({ field, description }) => `${field} ${description}`,
    );
  };

  it("passes every number that the contract gives a name", () => {
    const numbers = Object.values(EventType).filter((number) => number >= 0);
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers.flatMap((number) => check(number, EventType))).toEqual([]);
  });

  it("refuses numbers above, below and between", () => {
    const names = { UNSPECIFIED: 0, FIRST: 1, THIRD: 3, UNRECOGNIZED: -1 };
    for (const unknown of [-2, -1, 2, 4, 2 ** 31 - 1]) {
      expect(check(unknown, names)).toEqual([`type is not a known value: ${unknown}`]);
    }
    for (const known of [0, 1, 3]) expect(check(known, names)).toEqual([]);
  });
});
