// The stages of `npm test` that vitest runs, and which of them may run at the same time.

import { TEST_DEPTH } from "../../test/support/kit/random.ts";
import { INTEGRATIONS, integrationFolder } from "../package/integrations.ts";

/**
 * Stages that run one after another, as they would share both cores, builds or ports: `server`
 * tests the server itself, `clients` what programs use of it, in TypeScript and in other languages.
 */
export type Group = "server" | "clients";

/** A part of the tests that runs by itself. */
export interface Stage {
  readonly name: string;
  /** Whether a test file belongs to the stage. */
  readonly holds: (path: string) => boolean;
  /** Number of files that run in parallel. */
  readonly workers: 1 | 2;
  /** Time limit in minutes. */
  readonly limitMinutes: number;
  readonly group: Group;
  /** Whether its tests use the environment of the Python client. */
  readonly needsPython?: boolean;
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
    limitMinutes: 20,
    group: "server",
  },
  {
    name: "contract",
    holds: below("test/contract/"),
    workers: 2,
    limitMinutes: 20,
    group: "server",
  },
  { name: "golden", holds: below("test/golden/"), workers: 1, limitMinutes: 10, group: "server" },
  {
    name: "conformance",
    holds: below("test/conformance/"),
    workers: 2,
    limitMinutes: 10,
    group: "server",
  },
  { name: "storage", holds: below("test/storage/"), workers: 2, limitMinutes: 10, group: "server" },
  {
    name: "sim",
    holds: below("test/sim/"),
    workers: 1,
    limitMinutes: 10 * TEST_DEPTH,
    group: "server",
  },
  {
    name: "crash",
    holds: below("test/crash/"),
    workers: 2,
    limitMinutes: 30 * TEST_DEPTH,
    group: "server",
  },
  {
    name: "e2e",
    holds: below("test/e2e/"),
    workers: 2,
    limitMinutes: 30,
    group: "server",
    needsPython: true,
  },
  { name: "mcp", holds: below("test/mcp/"), workers: 2, limitMinutes: 10, group: "server" },
  {
    name: "bench",
    holds: below("test/bench/"),
    workers: 1,
    limitMinutes: 10,
    group: "server",
    needsPython: true,
  },
  {
    name: "languages",
    holds: below("test/languages/"),
    workers: 2,
    limitMinutes: 30,
    group: "clients",
    needsPython: true,
  },
  {
    name: "install",
    holds: below("test/install/"),
    workers: 1,
    limitMinutes: 10,
    group: "clients",
    needsPython: true,
  },
  {
    name: "docs",
    holds: below("test/docs/"),
    workers: 2,
    limitMinutes: 10,
    group: "clients",
    needsPython: true,
  },
  ...INTEGRATIONS.map((integration) => ({
    name: `ts-${integration}`,
    holds: below(`${integrationFolder(integration)}/`),
    workers: 2 as const,
    limitMinutes: 10,
    group: "clients" as const,
    integration,
  })),
  {
    name: "clients",
    holds: below("clients/", "test/clients/"),
    workers: 1,
    limitMinutes: 10,
    group: "clients",
  },
  // Catches tests in new folders that have no stage yet.
  { name: "other", holds: () => true, workers: 1, limitMinutes: 10, group: "server" },
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
