// Decides a change of a session for an engine that reads in place: with what the change names, then
// again with whatever else the decision asks for.

import type { SessionChange, SessionDecision, SessionView, StoredMessage } from "./store.ts";

/** Parts of a session that are loaded for a decision. */
export type LoadedParts = Pick<SessionView, "messagesAt"> & { readonly hasWindow: boolean };

/** A decision for which everything was loaded. */
export type Decided<T> = Exclude<SessionDecision<T>, { readonly kind: `need-${string}` }>;

/** Reads of an engine for a decision. */
export interface DecisionReads {
  readonly readMessage: (seq: number) => StoredMessage | undefined;
  readonly viewOf: (loaded: LoadedParts) => SessionView;
}

/** Decides a change of a session. */
export function decideSession<T>(
  change: SessionChange,
  { readMessage, viewOf }: DecisionReads,
  decide: (view: SessionView) => SessionDecision<T>,
): Decided<T> {
  const messages = new Map<number, StoredMessage | undefined>();
  const load = (seqs: readonly number[]): void => {
    for (const seq of seqs) if (!messages.has(seq)) messages.set(seq, readMessage(seq));
  };
  const messagesAt: SessionView["messagesAt"] = (seqs) =>
    seqs.every((seq) => messages.has(seq))
      ? seqs.flatMap((seq) => messages.get(seq) ?? [])
      : undefined;
  let hasWindow = change.needWindow === true;
  load(change.seqs ?? []);
  for (;;) {
    const decision = decide(viewOf({ hasWindow, messagesAt }));
    if (decision.kind === "need-window") {
      if (hasWindow) throw new Error("A decision asked for a window it had.");
      hasWindow = true;
    } else if (decision.kind === "need-messages") {
      if (messagesAt(decision.seqs)) throw new Error("A decision asked for messages it had.");
      load(decision.seqs);
    } else {
      return decision;
    }
  }
}
