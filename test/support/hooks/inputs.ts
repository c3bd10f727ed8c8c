// Inputs of hooks in tests.

import { type HookCall, HookFailure, type SummarizeInput } from "../../../src/hooks/port.ts";

/** A text that must never leave a call; every content field contains it. */
export const CANARY = "canary-7f3a9c";

/** A call of a hook. */
export function hookCall(signal = new AbortController().signal): HookCall {
  return {
    taskId: "task-00000000001",
    namespace: "default",
    sessionId: "session-1",
    attempt: 1,
    signal,
  };
}

/** An input whose content contains the canary. */
export function summarizeInput(fields: Partial<SummarizeInput> = {}): SummarizeInput {
  return {
    messages: [],
    lines: [
      { role: "user", text: `I live in ${CANARY}.`, name: "", messageId: "m-1", seq: 1 },
      { role: "assistant", text: "Noted.", name: "", messageId: "m-2", seq: 2 },
    ],
    transcript: `user: I live in ${CANARY}.\nassistant: Noted.`,
    priorTexts: [],
    replacesPrior: false,
    savesTokens: true,
    maxTokens: 100,
    instructions: "",
    loop: 0,
    maxLoops: 0,
    draft: "",
    structured: false,
    trust: 2,
    ...fields,
  };
}

/** Failure of a call in a form for comparison. */
export async function failureOf(work: Promise<unknown> | undefined): Promise<HookFailure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HookFailure) return error;
    throw error;
  }
  throw new Error("The call did not fail.");
}
