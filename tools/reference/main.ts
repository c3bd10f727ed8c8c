// Writes docs/reference below a folder. What is wrong with the examples goes to standard error;
// then nothing is written, and the exit code is 1.
//
//   node tools/reference/main.ts FOLDER

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../process.ts";
import { buildContract } from "./contract.ts";
import { playStory } from "./play.ts";
import { renderPages } from "./render.ts";
import { readStory } from "./story.ts";

const folder = join(process.argv[2] ?? ROOT, "docs/reference");
const contract = buildContract(ROOT);
const { examples, problems } = await playStory(contract, readStory());
if (problems.length > 0) {
  console.error(["tools/reference/examples.yaml:", ...problems].join("\n  "));
  process.exitCode = 1;
} else {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of renderPages(contract, examples)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
