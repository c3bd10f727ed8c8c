// Wire forms that the server makes: shortened messages, placed summaries and filled results.

import { codePointsOf } from "../../domain/tokens.ts";
import { shortenText, shortenToHead } from "../../domain/window/shorten.ts";
import * as wire from "../../gen/memorysidecar/v1/message.ts";
import { withQuarters } from "../../lib/token-quarters.ts";
import type { MadeMessage } from "../../service/api.ts";
import { encodeWire } from "../fast-writer.ts";
import { toTimestamp } from "./time.ts";

const NOTHING = new Uint8Array(0);

/** Gives the stored form of a message that costs so many tokens. */
export function encodeStored(message: wire.Message, tokenCount: number): Uint8Array {
  message.tokenCount = Math.floor(tokenCount);
  return withQuarters(encodeWire(wire.Message, message), tokenCount);
}

/** Replaces every text of the content, in order. */
function mapTexts(message: wire.Message, change: (text: string) => string): void {
  if (message.text !== "") message.text = change(message.text);
  mapParts(message.parts, change);
}

function mapParts(parts: readonly wire.ContentPart[], change: (text: string) => string): void {
  for (const { part } of parts) {
    if (part?.$case === "text") part.value = change(part.value);
    else if (part?.$case === "toolResult") {
      if (part.value.text !== "") part.value.text = change(part.value.text);
      mapParts(part.value.parts, change);
    }
  }
}

/**
 * Gives every text an equal share of what may stay; what short texts leave goes to the longer ones.
 */
function sharesOf(lengths: readonly number[], keptChars: number): readonly number[] {
  const shares = new Array<number>(lengths.length).fill(0);
  const order = lengths.map((_, index) => index);
  order.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  let left = keptChars;
  for (const [done, index] of order.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/**
 * Gives the wire form of a stored message with its texts cut to about `keptChars` code points in
 * all. Data, images, calls and provider payload stay as they are.
 */
export function shortenMessage(
  bytes: Uint8Array,
  keptChars: number,
  tokenCount: number,
  marker?: string,
): Uint8Array {
  const message = wire.Message.decode(bytes);
  const lengths: number[] = [];
  mapTexts(message, (text) => {
    lengths.push(codePointsOf(text));
    return text;
  });
  const shares = sharesOf(lengths, keptChars);
  let index = 0;
  mapTexts(message, (text) => {
    const share = shares[index] ?? 0;
    const isWhole = share >= (lengths[index] ?? 0);
    index += 1;
    if (isWhole) return text;
    return marker === undefined ? shortenText(text, share) : shortenToHead(text, share, marker);
  });
  return encodeStored(message, tokenCount);
}

/**
 * Gives the wire form of a stored message with a text behind its own: behind the last text part
 * where it has such, else behind its text.
 */
export function appendText(bytes: Uint8Array, suffix: string, tokenCount: number): Uint8Array {
  const message = wire.Message.decode(bytes);
  const last = message.parts.findLast(({ part }) => part?.$case === "text")?.part;
  if (last?.$case === "text") last.value += suffix;
  else message.text += suffix;
  return encodeStored(message, tokenCount);
}

/**
 * Gives the wire form of a message that stands in the window only. What shows a summary is a
 * model's, whatever its role; a filled result is a failed answer of its tool.
 */
export function encodeMade(made: MadeMessage): Uint8Array {
  const isResult = made.kind === "result";
  const message: wire.Message = {
    ...wire.Message.decode(NOTHING),
    messageId: made.messageId,
    role: made.role,
    name: made.name,
    text: made.text,
    toolCallId: isResult ? made.toolCallId : "",
    toolError: isResult,
    source: isResult ? wire.Source.TOOL : wire.Source.MODEL,
    trust: made.trust,
  };
  if (made.createMs !== 0) {
    message.createTime = toTimestamp(made.createMs);
    message.updateTime = message.createTime;
  }
  return encodeStored(message, made.tokenCount);
}
