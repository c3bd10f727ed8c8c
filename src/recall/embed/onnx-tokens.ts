// The tokens of texts for a sentence transformer, by the tokenizer it was trained with.

import { Tokenizer } from "@huggingface/tokenizers";
import { type ModelDirectory, ModelDirectoryError } from "./onnx-directory.ts";

/**
 * UTF-16 units read for each token that the model reads. Splitting a megabyte would take seconds,
 * and what the model does not read is cut off anyway.
 */
const CHARS_PER_TOKEN = 16;

/** Gives the tokens of a text, cut to what the model reads. */
export type Tokenize = (text: string) => readonly number[];

/** Tokenization of texts. */
export interface TokenReader {
  readonly tokenize: Tokenize;
  /** Pads the shorter texts of a batch. */
  readonly padding: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Makes the reader of a model's directory. Throws ModelDirectoryError. */
export function createTokenReader(directory: ModelDirectory): TokenReader {
  try {
    const tokenizer = new Tokenizer(directory.tokenizer, directory.tokenizerConfig);
    const tokenize = (text: string): number[] => tokenizer.encode(text).ids;
    // The tokens that end every text, such as [SEP], stay when a text is cut.
    const bare = tokenizer.encode("a", { add_special_tokens: false }).ids;
    const framed = tokenize("a");
    const ends = framed.length - bare.length - firstIndexOf(framed, bare);
    if (framed.length - bare.length >= directory.tokensMax) {
      throw new ModelDirectoryError("the model reads fewer tokens than every text has");
    }
    return {
      tokenize: (text) => cut(tokenize(readable(text, directory.tokensMax)), directory, ends),
      padding: paddingOf(directory, tokenizer),
    };
  } catch (cause) {
    if (cause instanceof ModelDirectoryError) throw cause;
    throw new ModelDirectoryError("tokenizer.json is damaged or of a kind that is not known", {
      cause,
    });
  }
}

function readable(text: string, tokensMax: number): string {
  return text.slice(0, tokensMax * CHARS_PER_TOKEN).toWellFormed();
}

function firstIndexOf(all: readonly number[], part: readonly number[]): number {
  const at = all.findIndex((_, start) => part.every((id, i) => all[start + i] === id));
  return Math.max(0, at);
}

function cut(ids: number[], { tokensMax }: ModelDirectory, ends: number): number[] {
  if (ids.length <= tokensMax) return ids;
  return [...ids.slice(0, tokensMax - ends), ...ids.slice(ids.length - ends)];
}

function paddingOf(directory: ModelDirectory, tokenizer: Tokenizer): number {
  const padding = (directory.tokenizer as Json)["padding"] as Json | null | undefined;
  const id = padding?.["pad_id"];
  if (Number.isSafeInteger(id)) return id as number;
  const token = (directory.tokenizerConfig as Json)["pad_token"];
  return (typeof token === "string" ? tokenizer.token_to_id(token) : undefined) ?? 0;
}
