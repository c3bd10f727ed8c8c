// Reads of the decisions about sessions.

import { vi } from "vitest";
import type { SessionChange, Store } from "../../../src/store/store.ts";

/** Each read of a window or of messages from now on, and the end of each decision. */
export function noteDecisions(store: Store): ("window" | readonly number[] | "decided")[] {
  const notes: ("window" | readonly number[] | "decided")[] = [];
  const change = store.changeSession.bind(store);
  vi.spyOn(store, "changeSession").mockImplementation((target: SessionChange, decide) =>
    change(target, (view) => {
      const decision = decide({
        ...view,
        window: () => {
          notes.push("window");
          return view.window();
        },
        messagesAt: (seqs) => {
          notes.push(seqs);
          return view.messagesAt(seqs);
        },
      });
      notes.push("decided");
      return decision;
    }),
  );
  return notes;
}
