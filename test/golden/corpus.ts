// The golden corpus of exchanges as it lies in the repository: a compressed file for each file of
// the contract suite, with a line of JSON for each scene and its answers. Calls whose answer two
// replays of one commit disagree on have none.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Scene, Step, StepAnswer } from "./scene.ts";

const FOLDER = join(import.meta.dirname, "exchanges");
const SUFFIX = ".jsonl.br";

/** Larger requests try limits; the contract suite does that, and they would fill the corpus. */
const REQUEST_BYTES = 65_536;

/** Longer scenes are cut: they repeat one kind of call. */
const CALLS_MAX = 3_000;

/** A scene with what its calls must give; null for a call that is not compared. */
export interface GoldenScene extends Scene {
  readonly answers: readonly (StepAnswer | null)[];
  /** Digest of the final records, for each table that is the same after each replay. */
  readonly stored: Readonly<Record<string, string>>;
}

/** The scenes that are recorded, by name. */
export function readCorpus(): readonly GoldenScene[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const text = brotliDecompressSync(readFileSync(join(FOLDER, file))).toString("utf8");
      return text.split("\n").slice(0, -1);
    })
    .map((line) => JSON.parse(line) as GoldenScene);
}

/** Replaces what is recorded. A file whose scenes are as they were keeps its bytes. */
export function writeCorpus(scenes: readonly GoldenScene[]): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [file, inFile] of Map.groupBy(scenes, fileOf)) {
    const text = Buffer.from(inFile.map((scene) => `${JSON.stringify(scene)}\n`).join(""));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    writeFileSync(join(FOLDER, `${file}${SUFFIX}`), brotliCompressSync(text, { params }));
  }
}

/** The name of a scene begins with `contract/FILE.test.ts`. */
function fileOf({ name }: GoldenScene): string {
  return /^contract\/([\w-]+)/.exec(name)?.[1] ?? "other";
}

/** A scene without the calls that are too large to keep. */
export function withoutLargeCalls(scene: Scene): Scene {
  const places = new Map<number, number>();
  const kept: Step[] = [];
  for (const [index, step] of scene.steps.entries()) {
    if (kept.length === CALLS_MAX) break;
    if (step.request.length > REQUEST_BYTES || step.isLost === true) continue;
    const { during = [], ...rest } = step;
    const open = during.flatMap((at) => places.get(at) ?? []);
    places.set(index, kept.length);
    kept.push(open.length === 0 ? rest : { ...rest, during: open });
  }
  return { ...scene, steps: kept };
}
