// Goal: one rule of update masks for every resource.

import { describe, expect, test } from "vitest";
import { MESSAGE_MASK, SESSION_MASK } from "../session/checks.ts";
import { changedPaths, checkMask, MEMORY_MASK } from "./mask.ts";
import { Violations } from "./violations.ts";

const CHANGEABLE = ["a", "b", "c"];

describe("an update mask", () => {
  test.each<readonly [string, readonly string[] | undefined, readonly string[]]>([
    ["that is unset names what is set", undefined, ["a", "c"]],
    ["that is empty names what is set", [], ["a", "c"]],
    ["of * names everything, set or not", ["*"], ["a", "b", "c"]],
    ["of * and others names everything", ["b", "*"], ["a", "b", "c"]],
    ["names what it says, set or not, in the order of the fields", ["c", "b"], ["b", "c"]],
    ["names a path once", ["b", "b"], ["b"]],
    ["may name output-only paths without effect", ["etag", "a"], ["a"]],
    ["of output-only paths alone changes nothing", ["etag", "revision"], []],
  ])("%s", (_, mask, paths) => {
    expect(changedPaths(mask, CHANGEABLE, (path) => path !== "b")).toEqual(paths);
  });
});

describe("a path of a mask", () => {
  const faultsOf = (mask: readonly string[], known: Parameters<typeof checkMask>[2]) => {
    const violations = new Violations();
    checkMask(violations, mask, known);
    return violations.error()?.detail.violations?.map(({ field }) => field) ?? [];
  };
  const masks = { session: SESSION_MASK, message: MESSAGE_MASK, memory: MEMORY_MASK };

  test.each(Object.entries(masks))(
    "of a %s is changeable, output only, or an error",
    (_, known) => {
      expect(faultsOf(["*", ...known.changeable, ...known.ignored], known)).toEqual([]);
      expect(faultsOf([...known.changeable.slice(0, 1), "no_such_field"], known)).toEqual([
        "update_mask.paths[1]",
      ]);
      for (const path of known.ignored) expect(known.changeable).not.toContain(path);
    },
  );

  test.each<readonly [string, keyof typeof masks]>([
    ["summary", "session"],
    ["session_id", "session"],
    ["role", "message"],
    ["message_id", "message"],
    ["user_id", "memory"],
  ])("%s of a %s cannot be changed", (path, resource) => {
    expect(faultsOf([path], masks[resource])).toEqual(["update_mask.paths[0]"]);
  });

  test("memory_policy of a session can be changed", () => {
    expect(SESSION_MASK.changeable).toContain("memory_policy");
  });
});
