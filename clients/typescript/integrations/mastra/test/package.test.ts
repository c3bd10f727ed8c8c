// The package: its types, its files, and the code of docs/integrations/mastra.md.

import { expect, test } from "vitest";
import {
  packedFiles,
  runPage,
  typeProblems,
} from "../../../../../test/support/integrations/package.ts";
import { startSetting } from "../../../../../test/support/integrations/setting.ts";

const NAME = "mastra";
const PACKAGE = "@mastra/core";

test("has the types that the newest and the lowest package ask for", async () => {
  expect(await typeProblems(NAME)).toBe("");
  expect(await typeProblems(NAME, { [PACKAGE]: "lowest" })).toBe("");
});

test("holds its code, its types, its license and its README, and runs its page", async () => {
  const files = await packedFiles(NAME);
  const modules = [
    ...["batches", "index", "listing", "memory", "merging", "messages", "names", "observations"],
    ...["resources", "rows", "threads"],
  ];
  const built = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`]);
  const others = ["package/LICENSE", "package/README.md", "package/package.json"];
  expect(files).toEqual([...others, ...built].sort());
  await using setting = await startSetting();
  const printed = await runPage(NAME, "mastra.md", setting.address, "none");
  expect(printed).toEqual(["Hello, Ana. 2\n", "40 true true\n"]);
});
