// Tasks for tests.

import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../../src/domain/summaries/spec.ts";
import type { SummarizeWork, Task } from "../../src/domain/tasks/task.ts";

/** A ready task of the stage `sum` for the hook `writer`, with what a test names. */
export function taskOf(
  taskNo: number,
  fields: Partial<Omit<Task, "summarize">> = {},
  work: Partial<Omit<SummarizeWork, "spec">> & { readonly spec?: Partial<SummarySpec> } = {},
): Task {
  const { spec, ...rest } = work;
  return {
    taskNo,
    namespace: "default",
    sessionId: "s",
    type: "summarize",
    hook: "writer",
    stage: "sum",
    state: "ready",
    dueMs: 1,
    generation: 1,
    failedAttempts: 0,
    callCount: 0,
    lease: undefined,
    lastFailure: undefined,
    createMs: 1,
    deadMs: 0,
    ...fields,
    summarize: {
      spec: { ...DEFAULT_SUMMARY_SPEC, hook: "writer", ...spec },
      ranges: [{ first: 1, last: 3 }],
      made: [],
      sources: { messageCount: 3, tokenCount: 30 },
      triggers: [],
      loop: 1,
      draft: undefined,
      level: 1,
      inputTokens: 0,
      outputTokens: 0,
      ...rest,
    },
  };
}
