// Rules for a plan. An engine for the disk trusts its caller in this; the model does not,
// so that a faulty plan shows in the tests.

import type { SessionHead } from "../../src/session/rules/session.ts";
import type { ReadFacts, SessionPlan } from "../../src/store/store.ts";
import type { SeqRange } from "../../src/window/rules/types.ts";
import { entriesIn } from "./reads.ts";
import { inRanges, type SessionState } from "./state.ts";

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`The plan is faulty: ${what}.`);
}

/** Checks a plan against the session before the change. Throws an Error that names the fault. */
export function checkPlan(before: SessionState | undefined, plan: SessionPlan): void {
  must(plan.events.length > 0, "it has no event");
  must((plan.reply?.createMs ?? 0) >= 0, "the time of its answer is none");
  if (plan.remove === true) {
    must(before !== undefined, "it deletes a session that does not exist");
    const added = (plan.tasks?.put?.length ?? 0) + (plan.summaries?.put.length ?? 0);
    const jobs = plan.memoryJobs?.put.some(({ job }) => job !== undefined) === true;
    must(added === 0 && !jobs, "it adds to a session that it deletes");
    return;
  }
  const { head } = plan;
  if (head === undefined) throw new Error("The plan is faulty: it has no head.");
  must(before !== undefined || plan.fields !== undefined, "a new session has no fields");
  const versions = before?.session.fields.summaryVersion ?? 0;
  const isRising = (plan.fields?.summaryVersion ?? versions) >= versions;
  must(isRising, "the version of the newest summary goes back");
  checkLog(before, plan, head);
}

function checkLog(before: SessionState | undefined, plan: SessionPlan, head: SessionHead): void {
  const reset = plan.resetLog === true;
  const log = reset ? new Map() : new Map(before?.log);
  const lastSeq = before?.session.head.lastSeq ?? 0;
  const own = new Map(plan.append?.map(({ seq, messageId }) => [seq, messageId]));
  const changed = new Set<number>();
  for (const { seq, messageId } of plan.replace ?? []) {
    must(log.get(seq)?.messageId === messageId, `there is no such message at seq ${seq}`);
    changed.add(seq);
  }
  for (const { seq, messageId } of plan.erase ?? []) {
    const known = log.get(seq)?.messageId ?? own.get(seq);
    must(known === messageId && !changed.has(seq), `there is no such message at seq ${seq}`);
    changed.add(seq);
    log.delete(seq);
  }
  const ids = new Set([...log.values()].map((message) => message.messageId));
  let newest = reset ? 0 : lastSeq;
  for (const { seq, messageId } of plan.append ?? []) {
    must(reset ? seq > newest : seq === newest + 1, `seq ${seq} follows seq ${newest}`);
    must(!ids.has(messageId), `the id of seq ${seq} is taken`);
    ids.add(messageId);
    newest = seq;
  }
  must(head.lastSeq >= lastSeq, "the newest seq goes back");
  must(
    reset ? newest <= head.lastSeq : newest === head.lastSeq,
    "the newest seq is not the head's",
  );
}

/** Checks a session after a change: its head must say what its log and its window hold. */
export function checkSession(
  readFacts: ReadFacts,
  state: SessionState,
  expected: { readonly window?: readonly { readonly seq: number }[]; readonly ranges?: Ranges },
): void {
  const { head } = state.session;
  const all = entriesIn(readFacts, state, [{ first: 1, last: head.lastSeq }]);
  const window = all.filter(({ seq }) => inRanges(head.windowRanges, seq));
  const sum = (list: typeof all, of: "tokenCount" | "byteCount") =>
    list.reduce((total, entry) => total + entry[of], 0);
  must(head.log.messageCount === all.length, "the messages of the log are counted wrongly");
  must(head.log.tokenCount === sum(all, "tokenCount"), "the tokens of the log are counted wrongly");
  must(
    head.window.messageCount === window.length,
    "the messages of the window are counted wrongly",
  );
  must(head.window.tokenCount === sum(window, "tokenCount"), "the window's tokens are wrong");
  must(head.window.byteCount === sum(window, "byteCount"), "the window's bytes are wrong");
  const same = (seqs: readonly number[]) => seqs.join() === window.map(({ seq }) => seq).join();
  if (expected.window !== undefined) {
    must(same(expected.window.map(({ seq }) => seq)), "the window is not that of its runs");
  }
  const { ranges } = expected;
  if (ranges !== undefined) {
    const untrimmed = all.filter(({ seq }) => inRanges(ranges, seq));
    must(same(untrimmed.map(({ seq }) => seq)), "the window was trimmed and nothing says so");
  }
}

type Ranges = readonly SeqRange[];
