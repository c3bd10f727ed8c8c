// The stages of `npm test`, quick ones first. A stage that measures time has one worker and runs
// alone.

import { TEST_DEPTH } from "../../test/support/kit/random.ts";
import { INTEGRATIONS, integrationFolder } from "../package/integrations.ts";

/** A part of the tests that runs by itself. */
export interface Stage {
  readonly name: string;
  /** Whether a test file belongs to the stage. */
  readonly holds: (path: string) => boolean;
  /** Number of files that run in parallel. */
  readonly workers: 1 | 2;
  /** Time limit in minutes. */
  readonly limitMinutes: number;
  /** Whether those of the Python client and its integrations may run at the same time. */
  readonly isBesidePython?: boolean;
  /** The integration of the TypeScript client that it tests, with packages of its own. */
  readonly integration?: string;
}

const below =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(folder));

/** The stages that vitest runs, in order. A file goes to the first stage that holds it. */
export const STAGES: readonly Stage[] = [
  {
    name: "unit",
    holds: below("src/", "tools/", "bench/", "examples/", "test/support/", "test/tidy.test.ts"),
    workers: 2,
    limitMinutes: 10,
  },
  { name: "contract", holds: below("test/contract/"), workers: 2, limitMinutes: 10 },
  { name: "golden", holds: below("test/golden/"), workers: 1, limitMinutes: 10 },
  { name: "conformance", holds: below("test/conformance/"), workers: 2, limitMinutes: 10 },
  { name: "storage", holds: below("test/storage/"), workers: 2, limitMinutes: 10 },
  { name: "sim", holds: below("test/sim/"), workers: 1, limitMinutes: 10 * TEST_DEPTH },
  { name: "crash", holds: below("test/crash/"), workers: 2, limitMinutes: 20 * TEST_DEPTH },
  { name: "e2e", holds: below("test/e2e/"), workers: 2, limitMinutes: 20 },
  { name: "mcp", holds: below("test/mcp/"), workers: 2, limitMinutes: 10 },
  { name: "bench", holds: below("test/bench/"), workers: 1, limitMinutes: 10 },
  { name: "languages", holds: below("test/languages/"), workers: 2, limitMinutes: 20 },
  {
    name: "install",
    holds: below("test/install/"),
    workers: 1,
    limitMinutes: 10,
    isBesidePython: true,
  },
  // The blocks of the documents use fixed ports, so no two of them run at once.
  { name: "docs", holds: below("test/docs/"), workers: 1, limitMinutes: 10, isBesidePython: true },
  ...INTEGRATIONS.map((integration) => ({
    name: `ts-${integration}`,
    holds: below(`${integrationFolder(integration)}/`),
    workers: 2 as const,
    limitMinutes: 10,
    isBesidePython: true,
    integration,
  })),
  {
    name: "clients",
    holds: below("clients/", "test/clients/"),
    workers: 1,
    limitMinutes: 10,
    isBesidePython: true,
  },
  // Catches tests in new folders that have no stage yet.
  { name: "other", holds: () => true, workers: 1, limitMinutes: 10 },
];

/** Sorts test files into stages; stages without files are omitted. */
export function sortIntoStages(
  paths: readonly string[],
): { readonly stage: Stage; readonly files: readonly string[] }[] {
  const sorted = new Map<Stage, string[]>(STAGES.map((stage) => [stage, []]));
  for (const path of paths) {
    const stage = STAGES.find(({ holds }) => holds(path));
    if (stage !== undefined) sorted.get(stage)?.push(path);
  }
  return [...sorted].flatMap(([stage, files]) => (files.length === 0 ? [] : [{ stage, files }]));
}
