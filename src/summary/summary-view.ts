// Placement of the session summary among the messages of GetWindow.

import { isSystemPreset } from "../compat/presets.ts";
import { withoutUnseen } from "../context/rules/fence.ts";
import type { ServiceContext } from "../core/context.ts";
import type { Shown, Viewed } from "../core/window-shown.ts";
import { isInLog, withContent } from "../core/window-view.ts";
import type { StoredEntry } from "../store/store.ts";
import type { Policy } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { tokenLimit } from "../window/rules/limit.ts";
import { addTotals } from "../window/rules/trim.ts";
import { ROLE } from "../window/rules/types.ts";
import { summaryRoom } from "./rules/beside.ts";
import { newestParts } from "./rules/sentence-cuts.ts";
import type { Summary } from "./rules/summary.ts";

/** The id of the message that shows the summary of a session. */
const SUMMARY_ID = "summary";
const NO_IDS: readonly string[] = [];

/** Offset of the summary from its neighbor: a fraction, as for all entries outside the log. */
const BEHIND = 0.5;

/** Separator between the text of a system message and the summary appended to it. */
const SUFFIX_GAP = "\n\n";

/** Text of a summary as a read shows it. Contexts leave out invisible characters as well. */
export function summaryText({ preset }: Pick<Policy, "preset">, text: string): string {
  return preset !== undefined && isSystemPreset(preset.name) ? text : withoutUnseen(text);
}

function showsSummary({ policy }: Viewed, summary: Summary | undefined): summary is Summary {
  return summary !== undefined && policy.summaryView.show !== "none";
}

/**
 * The messages of an answer with the summary of the session, placed as the policy says and cut to
 * its token budget. The messages unchanged when none of it fits or is to be shown.
 */
export async function withSummary(
  context: ServiceContext,
  viewed: Viewed,
  shown: Shown,
  summary: Summary | undefined,
): Promise<Shown> {
  if (!showsSummary(viewed, summary)) return shown;
  const { show, prefix } = viewed.policy.summaryView;
  // Messages that the server placed cannot carry it: they may leave with the next summary.
  const at =
    show === "system-suffix"
      ? shown.entries.findIndex((entry) => entry.role === ROLE.system && isInLog(entry))
      : -1;
  const system = shown.entries[at];
  const lead = system === undefined ? prefix : `${SUFFIX_GAP}${prefix}`;
  const room = roomFor(viewed.policy, shown);
  const text = summaryText(viewed.policy, summary.text);
  const said = text === "" ? undefined : await fitting(context, viewed, { lead, text, room });
  if (said === undefined) return shown;
  return system === undefined
    ? asMessage(context, viewed, shown, { ...said, summary })
    : behind(context, shown, { ...said, at, system });
}

/** Token budget of the summary beside these messages. */
function roomFor(policy: Policy, { entries, totals }: Shown): number {
  const most = summaryRoom(policy);
  const limit = policy.countStoredOnly === true ? undefined : tokenLimit(policy);
  if (limit === undefined) return most;
  let { tokenCount } = totals;
  if (policy.protections.system === "excluded") {
    for (const entry of entries) if (entry.role === ROLE.system) tokenCount -= entry.tokenCount;
  }
  return Math.min(most, limit - tokenCount);
}

/** The text of a summary behind its lead, and the cost of both. */
interface Said {
  readonly said: string;
  readonly tokenCount: number;
}

/** The newest part of a text that fits, with its lead; undefined when none does. */
async function fitting(
  { tokens }: ServiceContext,
  { own }: Viewed,
  { lead, text, room }: { readonly lead: string; readonly text: string; readonly room: number },
): Promise<Said | undefined> {
  const rule = countedRule(own);
  const counted = async (part: string): Promise<Said> => {
    const said = lead + part;
    return { said, tokenCount: await tokens.countText(said, rule) };
  };
  const whole = await counted(text);
  if (whole.tokenCount <= room) return whole;
  const parts = newestParts(text);
  let fits: Said | undefined;
  let [first, end] = [0, parts.length];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const part = await counted(parts[middle] ?? "");
    if (part.tokenCount > room) first = middle + 1;
    else {
      fits = part;
      end = middle;
    }
  }
  return fits;
}

/** Shows the summary as a separate system message. */
function asMessage(
  { codec }: ServiceContext,
  { policy }: Viewed,
  shown: Shown,
  { said: text, tokenCount, summary }: Said & { readonly summary: Summary },
): Shown {
  const { trust, createMs } = summary;
  const role = ROLE.system;
  const bytes = codec.encodeMade({
    ...{ messageId: SUMMARY_ID, kind: "summary", role, trust, text, tokenCount, createMs },
    ...{ toolCallId: "", name: "" },
  });
  const byteCount = bytes.length;
  const { entries } = shown;
  const at = policy.summaryView.show === "system-first" ? 0 : promptLength(entries);
  const seq = (entries[at - 1]?.seq ?? -1) + BEHIND;
  const entry: StoredEntry = {
    ...{ seq, messageId: SUMMARY_ID, role, tokenCount, createMs },
    ...{ callIds: NO_IDS, answers: NO_IDS, isResult: false, byteCount, bytes },
  };
  return {
    ...shown,
    entries: entries.toSpliced(at, 0, entry),
    totals: addTotals(shown.totals, { messageCount: 1, tokenCount, byteCount }),
  };
}

/** Length of the system prompt: the system messages of the log that begin a window. */
function promptLength(entries: readonly StoredEntry[]): number {
  const end = entries.findIndex((entry) => entry.role !== ROLE.system || !isInLog(entry));
  return end === -1 ? entries.length : end;
}

/** Behind the text of a system message. */
function behind(
  { codec }: ServiceContext,
  shown: Shown,
  to: Said & { readonly at: number; readonly system: StoredEntry },
): Shown {
  const { at, system, said: suffix, tokenCount: added } = to;
  const tokenCount = system.tokenCount + added;
  const bytes = codec.appendText(system.bytes, suffix, tokenCount);
  const grown = bytes.length - system.byteCount;
  return {
    ...shown,
    entries: shown.entries.with(at, withContent(system, bytes, tokenCount)),
    totals: addTotals(shown.totals, { messageCount: 0, tokenCount: added, byteCount: grown }),
  };
}
