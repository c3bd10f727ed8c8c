// Erasures in the memory engine.

import { type Erasure, isDone } from "../../src/erase/rules/erasure.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import type {
  AnswersQuery,
  AnswersStep,
  ErasureChange,
  ErasureDecision,
  ErasureProgress,
  ErasureRef,
  ErasureStore,
  ErasureView,
} from "../../src/store/store.ts";
import { type MemoryState, marked, namespaceOf, rememberReply, replyOf } from "./state.ts";

/** Saves the state of an erasure that a plan gives. */
export function saveErasure(
  state: MemoryState,
  namespace: string,
  progress: ErasureProgress | undefined,
): void {
  if (progress === undefined) return;
  const { erasure, marks = [] } = progress;
  const { erasures } = namespaceOf(state, namespace);
  const known = erasures.get(erasure.erasureId)?.marks ?? new Set();
  erasures.set(erasure.erasureId, { erasure, marks: new Set([...known, ...marks]) });
}

function changeErasure<T>(
  state: MemoryState,
  change: ErasureChange,
  decide: (view: ErasureView) => ErasureDecision<T>,
): T {
  const { namespace, erasureId, requestId } = change;
  const { erasures } = namespaceOf(state, namespace);
  const before = erasures.get(erasureId)?.erasure;
  const running = [...erasures.values()].filter(({ erasure }) => isUnderWay(erasure)).length;
  const reply = replyOf(state, namespace, requestId);
  const decision = decide({ erasure: before, running, reply });
  if (decision.kind === "answer") return decision.result;
  const ids = [...erasures.keys()].sort();
  if (before === undefined && ids.length >= LIMITS.erasureReceipts) {
    const oldest = ids.find((id) => !isUnderWay(erasures.get(id)?.erasure));
    erasures.delete(oldest ?? "");
  }
  saveErasure(state, namespace, decision);
  rememberReply(state, namespace, requestId, marked(decision.reply, []));
  return decision.result;
}

function isUnderWay(erasure: Erasure | undefined): boolean {
  return erasure !== undefined && !isDone(erasure);
}

function eraseAnswers(state: MemoryState, query: AnswersQuery): AnswersStep {
  const { isMeant, namespace, progress } = query;
  const { replies } = namespaceOf(state, namespace);
  const meant = [...replies].filter(
    ([, { about, isErased }]) => isErased !== true && isMeant(about),
  );
  if (progress !== undefined && meant.length > 0) {
    for (const [requestId, reply] of meant) {
      replies.set(requestId, { ...reply, bytes: new Uint8Array(0), isErased: true });
    }
    saveErasure(state, namespace, progress(meant.length));
  }
  return { count: meant.length, next: undefined };
}

/** The calls on erasures, over the state of the engine. */
export function erasureCalls(
  now: () => MemoryState,
  run: <T>(step: () => T) => Promise<T>,
): ErasureStore {
  const of = ({ namespace, erasureId }: ErasureRef) =>
    namespaceOf(now(), namespace).erasures.get(erasureId);
  return {
    readErasure: (ref) => run(() => of(ref)?.erasure),
    runningErasures: () =>
      run(() =>
        [...now().namespaces].flatMap(([namespace, { erasures }]) =>
          [...erasures.values()].flatMap(({ erasure }) =>
            isUnderWay(erasure) ? [{ namespace, erasureId: erasure.erasureId }] : [],
          ),
        ),
      ),
    changeErasure: (change, decide) => run(() => changeErasure(now(), change, decide)),
    erasureMarks: (ref) => run(() => of(ref)?.marks ?? new Set()),
    dropErasureMarks: (ref) =>
      run(() => {
        of(ref)?.marks.clear();
        return false;
      }),
    eraseAnswers: (query) => run(() => eraseAnswers(now(), query)),
    // Nothing is left to upkeep here.
    purgedBefore: (mark = 0) => run(() => ({ mark, isPurged: true })),
    clearJournal: () => run(() => true),
  };
}
