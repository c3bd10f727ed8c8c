// The tests of the integrations of the TypeScript client. They run twice: with the newest version
// of the framework, and, but for the longest ones, with the lowest version that is supported.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { INTEGRATIONS, integrationFolder } from "./tools/package/integrations.ts";
import { StreamReporter } from "./tools/test/stream-reporter.ts";

const ROOT = import.meta.dirname;
const results = process.env["TEST_RESULTS"];

/** Name of the package of a framework whose lowest version is installed as `lowest`. */
function frameworkOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const [, name] = /^npm:(.+)@/.exec(manifest.devDependencies["lowest"] ?? "") ?? [];
  if (name === undefined) throw new Error(`${folder}/package.json names no lowest version`);
  return name;
}

const CLIENT = join(ROOT, "clients/typescript/src");
const alias = [
  { find: "@memory-sidecar/client/adapters", replacement: join(CLIENT, "adapters/index.ts") },
  { find: "@memory-sidecar/client", replacement: join(CLIENT, "index.ts") },
];

// Each project listens for the end of the process; Node warns of more than ten listeners.
process.setMaxListeners(2 * INTEGRATIONS.length + 10);

export default defineConfig({
  test: {
    projects: INTEGRATIONS.map(integrationFolder).flatMap((folder) => {
      const find = new RegExp(`^${frameworkOf(folder)}(?=/|$)`);
      // The tests of frameworks use the globals of vitest.
      const common = {
        ...{ pool: "forks" as const, globals: true, testTimeout: 300_000, hookTimeout: 60_000 },
        expect: { poll: { timeout: 20_000 } },
      };
      const include = [`${folder}/test/**/*.test.ts`];
      const exclude = ["package", "differential", "validation"].map(
        (file) => `${folder}/test/${file}.test.ts`,
      );
      return [
        { resolve: { alias }, test: { ...common, name: `${folder}: newest`, include } },
        {
          resolve: { alias: [...alias, { find, replacement: "lowest" }] },
          test: { ...common, name: `${folder}: lowest`, include, exclude },
        },
      ];
    }),
    reporters: results === undefined ? ["default"] : ["default", new StreamReporter(results)],
    maxWorkers: 2,
  },
});
