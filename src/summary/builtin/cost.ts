// Cost of text, by a rule that needs no tokenizer.

import { endsPair } from "../../kit/text.ts";

/** The size of a text. */
export interface TextCost {
  /** UTF-8 bytes: four are counted as a token. */
  readonly bytes: number;
  /** Upper estimate of its tokens in byte pair encodings. */
  readonly pieces: number;
}

// Upper estimates of tokens a character, from cl100k_base and o200k_base: English has 0.2 to 0.25 a
// letter and text that is hardly words up to 0.45; marks in a row are a token each; other alphabets
// have up to 1 a letter, Chinese up to 2, an emoji up to 3.
const LETTER_PIECES = 0.45;
const MARK_PIECES = 1;
const TWO_BYTE_PIECES = 1;
const THREE_BYTE_PIECES = 2;
const FOUR_BYTE_PIECES = 3;

/** Letters and digits in a row beyond which they are data, such as base64, not a word. */
const WORD_CHARS = 24;

/** Measures a text. */
export function costOf(text: string): TextCost {
  let bytes = 0;
  let pieces = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      const plain = isAlphanumeric(unit);
      run = plain ? run + 1 : 0;
      bytes += 1;
      pieces += (plain && run <= WORD_CHARS) || unit === SPACE ? LETTER_PIECES : MARK_PIECES;
      continue;
    }
    run = 0;
    if (unit < 0x800) {
      bytes += 2;
      pieces += TWO_BYTE_PIECES;
    } else if (endsPair(text, i + 1)) {
      i += 1;
      bytes += 4;
      pieces += FOUR_BYTE_PIECES;
    } else {
      bytes += 3;
      pieces += THREE_BYTE_PIECES;
    }
  }
  return { bytes, pieces };
}

const SPACE = 0x20;

function isAlphanumeric(unit: number): boolean {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}

/** Budget for a text. */
export interface TextBudget {
  readonly bytes: number;
  readonly pieces: number;
}

const TOKEN_BYTES = 4;

/** A real tokenizer may count up to this many times the tokens that were asked for. */
const PIECES_FACTOR = 2;

/** Gives the budget of a number of tokens. */
export function budgetOfTokens(tokens: number): TextBudget {
  return { bytes: tokens * TOKEN_BYTES, pieces: tokens * PIECES_FACTOR };
}

/** Whether text of this size is within the budget. */
export function fits(cost: TextCost, budget: TextBudget): boolean {
  return cost.bytes <= budget.bytes && cost.pieces <= budget.pieces;
}

/** Adds two sizes. */
export function sumOf(a: TextCost, b: TextCost): TextCost {
  return { bytes: a.bytes + b.bytes, pieces: a.pieces + b.pieces };
}
