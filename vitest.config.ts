import { execFileSync } from "node:child_process";
import { defineConfig } from "vitest/config";
import { StreamReporter } from "./tools/test/stream-reporter.ts";

const results = process.env["TEST_RESULTS"];

execFileSync(process.execPath, ["tools/ready.js"], { cwd: import.meta.dirname, stdio: "inherit" });

export default defineConfig({
  test: {
    include: [
      "{src,test,tools,bench,examples}/**/*.test.ts",
      "clients/typescript/{src,test,examples}/**/*.test.ts",
    ],
    setupFiles: process.env["GOLDEN_RECORD"] === undefined ? [] : ["test/golden/recorder.ts"],
    // Tests open stores and start servers: files run side by side, at most two at a time.
    pool: "forks",
    reporters: results === undefined ? ["default"] : ["default", new StreamReporter(results)],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
