// Tasks for tests.

import type { SummarizeWork, Task } from "../../../src/tasks/rules/task.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../../../src/window/policy/summary-spec.ts";

/** A task that is ready, over two messages. */
export function sampleTask(fields: Partial<Task> = {}, work: Partial<SummarizeWork> = {}): Task {
  return {
    taskNo: 256,
    namespace: "default",
    sessionId: "s",
    type: "summarize",
    hook: "hook",
    stage: "",
    state: "ready",
    dueMs: 0,
    generation: 1,
    failedAttempts: 0,
    callCount: 0,
    lease: undefined,
    lastFailure: undefined,
    createMs: 0,
    deadMs: 0,
    summarize: {
      spec: DEFAULT_SUMMARY_SPEC,
      ranges: [{ first: 1, last: 2 }],
      made: [],
      sources: { messageCount: 2, tokenCount: 100 },
      triggers: [],
      loop: 1,
      draft: undefined,
      level: 1,
      inputTokens: 0,
      outputTokens: 0,
      ...work,
    },
    ...fields,
  };
}

/** A ready task of the stage `sum` for the hook `writer`, over the first three messages. */
export function taskOf(
  taskNo: number,
  fields: Partial<Omit<Task, "summarize">> = {},
  work: Partial<Omit<SummarizeWork, "spec">> & { readonly spec?: Partial<SummarySpec> } = {},
): Task {
  const { spec, ...rest } = work;
  return sampleTask(
    { taskNo, hook: "writer", stage: "sum", dueMs: 1, ...fields },
    {
      ranges: [{ first: 1, last: 3 }],
      sources: { messageCount: 3, tokenCount: 30 },
      ...rest,
      spec: { ...DEFAULT_SUMMARY_SPEC, hook: "writer", ...spec },
    },
  );
}
