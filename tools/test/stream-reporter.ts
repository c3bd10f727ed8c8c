// Writes each result of vitest to a file at once, as one line of JSON, so that a stopped run still
// reports its results.

import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { StreamedResult } from "./results.ts";

/** A reporter that writes to the file at a path. */
export class StreamReporter implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestCaseReady(test: TestCase): void {
    this.#write({ id: test.id, name: test.fullName, state: "started" });
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    const durationMs = test.diagnostic()?.duration ?? 0;
    this.#write({ id: test.id, name: test.fullName, state, durationMs });
  }

  /** A file that failed to load, or whose hooks failed, may have no failed test. */
  onTestModuleEnd(module: TestModule): void {
    const [failedTest] = module.children.allTests("failed");
    if (module.state() !== "failed" || failedTest !== undefined) return;
    this.#write({ id: module.id, name: module.relativeModuleId, state: "failed" });
  }

  #write(result: StreamedResult): void {
    appendFileSync(this.#path, `${JSON.stringify(result)}\n`);
  }
}
