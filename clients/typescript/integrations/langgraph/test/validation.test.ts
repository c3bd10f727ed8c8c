// The tests that LangGraph publishes for checkpointers, with ours in their place. They are fetched
// when they are needed, by their digest.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterAll, expect, type RunnerTask } from "vitest";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import { fetchPackage } from "../../../../../tools/package/registry-packages.ts";
import { SidecarSaver } from "../src/saver.ts";

interface Initializer {
  readonly checkpointerName: string;
  beforeAll(): Promise<void>;
  readonly beforeAllTimeout: number;
  afterAll(): Promise<void>;
  createCheckpointer(): BaseCheckpointSaver;
}

interface Suite {
  validate(initializer: Initializer): void;
  deltaChannelHistoryTests(initializer: Initializer): void;
}

const FOLDER = join(import.meta.dirname, "../.upstream/validation");
const TABLE = join(import.meta.dirname, "../../../../../docs/integrations/README.md");
const MODULE = join(FOLDER, "package/dist/index.js");
const wanted = JSON.parse(readFileSync(join(import.meta.dirname, "../upstream.json"), "utf8"));
if (!existsSync(MODULE)) {
  rmSync(FOLDER, { recursive: true, force: true });
  await fetchPackage(wanted, FOLDER);
}
const suite = (await import(MODULE)) as Suite;
let setting: Setting;

const initializer: Initializer = {
  checkpointerName: "SidecarSaver",
  beforeAllTimeout: 60_000,
  beforeAll: async () => {
    setting = await startSetting();
  },
  afterAll: async () => {
    await setting[Symbol.asyncDispose]();
  },
  createCheckpointer: () => new SidecarSaver(setting.client()),
};

suite.validate(initializer);
suite.deltaChannelHistoryTests(initializer);

/** Says how many of the tests below a task passed. */
function countOf(task: RunnerTask): { passed: number; all: number } {
  if (!("tasks" in task)) return { passed: task.result?.state === "pass" ? 1 : 0, all: 1 };
  return task.tasks.map(countOf).reduce((sum, { passed, all }) => {
    return { passed: sum.passed + passed, all: sum.all + all };
  });
}

// biome-ignore lint/correctness/noEmptyPattern: vitest reads what the first parameter asks for.
afterAll(({}, file) => {
  const table = readFileSync(TABLE, "utf8");
  const names = ["checkpointer validation", "history of delta channels"];
  for (const [index, task] of file.tasks.entries()) {
    const { passed, all } = countOf(task);
    expect(table).toContain(`| LangGraph (TypeScript) | ${names[index]} | ${passed} of ${all} |`);
  }
});
