// ListSummaryInputs: the messages of the window that a summary should replace, for SetSummary.

import { existingWindow } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { ListSummaryInputsInput, SummaryInputs } from "../core/window-api.ts";
import { detailReader, mergeInserts, signalsOf } from "../core/window-view.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { requestInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import { groupEntriesAs } from "../window/rules/groups.ts";
import { totalsOf, trimWindow } from "../window/rules/trim.ts";
import { ROLE } from "../window/rules/types.ts";

/** Lists the messages that a summary should replace. */
export async function listSummaryInputs(
  context: ServiceContext,
  call: Call,
  input: ListSummaryInputsInput,
): Promise<SummaryInputs> {
  checkLive(call.signal);
  const { session, window } = await existingWindow(context, input);
  const { inserts, policy } = session.fields;
  const entries = mergeInserts(window, inserts, context.codec);
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

/** Entries that a stage of a policy would remove now, or that wait for its summary. */
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
    // On append, triggers for tools consider that append only, and there is none now.
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
