// Judges the readability of summaries by rules that use the messages and no part of the summarizer.

import type { ExtractLine } from "../../src/summary/builtin/lines.ts";
import { labelOf } from "../../src/summary/builtin/render.ts";
import { type Extract, summarizeLines } from "../../src/summary/builtin/summarize.ts";
import { BUDGET_SHARE, FRESH, TOKEN_BYTES } from "./methods.ts";
import { type Chunk, type Conversation, chunksOf } from "./sets.ts";

/** Share of sentences that keep each rule. */
export interface Reading {
  readonly pieces: number;
  readonly sentences: number;
  /** The sentence begins and ends at sentence boundaries of its message. */
  readonly complete: number;
  /** Its line in the summary names the speaker, where there are several. */
  readonly named: number;
  /** Each figure has a word beside it, and no hash or id occurs alone. */
  readonly figures: number;
  /** It neither begins nor ends with a conjunction, a comma or a dash; code may. */
  readonly whole: number;
}

/** Pieces per set: three sets give thirty conversations, each of a size for one summary. */
const PIECES = 10;
const PIECE_TOKENS = 8_000;

/** Makes a summary and returns its sentences. */
export type Extractor = (lines: readonly ExtractLine[], maxTokens: number) => Extract;

const builtin: Extractor = (lines, maxTokens) => summarizeLines(lines, { ...FRESH, maxTokens });

/** Judges pieces of conversations, evenly spread over the set. */
export function readingOf(
  conversations: readonly Conversation[],
  extract: Extractor = builtin,
): Reading {
  const pieces = conversations.flatMap((conversation) => chunksOf(conversation, PIECE_TOKENS));
  const step = Math.max(1, pieces.length / PIECES);
  const chosen = pieces.filter((_, index) => {
    return Math.floor(index / step) > Math.floor((index - 1) / step);
  });
  const judged = chosen.flatMap((piece) => judgeChunk(piece, extract));
  const share = (of: (one: Judged) => boolean) => judged.filter(of).length / judged.length;
  return {
    pieces: chosen.length,
    sentences: judged.length,
    complete: share(({ complete }) => complete),
    named: share(({ named }) => named),
    figures: share(({ figures }) => figures),
    whole: share(({ whole }) => whole),
  };
}

interface Judged {
  readonly complete: boolean;
  readonly named: boolean;
  readonly figures: boolean;
  readonly whole: boolean;
}

function judgeChunk({ lines, bytes }: Chunk, extract: Extractor): readonly Judged[] {
  const maxTokens = Math.max(1, Math.floor((bytes * BUDGET_SHARE) / TOKEN_BYTES));
  const { text, sentences } = extract(lines, maxTokens);
  const sources = new Map(lines.map((line) => [line.seq, line]));
  const severalSpeak = new Set(lines.map((line) => labelOf(line))).size > 1;
  return sentences.map((sentence) => {
    const source = sources.get(sentence.seq);
    const label = source === undefined ? "" : labelOf(source);
    return {
      complete: isComplete(sentence, source?.text ?? ""),
      named: !severalSpeak || isNamed(sentence.text, label, text),
      figures: keepsFigures(sentence.text),
      whole: isWhole(sentence.text) || text.includes(`\`${sentence.text}\``),
    };
  });
}

const END = /[.!?…:。！？：]["'”’)\]」』*_`]*$/;
// Text before the first word of a line: markup of lists, headings, quotations and tables.
const LINE_START = /(?:^|\n)[\s>#*•\-–+|()\d.a-zA-Z]{0,6}["'“‘(*_`]*$/;

/** Whether a text begins and ends at sentence boundaries of its message. */
function isComplete({ text }: { readonly text: string }, message: string): boolean {
  const words = text.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(words.join("\\s+"), "u").exec(message);
  if (found === null) return false;
  const before = message.slice(0, found.index);
  const after = message.slice(found.index + found[0].length);
  const begins = LINE_START.test(before) || END.test(before.trimEnd());
  return begins && (END.test(text) || /^["'”’)\]*_`|\s]*(?:\n|$)/.test(after));
}

function isNamed(text: string, label: string, summary: string): boolean {
  const line = summary.split("\n").find((one) => one.includes(text));
  return line?.startsWith(`${label}:`) ?? false;
}

const FIGURE = /\p{N}/u;
const WORD = /\p{L}{2,}|\p{Script=Han}/u;
/** Long runs that mix letters and digits: hashes, keys and ids. */
const MACHINE = /^(?=\S*\d)(?=\S*[a-z])[\w+/=-]{16,}$/i;
const NEAR = 3;

function keepsFigures(text: string): boolean {
  const words = text.split(" ");
  return words.every((word, index) => {
    if (!FIGURE.test(word)) return true;
    const others = [
      ...words.slice(Math.max(0, index - NEAR), index),
      ...words.slice(index + 1, index + 1 + NEAR),
    ];
    const isLabelled = others.some((one) => WORD.test(one) && !MACHINE.test(one));
    return isLabelled || (WORD.test(word) && !MACHINE.test(word));
  });
}

function isWhole(text: string): boolean {
  return !STRAY_START.test(text) && !STRAY_END.test(text);
}

const CONJUNCTION = "and|or|but|because|which|so|while|when|that|where|who|if|than|to|of|with";
const STRAY_START = new RegExp(`^(?:(?:${CONJUNCTION})\\b|[,;:)\\]–—-])`);
const STRAY_END = new RegExp(`(?:[,;–—(-]|\\b(?:${CONJUNCTION}))$`);
