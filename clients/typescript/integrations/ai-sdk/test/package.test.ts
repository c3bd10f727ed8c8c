// The package: its types, its files, and the code of docs/integrations/ai-sdk.md.

import { expect, test } from "vitest";
import {
  packedFiles,
  runPage,
  typeProblems,
} from "../../../../../test/support/integrations/package.ts";
import { startSetting } from "../../../../../test/support/integrations/setting.ts";

const NAME = "ai-sdk";

test("has the types that the newest and the lowest SDK ask for", async () => {
  expect(await typeProblems(NAME)).toBe("");
  expect(await typeProblems(NAME, { ai: "lowest" })).toBe("");
});

test("holds its code, its types, its license and its README, and runs its page", async () => {
  const files = await packedFiles(NAME);
  const modules = [
    "assemble",
    "chats",
    "fragments",
    "index",
    "large",
    "merge",
    "middleware",
    "parts",
    "prompt",
    "tools",
  ];
  const built = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`]);
  const others = ["package/LICENSE", "package/README.md", "package/package.json"];
  expect(files).toEqual([...others, ...built].sort());
  await using setting = await startSetting();
  const printed = await runPage(NAME, "ai-sdk.md", setting.address, "none");
  expect(printed).toEqual(["user,user true\n", "2 true\n", "20 true true\n"]);
});
