// Cuts the longest messages of a task until all fit the limits of its hook. A task holds at least
// one message, or a call with its results, however large; others are chosen to fit and stay whole.

import type { Codec } from "../core/codec.ts";
import { LIMITS } from "../kit/limits.ts";
import { shortenPlan } from "../window/rules/shorten.ts";

/** A message that is given to a hook. */
export interface SourceMessage {
  /** Its place in the window: the seq of a message of the log, else a number between two. */
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly tokenCount: number;
  readonly isSummary: boolean;
  /** For a placed summary: its text without the prefix. */
  readonly text: string | undefined;
}

/** Limits on the input of a hook. */
export interface InputLimits {
  readonly tokensMax: number;
  /** Cost of an image under the policy of the session. */
  readonly imageTokenCount: number;
}

/** The messages, with the longest texts cut until all fit the limits, if possible. */
export function cutMessages(
  codec: Codec,
  sources: readonly SourceMessage[],
  limits: InputLimits,
): readonly SourceMessage[] {
  const tokenCap = capOf(
    sources.map(({ tokenCount }) => tokenCount),
    limits.tokensMax,
  );
  const byteCap = capOf(
    sources.map(({ bytes }) => bytes.length),
    LIMITS.taskInputBytes,
  );
  if (tokenCap === undefined && byteCap === undefined) return sources;
  return sources.map((source) => {
    const { tokenCount, bytes } = source;
    // A message that is too long in bytes is cut to the share of its tokens that it may keep.
    const share = byteCap === undefined ? 1 : Math.min(1, byteCap / bytes.length);
    const cap = Math.min(tokenCap ?? tokenCount, Math.floor(tokenCount * share));
    return cap < tokenCount ? cut(codec, source, cap, limits) : source;
  });
}

function cut(
  codec: Codec,
  source: SourceMessage,
  cap: number,
  { imageTokenCount }: InputLimits,
): SourceMessage {
  const detail = codec.readDetail(source.bytes);
  const plan = shortenPlan(detail, source.tokenCount, cap, imageTokenCount);
  if (plan === undefined) return source;
  const bytes = codec.shortenMessage(source.bytes, plan.keptChars, plan.tokenCount);
  // The plain text of a placed summary is not cut: the hook gets its shown text, which is.
  return { ...source, bytes, tokenCount: plan.tokenCount, text: undefined };
}

/**
 * The cap at which the sum of sizes meets the limit when all larger ones are cut to it; undefined
 * when the sum is within the limit already.
 */
export function capOf(sizes: readonly number[], limit: number): number | undefined {
  let sum = 0;
  for (const size of sizes) sum += size;
  if (sum <= limit) return undefined;
  let left = limit;
  const rising = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of rising.entries()) {
    const share = left / (rising.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return undefined;
}
