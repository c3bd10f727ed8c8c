// Makes the texts of summaries from the output of hooks.

import { placeBefore } from "../../kit/text.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import { newestParts } from "./sentence-cuts.ts";
import type { SummaryOutput } from "./summary.ts";

const REQUEST_TITLE = "[User Requests Summary]";
const SUMMARY_TITLE = "[Compacted Context Summary]";
const FACTS_TITLE = "[Key Facts]";
const THREADS_TITLE = "[Open Threads]";
const NAME_PREFIX = "compaction_";

/** Display of a placed summary. */
export interface ShownTexts {
  /** The user message before it; undefined for none. */
  readonly request: string | undefined;
  /** The message that shows the summary, with the prefix of the stage. */
  readonly text: string;
}

/**
 * Joins a text to another and keeps the newest of both within `lastChars` (Unicode code points):
 * whole sentences, or exactly so many characters. Without an old text there is nothing to separate.
 */
export function joinTexts(
  old: string,
  added: string,
  {
    separator,
    lastChars,
    lastCharsExact,
  }: Pick<SummarySpec, "separator" | "lastChars" | "lastCharsExact">,
): string {
  const joined = old === "" ? added : old + separator + added;
  const last = joined.slice(placeBefore(joined, joined.length, lastChars));
  if (lastCharsExact === true || last === joined) return last;
  return newestParts(joined).find((part) => part.length <= last.length) ?? last;
}

/** The placeholder for messages that could not be summarized. */
export function placeholderText(spec: Pick<SummarySpec, "placeholder">, count: number): string {
  return spec.placeholder.replaceAll("{count}", String(count));
}

/**
 * The text of a placed summary, without the prefix of the stage. An exchange has a title and a
 * section for the facts and the open threads that the hook gave.
 */
export function placedText(
  { shape }: Pick<SummarySpec, "shape">,
  output: Pick<SummaryOutput, "text" | "facts" | "openThreads">,
): string {
  if (shape !== "exchange") return output.text;
  const parts = [`${SUMMARY_TITLE}\n${output.text}`];
  if (output.facts.length > 0) parts.push(section(FACTS_TITLE, output.facts));
  if (output.openThreads.length > 0) parts.push(section(THREADS_TITLE, output.openThreads));
  return parts.join("\n\n");
}

/**
 * The name of the assistant in an exchange: the model that the hook named, which lets a
 * reader distinguish generated text from real messages. Empty for other shapes and without a model.
 */
export function shownName(
  { shape }: Pick<SummarySpec, "shape">,
  { model }: Pick<SummaryOutput, "model">,
): string {
  return shape === "exchange" && model !== "" ? `${NAME_PREFIX}${model}` : "";
}

function section(title: string, items: readonly string[]): string {
  return [title, ...items.map((item) => `- ${item}`)].join("\n");
}

/** Texts that the window shows for a placed summary. */
export function shownTexts(
  spec: Pick<SummarySpec, "shape" | "prefix">,
  output: Pick<SummaryOutput, "text" | "requestText" | "facts" | "openThreads">,
): ShownTexts {
  const hasRequest = spec.shape === "exchange" && output.requestText !== "";
  return {
    request: hasRequest ? `${REQUEST_TITLE}\n${output.requestText}` : undefined,
    text: spec.prefix + placedText(spec, output),
  };
}
