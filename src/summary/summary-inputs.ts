// ListSummaryInputs: which messages of the window a summary should replace, so that SetSummary
// takes exactly these.

import { requestInvalid, sessionNotFound } from "../domain/errors.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Policy, PolicyStage } from "../domain/policy.ts";
import type { Session } from "../domain/session.ts";
import { groupEntriesAs } from "../domain/window/pairing.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { trimWindow } from "../domain/window/trim.ts";
import { ROLE } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { checkLive, liveSession } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import type { ListSummaryInputsInput, SummaryInputs } from "./window-api.ts";
import { detailReader, mergeInserts, signalsOf } from "./window-view.ts";

/** Lists the messages that a summary should replace. */
export async function listSummaryInputs(
  context: ServiceContext,
  call: Call,
  input: ListSummaryInputsInput,
): Promise<SummaryInputs> {
  checkLive(call.signal);
  const now = await context.store.readWindow(input);
  const session = liveSession(context, now?.session);
  if (now === undefined || session === undefined) throw sessionNotFound(input.sessionId);
  const { inserts, policy } = session.fields;
  const entries = mergeInserts(now.window, inserts, context.codec);
  const { choice } = input;
  const chosen =
    choice.kind === "keep-recent"
      ? beforeRecent(entries, policy, choice.keepRecent)
      : byStage(context, session, entries, { policy, name: choice.stage });
  const { messageCount, tokenCount } = totalsOf([...chosen]);
  return { ...pageOf([...chosen], input), total: { messageCount, tokenCount } };
}

/** By entry: the number of its tool call's group, below 0 for none. */
function groupsOf(entries: readonly StoredEntry[], { toolPairing }: Policy): Int32Array {
  return groupEntriesAs(entries, toolPairing).callOf;
}

/** All but system messages and the newest others, without parting a call from its results. */
export function beforeRecent(
  entries: readonly StoredEntry[],
  policy: Policy,
  keepRecent: number,
): ReadonlySet<StoredEntry> {
  const others = entries.filter((entry) => entry.role !== ROLE.system);
  const recent = new Set(keepRecent === 0 ? [] : others.slice(-keepRecent));
  const groups = groupsOf(entries, policy);
  const keptGroups = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    const group = groups[index] ?? -1;
    if (group >= 0 && recent.has(entry)) keptGroups.add(group);
  }
  return new Set(
    entries.filter((entry, index) => {
      if (entry.role === ROLE.system || recent.has(entry)) return false;
      return !keptGroups.has(groups[index] ?? -1);
    }),
  );
}

/** The stage of a policy with a name. Throws REQUEST_INVALID when there is none. */
export function stageOf({ stages }: Policy, name: string): PolicyStage {
  const stage = stages.find((one) => one.name === name);
  if (stage !== undefined) return stage;
  throw requestInvalid([{ field: "stage", description: "is no stage of the session's policy" }]);
}

/** What a stage of a policy would remove now, or has wait for a summary. */
export function byStage(
  context: Pick<ServiceContext, "codec">,
  session: Session,
  entries: readonly StoredEntry[],
  asked: { readonly policy: Policy; readonly name: string },
): ReadonlySet<StoredEntry> {
  const { policy, name } = asked;
  const stage = stageOf(policy, name);
  const outcome = trimWindow<StoredEntry>({
    entries,
    policy,
    occasions: new Set([stage.on]),
    ceiling: stage.on !== "read",
    // On append, triggers for tools look at one append alone, and there is none now.
    signals: signalsOf(
      session,
      stage.on === "append" ? [] : session.head.policyState.outcomes,
      policy,
    ),
    detailOf: detailReader(context.codec),
  });
  const seqs = new Set<number>();
  for (const trim of outcome.trims) {
    if (trim.stage === name) for (const { seq } of trim.removed) seqs.add(seq);
  }
  for (const run of outcome.runs) {
    if (run.stage === name) for (const { seq } of run.awaitsSummary) seqs.add(seq);
  }
  return new Set(entries.filter((entry) => seqs.has(entry.seq)));
}

/** The entries of a page: at least one, as many as were asked for and an answer holds. */
function pageOf(
  entries: readonly StoredEntry[],
  { after = Number.NEGATIVE_INFINITY, limit }: ListSummaryInputsInput,
): Pick<SummaryInputs, "messages" | "next"> {
  const left = entries.filter(({ seq }) => seq > after);
  let bytes = 0;
  const end = left.findIndex((entry, index) => {
    bytes += entry.byteCount;
    return index >= limit || (index > 0 && bytes > LIMITS.pageBytes);
  });
  const page = end < 0 ? left : left.slice(0, end);
  return {
    messages: page.map((entry) => entry.bytes),
    next: page.length < left.length ? page.at(-1)?.seq : undefined,
  };
}
