// The tests of the integrations of the TypeScript client. They run twice: with the newest version
// of the framework, and, but for the longest ones, with the lowest version that is supported.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { INTEGRATIONS, integrationFolder } from "./tools/package/integrations.ts";
import { StreamReporter } from "./tools/test/stream-reporter.ts";

const ROOT = import.meta.dirname;
const CLIENT = "@memory-sidecar/client";
const results = process.env["TEST_RESULTS"];

/** Names of the packages of a framework: what an integration is installed beside. */
function frameworkOf(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as {
    peerDependencies: Record<string, string>;
  };
  return Object.keys(manifest.peerDependencies).filter((name) => name !== CLIENT);
}

const alias = [{ find: CLIENT, replacement: join(ROOT, "clients/typescript/src/index.ts") }];

export default defineConfig({
  test: {
    projects: INTEGRATIONS.map(integrationFolder).flatMap((folder) => {
      const lowest = frameworkOf(folder).map((name) => {
        return { find: new RegExp(`^${name}(?=/|$)`), replacement: "lowest" };
      });
      const common = { pool: "forks" as const, testTimeout: 60_000, hookTimeout: 60_000 };
      const include = [`${folder}/test/**/*.test.ts`];
      const exclude = ["package", "differential"].map((file) => `${folder}/test/${file}.test.ts`);
      return [
        { resolve: { alias }, test: { ...common, name: `${folder}: newest`, include } },
        {
          resolve: { alias: [...alias, ...lowest] },
          test: { ...common, name: `${folder}: lowest`, include, exclude },
        },
      ];
    }),
    reporters: results === undefined ? ["default"] : ["default", new StreamReporter(results)],
    maxWorkers: 2,
  },
});
