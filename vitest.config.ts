import { execFileSync } from "node:child_process";
import { configDefaults, defineConfig } from "vitest/config";
import { StreamReporter } from "./tools/test/stream-reporter.ts";

const results = process.env["TEST_RESULTS"];

const isRecording = process.env["GOLDEN_RECORD"] !== undefined;

/**
 * Tests of rules and use cases and of the contract, which leave nothing behind: files share a
 * process, and with it the modules that most of them load. Those that open files of stores, or
 * measure memory, each have a process of their own. So has the contract while it is recorded: a
 * scene that begins before the first test of a file would have the name of a test of another.
 */
const SHARED = ["compat", "context", "core", "erase", "events", "grpc", "hooks", "kit", "memory"]
  .concat("recall/lexical", "recall/rank", "recall/rules", "recall/vector", "records", "session")
  .concat("summary", "tasks", "window")
  .map((folder) => `src/${folder}/**/*.test.ts`)
  .concat(isRecording ? [] : "test/contract/**/*.test.ts");

execFileSync(process.execPath, ["tools/ready.js"], { cwd: import.meta.dirname, stdio: "inherit" });

export default defineConfig({
  test: {
    setupFiles: isRecording ? ["test/golden/recorder.ts"] : [],
    // Tests open stores and start servers: files run side by side, at most two at a time.
    pool: "forks",
    reporters: results === undefined ? ["default"] : ["default", new StreamReporter(results)],
    maxWorkers: 2,
    // The defaults of vitest are not enough for a machine that also runs other tests.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: "shared", isolate: false, include: SHARED } },
      {
        extends: true,
        test: {
          name: "own",
          include: [
            "{src,test,tools,bench,examples}/**/*.test.ts",
            "clients/typescript/{src,test,examples}/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...SHARED],
        },
      },
    ],
  },
});
