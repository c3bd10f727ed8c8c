// The golden corpus of exchanges.
//
//   node test/golden/main.ts check [TEXT]   replays the scenes whose name holds TEXT, or all
//   node test/golden/main.ts show [TEXT]    prints their calls with the recorded answers
//   node test/golden/main.ts accept [TEXT]  takes what `check` finds different as it is now
//   node test/golden/main.ts record [TEXT]  records what the contract suite asks anew, or what the
//                                           tests ask whose files have names that begin with TEXT
//
// `accept` is for a change that callers are meant to see, `record` for new tests. Look at what
// `check` says first.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkScene } from "./check.ts";
import { type GoldenScene, readCorpus, withoutLargeCalls, writeCorpus } from "./corpus.ts";
import { answerLines, requestLines } from "./explain.ts";
import { replay } from "./replay.ts";
import type { Scene } from "./scene.ts";

const ROOT = join(import.meta.dirname, "../..");
const SHOWN_MAX = 40;
/** A scene of which less is the same each time is left out: work in the background decides it. */
const STABLE_SHARE = 0.9;
const [command, text = ""] = process.argv.slice(2);

/** Calls that the contract suite makes. */
function recordedScenes(): Scene[] {
  const folder = mkdtempSync(join(tmpdir(), "golden-"));
  try {
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const env = { ...process.env, GOLDEN_RECORD: folder, TEST_SEED: "1" };
    // Tests that look at the real clock fail while it stands still; what they ask is recorded.
    spawnSync(process.execPath, [vitest, "run", `test/contract/${text}`], {
      ...{ cwd: ROOT, env, stdio: "inherit" },
    });
    return readScenes(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readScenes(folder: string): Scene[] {
  return (
    readdirSync(folder)
      .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Scene)
      // A call whose work a worker does waits for one, which no replay has.
      .filter(({ hooks }) => hooks.every(({ polled }) => polled === undefined))
      .map(withoutLargeCalls)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  );
}

/** A scene with what all replays of it agree on. */
async function golden(scene: Scene): Promise<GoldenScene> {
  const [first, ...others] = [await replay(scene), await replay(scene), await replay(scene)];
  const answers = first.answers.map((answer, index) =>
    answer !== undefined && others.every((other) => isDeepStrictEqual(answer, other.answers[index]))
      ? answer
      : null,
  );
  const stored = Object.entries(first.stored).filter(([table, digest]) =>
    others.every((other) => other.stored[table] === digest),
  );
  return { ...scene, answers, stored: Object.fromEntries(stored) };
}

async function record(): Promise<void> {
  const scenes: GoldenScene[] = [];
  let compared = 0;
  let calls = 0;
  for (const recorded of recordedScenes()) {
    const scene = await golden(recorded);
    const stable = scene.answers.filter((answer) => answer !== null).length;
    console.log(`${stable} of ${scene.steps.length} calls: ${scene.name}`);
    if (stable < scene.steps.length * STABLE_SHARE) continue;
    compared += stable;
    calls += scene.steps.length;
    scenes.push(scene);
  }
  const names = new Set(scenes.map(({ name }) => name));
  const others = text === "" ? [] : readCorpus().filter(({ name }) => !names.has(name));
  writeCorpus([...others, ...scenes]);
  console.log(`${scenes.length} scenes; ${compared} of ${calls} calls have the same answer always`);
}

async function check(scenes: readonly GoldenScene[]): Promise<void> {
  const start = performance.now();
  const differences: string[] = [];
  let compared = 0;
  for (const scene of scenes) {
    const checked = await checkScene(scene);
    compared += checked.compared;
    differences.push(...checked.differences);
  }
  for (const text of differences.slice(0, SHOWN_MAX)) console.log(text);
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  console.log(`${compared} answers compared, ${differences.length} differ, in ${seconds} s`);
  if (compared === 0 || differences.length > 0) process.exitCode = 1;
}

/** Replaces the answers of the scenes that differ; what they ask stays. */
async function accept(): Promise<void> {
  const scenes: GoldenScene[] = [];
  let accepted = 0;
  for (const scene of readCorpus()) {
    const isWanted = scene.name.includes(text);
    const { differences } = isWanted ? await checkScene(scene) : { differences: [] };
    if (differences.length > 0) {
      console.log(`${differences.length} differences: ${scene.name}`);
      accepted += 1;
    }
    scenes.push(differences.length > 0 ? await golden(scene) : scene);
  }
  writeCorpus(scenes);
  console.log(`${accepted} of ${scenes.length} scenes are accepted as they are now`);
}

function show(scenes: readonly GoldenScene[]): void {
  for (const { name, steps, answers } of scenes) {
    for (const [index, step] of steps.entries()) {
      console.log(`\n== ${name}, call ${index}: ${step.method}`);
      for (const line of requestLines(step)) console.log(`> ${line}`);
      const answer = answers[index] ?? undefined;
      if (answer === undefined) console.log("< differs from one time to the next");
      else for (const line of answerLines(step, answer)) console.log(`< ${line}`);
    }
  }
}

// The corpus needs no durability.
if (existsSync("/dev/shm")) process.env["TMPDIR"] ??= "/dev/shm";
const wanted = (): GoldenScene[] => readCorpus().filter(({ name }) => name.includes(text));
if (command === "record") await record();
else if (command === "accept") await accept();
else if (command === "check") await check(wanted());
else if (command === "show") show(wanted());
else {
  console.error("usage: node test/golden/main.ts check|show|accept [TEXT], or record");
  process.exitCode = 2;
}
