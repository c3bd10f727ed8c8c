// How GetWindow shows the summary of a session among the messages.

import type { Summary } from "../domain/summaries/summary.ts";
import { countedRule } from "../domain/token-rules.ts";
import { addTotals } from "../domain/window/totals.ts";
import { ROLE } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { ServiceContext } from "./context.ts";
import type { Shown, Viewed } from "./window-shown.ts";
import { isInLog } from "./window-view.ts";

/** The id of the message that shows the summary of a session. */
const SUMMARY_ID = "summary";
const NO_IDS: readonly string[] = [];

/** Before every seq and every insert; no integer, as of all that is not in the log. */
const FIRST_POSITION = -0.5;

/** Whether the messages show the summary of the session. */
export function showsSummary({ policy }: Viewed, summary: Summary | undefined): summary is Summary {
  return summary !== undefined && policy.summaryView.show !== "none";
}

/** The messages of an answer with the summary of the session, as the policy says. */
export async function withSummary(
  context: ServiceContext,
  viewed: Viewed,
  shown: Shown,
  summary: Summary,
): Promise<Shown> {
  const { show, prefix } = viewed.policy.summaryView;
  const text = `${prefix}${summary.text}`;
  // What the server itself placed is no place for it: it may leave with the next summary.
  const at =
    show === "system-suffix"
      ? shown.entries.findIndex((entry) => entry.role === ROLE.system && isInLog(entry))
      : -1;
  const system = shown.entries[at];
  return system === undefined
    ? await before(context, viewed, shown, { summary, text })
    : await behind(context, viewed, shown, { at, system, suffix: `\n\n${text}` });
}

async function before(
  context: ServiceContext,
  viewed: Viewed,
  shown: Shown,
  { summary, text }: { readonly summary: Summary; readonly text: string },
): Promise<Shown> {
  const tokenCount = await context.tokens.countText(text, countedRule(viewed.own));
  const { trust, createMs } = summary;
  const role = ROLE.system;
  const bytes = context.codec.encodeMade({
    ...{ messageId: SUMMARY_ID, kind: "summary", role, trust, text, tokenCount, createMs },
    ...{ toolCallId: "", name: "" },
  });
  const byteCount = bytes.length;
  const entry: StoredEntry = {
    ...{ seq: FIRST_POSITION, messageId: SUMMARY_ID, role, tokenCount, createMs },
    ...{ callIds: NO_IDS, answers: NO_IDS, isResult: false, byteCount, bytes },
  };
  return {
    ...shown,
    entries: [entry, ...shown.entries],
    totals: addTotals(shown.totals, { messageCount: 1, tokenCount, byteCount }),
  };
}

async function behind(
  context: ServiceContext,
  viewed: Viewed,
  shown: Shown,
  to: { readonly at: number; readonly system: StoredEntry; readonly suffix: string },
): Promise<Shown> {
  const { at, system, suffix } = to;
  const added = await context.tokens.countText(suffix, countedRule(viewed.own));
  const tokenCount = system.tokenCount + added;
  const bytes = context.codec.appendText(system.bytes, suffix, tokenCount);
  const byteCount = bytes.length;
  const grown = byteCount - system.byteCount;
  return {
    ...shown,
    entries: shown.entries.with(at, { ...system, tokenCount, byteCount, bytes }),
    totals: addTotals(shown.totals, { messageCount: 0, tokenCount: added, byteCount: grown }),
  };
}
