// Goal: a wait ends when its timer says so, whatever the clock says by then.

import { expect, test } from "vitest";
import type { ServiceContext } from "../core/context.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import { type SessionNews, waitForTask } from "./await-task.ts";
import type { Task } from "./rules/task.ts";

const task: Task = {
  ...{ taskNo: 513, namespace: "n", sessionId: "s", type: "summarize", hook: "h", stage: "" },
  ...{ state: "ready", dueMs: 0, generation: 0, failedAttempts: 0, callCount: 0 },
  ...{ lease: undefined, lastFailure: undefined, createMs: 0, deadMs: 0 },
  summarize: {
    ...{ spec: DEFAULT_SUMMARY_SPEC, ranges: [], made: [], triggers: [], loop: 1, level: 1 },
    ...{ sources: { messageCount: 0, tokenCount: 0 }, draft: undefined },
    ...{ inputTokens: 0, outputTokens: 0 },
  },
};

test.each([
  ["stands still", 200, 1],
  ["is past the time already", -1, 0],
])("a wait ends though the clock %s", async (_, untilMs, looksAgain) => {
  let looks = 0;
  const context = {
    world: {
      nowMs: () => 0,
      later: (callback: () => void) => {
        setImmediate(callback);
        return () => {};
      },
    },
    store: {
      readTask: async () => {
        looks += 1;
        return task;
      },
    },
  } as unknown as ServiceContext;
  const news = { isClosed: false, on: () => () => {} } as unknown as SessionNews;
  const limit = { untilMs, signal: new AbortController().signal };
  const end = await waitForTask({ context, news }, task, limit);
  expect(end).toEqual({ task, outcome: "pending", summary: undefined });
  expect(looks).toBe(1 + looksAgain);
});
