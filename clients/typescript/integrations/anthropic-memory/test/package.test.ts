// The package: its types, its files, and the code of docs/integrations/anthropic-memory.md.

import { expect, test } from "vitest";
import {
  packedFiles,
  runPage,
  typeProblems,
} from "../../../../../test/support/integrations/package.ts";
import { startSetting } from "../../../../../test/support/integrations/setting.ts";

const NAME = "anthropic-memory";

test("has the types that the newest and the lowest SDK ask for", async () => {
  expect(await typeProblems(NAME)).toBe("");
  expect(await typeProblems(NAME, { "@anthropic-ai/sdk": "lowest" })).toBe("");
});

test("holds its code, its types, its license and its README, and runs its page", async () => {
  const files = await packedFiles(NAME);
  const modules = ["commands", "errors", "files", "index", "paths", "texts", "tool"];
  const built = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`]);
  const others = ["package/LICENSE", "package/README.md", "package/package.json"];
  expect(files).toEqual([...others, ...built].sort());
  await using setting = await startSetting();
  const printed = await runPage(NAME, "anthropic-memory.md", setting.address, "new Anthropic(");
  expect(printed).toEqual(["/memories/trip.md Lisbon on Friday.\n"]);
});
