// Requests and results of the decisions about sessions.

import { vi } from "vitest";
import type { SessionChange, SessionDecision, Store } from "../../../src/store/store.ts";

/** The kinds of the decisions from now on, and the seqs that they or their changes asked for. */
export function noteDecisions(store: Store): { kinds: string[]; seqs: (readonly number[])[] } {
  const kinds: string[] = [];
  const seqs: (readonly number[])[] = [];
  const change = store.changeSession.bind(store);
  vi.spyOn(store, "changeSession").mockImplementation((target: SessionChange, decide) => {
    if (target.seqs !== undefined) seqs.push(target.seqs);
    return change(target, (view) => {
      const decision: SessionDecision<unknown> = decide(view);
      kinds.push(decision.kind);
      if (decision.kind === "need-messages") seqs.push(decision.seqs);
      return decision as ReturnType<typeof decide>;
    });
  });
  return { kinds, seqs };
}
