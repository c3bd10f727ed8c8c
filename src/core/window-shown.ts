// The part of a window that goes to the model after the stages ran: shortened messages are cut,
// unanswered tool calls get a result if the policy says so, and only the newest are given if asked
// for.

import { idRoom, takeNewestIds } from "../kit/id-list.ts";
import { LIMITS } from "../kit/limits.ts";
import type { StoredEntry } from "../store/store.ts";
import { fillText } from "../summary/rules/beside.ts";
import { TRUST } from "../summary/rules/summary.ts";
import type { Policy, ToolResultFill } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { type CallToFill, callsToFill } from "../window/rules/tool-result-fill.ts";
import { totalsOf } from "../window/rules/trim.ts";
import {
  type DetailOf,
  ROLE,
  type Totals,
  type TrimOutcome,
  type WindowTotals,
} from "../window/rules/types.ts";
import type { ServiceContext } from "./context.ts";
import { isInLog, withContent } from "./window-view.ts";

const NO_ENTRIES: readonly StoredEntry[] = [];
const NO_IDS: readonly string[] = [];

/** Result of the stages of a read. */
export interface Viewed {
  readonly outcome: TrimOutcome<StoredEntry>;
  /** The policy whose stages ran. */
  readonly policy: Policy;
  /** The policy of the session, whose rule counts what the server makes. */
  readonly own: Policy;
  readonly detailOf: DetailOf<StoredEntry>;
  /** Something may be among the entries that is not in the log. */
  readonly hasInserts: boolean;
}

/** The messages of an answer. */
export interface Shown {
  /** The messages of the answer: cut, filled, the newest. Made ones stand between seqs. */
  readonly entries: readonly StoredEntry[];
  readonly totals: WindowTotals;
  /** Part of the log that is shown, by the full cost of its messages. */
  readonly inLog: Totals;
  /** Messages that `newest` left out. */
  readonly leftOut: readonly StoredEntry[];
  readonly shortenedIds: readonly string[];
}

/**
 * Gives what goes to the model. A window that needs nothing of it is given as it is, at once: this
 * is what most reads get.
 */
export function showWindow(
  context: ServiceContext,
  viewed: Viewed,
  newest: number | undefined,
): Shown | Promise<Shown> {
  const { outcome, policy, hasInserts } = viewed;
  const isPlain =
    outcome.shortened.length === 0 && policy.toolResultFill === undefined && !hasInserts;
  if (!isPlain || newest !== undefined) return showChanged(context, viewed, newest);
  const { kept: entries, totals } = outcome;
  return { entries, totals, inLog: totals, leftOut: NO_ENTRIES, shortenedIds: NO_IDS };
}

async function showChanged(
  context: ServiceContext,
  viewed: Viewed,
  newest: number | undefined,
): Promise<Shown> {
  const { kept, shortened, totals } = viewed.outcome;
  let entries = kept;
  if (shortened.length > 0) entries = cutEntries(context, viewed);
  const { toolResultFill } = viewed.policy;
  if (toolResultFill !== undefined)
    entries = await fillEntries(context, viewed, toolResultFill, entries);
  let given = kept;
  if (newest !== undefined && newest < entries.length) {
    entries = entries.slice(-newest);
    const from = entries[0]?.seq ?? 0;
    given = kept.filter(({ seq }) => seq >= from);
  }
  const isWhole = given === kept;
  const isLog = given.every(isInLog);
  return {
    entries,
    totals: entries === kept ? totals : totalsOf(entries),
    inLog: entries === kept && isLog ? totals : totalsOf(isLog ? given : given.filter(isInLog)),
    leftOut: isWhole ? NO_ENTRIES : kept.slice(0, kept.length - given.length),
    shortenedIds: shortened.length === 0 ? NO_IDS : idsOfShortened(viewed, given),
  };
}

function idsOfShortened({ outcome }: Viewed, given: readonly StoredEntry[]): readonly string[] {
  const from = given[0]?.seq ?? Number.POSITIVE_INFINITY;
  const shown = outcome.shortened.filter(({ entry }) => entry.seq >= from);
  const ids = shown.map(({ entry }) => entry.messageId);
  return takeNewestIds(ids, idRoom(LIMITS.shortenedIds));
}

/** Puts the short forms in the place of the messages that stages shortened. */
function cutEntries(context: ServiceContext, viewed: Viewed): readonly StoredEntry[] {
  const cuts = new Map(viewed.outcome.shortened.map((cut) => [cut.entry.seq, cut]));
  return viewed.outcome.kept.map((entry) => {
    const cut = cuts.get(entry.seq);
    if (cut === undefined) return entry;
    const { keptChars, tokenCount, marker } = cut;
    const bytes = context.codec.shortenMessage(entry.bytes, keptChars, tokenCount, marker);
    return withContent(entry, bytes, tokenCount);
  });
}

/** Puts results behind tool calls that have none. */
async function fillEntries(
  context: ServiceContext,
  viewed: Viewed,
  toolResultFill: ToolResultFill,
  entries: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  // The details of a cut message are those of the whole one: its calls are the same.
  const calls = callsToFill(entries, toolResultFill, viewed.detailOf).slice(-LIMITS.filledResults);
  if (calls.length === 0) return entries;
  const text = fillText(toolResultFill);
  const tokenCount = await context.tokens.countText(text, countedRule(viewed.own));
  const made = calls.map((call) =>
    madeResult(context, call, { text, tokenCount, messageId: `filled-${call.position}` }),
  );
  const all = [...entries, ...made];
  return all.sort((a, b) => a.seq - b.seq);
}

/** A result that stands in one answer only. */
function madeResult(
  { codec }: ServiceContext,
  call: CallToFill,
  as: { readonly text: string; readonly tokenCount: number; readonly messageId: string },
): StoredEntry {
  const { callId, callName, position } = call;
  const bytes = codec.encodeMade({
    ...as,
    kind: "result",
    role: ROLE.tool,
    trust: TRUST.low,
    toolCallId: callId,
    name: callName,
    createMs: 0,
  });
  return {
    seq: position,
    messageId: as.messageId,
    role: ROLE.tool,
    callIds: NO_IDS,
    answers: [callId],
    isResult: true,
    tokenCount: as.tokenCount,
    createMs: 0,
    byteCount: bytes.length,
    bytes,
  };
}
