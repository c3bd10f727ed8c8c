// Goal: a table of options takes exactly what it says, and names every fault by its field.

import { describe, expect, test } from "vitest";
import {
  choice,
  choices,
  conditions,
  flag,
  fraction,
  group,
  groups,
  integer,
  text,
  texts,
} from "./option-kinds.ts";
import { describeOptions, type OptionTable, optional, readOptions, required } from "./options.ts";

const TABLE = {
  count: integer({ min: 1, max: 10_000 }, 20, "A count."),
  share: fraction({ min: 0, max: 1, aboveMin: true }, 0.5, "A share."),
  headroom: fraction({ min: 0, max: 1, belowMax: true }, 0, "A headroom."),
  on: flag(true, "Whether."),
  label: text(5, "", "A label."),
  color: choice(["red", "green"], "red", "A color."),
  colors: choices(["red", "green"], ["green"], "Colors."),
  tools: texts({ max: 2, bytesMax: 4 }, [], "Tools."),
  wanted: conditions("What must hold."),
  inner: group({ depth: integer({ min: 0, max: 3 }, 1, "A depth.") }, "An object."),
  list: groups(2, "Objects.", (path, value) => {
    const { values, faults } = readOptions({ on: flag(false, "Whether.") }, value, path);
    return faults.length > 0 ? { faults } : { value: values };
  }),
  limit: optional(integer({ min: 1, max: 5 }, 1, "A limit.")),
} satisfies OptionTable;

const NAMES = Object.keys(TABLE).join(", ");

const faultsOf = (options: { readonly [name: string]: unknown }): readonly string[] =>
  readOptions(TABLE, options).faults.map(({ field, description }) => `${field}: ${description}`);

describe("readOptions", () => {
  test("gives the defaults of what is left out or null", () => {
    const { values, faults, given } = readOptions(TABLE, { count: null });
    expect(faults).toEqual([]);
    expect([...given]).toEqual([]);
    expect(values).toEqual({
      count: 20,
      share: 0.5,
      headroom: 0,
      on: true,
      label: "",
      color: "red",
      colors: ["green"],
      tools: [],
      wanted: [],
      inner: undefined,
      list: [],
      limit: undefined,
    });
  });

  test("takes every value up to its limits", () => {
    const given = {
      count: 10_000,
      share: 1,
      headroom: 0.999,
      on: false,
      label: "ééx",
      color: "green",
      colors: [],
      tools: ["abcd", "x"],
      wanted: ["message.role != 'tool'"],
      list: [{ on: true }, {}],
      limit: 5,
    };
    const reading = readOptions(TABLE, { ...given, inner: { depth: 0 } });
    expect(reading.faults).toEqual([]);
    expect(reading.values).toMatchObject({ ...given, list: [{ on: true }, { on: false }] });
    expect(reading.values.inner?.values).toEqual({ depth: 0 });
    expect(reading.given).toContain("label");
  });

  test.each([
    [{ count: 0 }, "count: count must be at least 1"],
    [{ count: -3 }, "count: count must be at least 1"],
    [{ count: 10_001 }, "count: count must be at most 10000"],
    [{ count: 1.5 }, "count: count must be a whole number"],
    [{ count: "3" }, "count: count must be a number"],
    [{ count: true }, "count: count must be a number"],
    [{ share: 0 }, "share: share must be above 0"],
    [{ share: 1.01 }, "share: share must be at most 1"],
    [{ headroom: 1 }, "headroom: headroom must be below 1"],
    [{ on: 1 }, "on: on must be true or false"],
    [{ label: "éééx" }, "label: label is longer than 5 bytes"],
    [{ label: [] }, "label: label must be a text"],
    [{ color: "blue" }, "color: color must be one of red, green"],
    [{ colors: ["red", "blue"] }, "colors[1]: colors[1] must be one of red, green"],
    [{ colors: "red" }, "colors: colors must be a list"],
    [{ tools: ["a", "b", "c"] }, "tools: tools has more than 2 entries"],
    [{ tools: [""] }, "tools[0]: tools[0] must be a text"],
    [{ tools: ["abcde"] }, "tools[0]: tools[0] is longer than 4 bytes"],
    [{ inner: { depth: 4 } }, "inner.depth: inner.depth must be at most 3"],
    [{ inner: { deep: 1 } }, "inner.deep: is not an option; the options are depth"],
    [{ inner: [] }, "inner: inner must be an object"],
    [{ list: [{}, { on: 3 }] }, "list[1].on: list[1].on must be true or false"],
    [{ list: [7] }, "list[0]: list[0] must be an object"],
    [{ limit: 6 }, "limit: limit must be at most 5"],
    [{ unknown: 1 }, `unknown: is not an option; the options are ${NAMES}`],
    [{ toString: 1 }, `toString: is not an option; the options are ${NAMES}`],
  ])("refuses %j", (options, fault) => {
    expect(faultsOf(options)).toEqual([fault]);
  });

  test("says where a condition is wrong", () => {
    const [fault] = faultsOf({ wanted: ["true", "message.role !="] });
    expect(fault).toMatch(/^wanted\[1\]: wanted\[1\] is wrong at character \d+: /);
  });

  test("names all faults at once", () => {
    expect(faultsOf({ nope: 1, count: 0, on: "x" })).toHaveLength(3);
  });

  test("lists the known options once, however many are unknown", () => {
    expect(faultsOf({ one: 1, two: 2 })).toEqual([
      `one: is not an option; the options are ${NAMES}`,
      "two: is not an option",
    ]);
  });

  test("takes a key such as __proto__ for an unknown option", () => {
    const options = JSON.parse('{"__proto__": {"count": 3}}') as Record<string, unknown>;
    expect(faultsOf(options)).toEqual([`__proto__: is not an option; the options are ${NAMES}`]);
    expect(readOptions(TABLE, options).values.count).toBe(20);
  });

  test("wants what may not be left out", () => {
    const table = { age: required(integer({ min: 1, max: 9 }, 1, "An age.")) };
    const missing = [{ field: "age", description: "age is required" }];
    expect(readOptions(table, {}).faults).toEqual(missing);
    expect(readOptions(table, { age: null }).faults).toEqual(missing);
    expect(readOptions(table, { age: 9 }).values.age).toBe(9);
  });
});

describe("describeOptions", () => {
  test("tells names, limits and defaults", () => {
    const { count, share, limit, color } = TABLE;
    expect(describeOptions({ count, share, limit, color }, "group")).toEqual([
      {
        name: "count",
        description: "A count. 1 to 10,000.",
        defaultValue: 20,
        group: "group",
        required: false,
      },
      {
        name: "share",
        description: "A share. Over 0 to 1.",
        defaultValue: 0.5,
        group: "group",
        required: false,
      },
      {
        name: "limit",
        description: "A limit. 1 to 5.",
        defaultValue: null,
        group: "group",
        required: false,
      },
      {
        name: "color",
        description: "A color. One of red, green.",
        defaultValue: "red",
        group: "group",
        required: false,
      },
    ]);
  });

  test("tells what is inside an object by its path", () => {
    const { inner } = TABLE;
    const outer = describeOptions({ outer: group({ inner }, "An object of objects.") });
    expect(outer.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "outer: An object of objects.",
      "outer.inner: An object.",
      "outer.inner.depth: A depth. 0 to 3.",
    ]);
  });
});
