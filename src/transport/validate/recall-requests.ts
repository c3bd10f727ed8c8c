// The rules of the requests that recall, embed and count, one function each.

import { LIMITS } from "../../domain/limits.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { FusionMethod, RecallMode, type RecallWeights } from "../../gen/memorysidecar/v1/recall.ts";
import type { EmbedRequest, RecallRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import type { CountTokensRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../fast-writer.ts";
import { checkEmbedding } from "./embedding.ts";
import { checkNewMessage } from "./message.ts";
import { checkCounting } from "./policy.ts";
import { checkRecallFilter } from "./recall-filter.ts";
import { checkScoring } from "./recall-scoring.ts";
import type { Violations } from "./violations.ts";

export function checkRecall(request: RecallRequest, v: Violations): void {
  checkEmbedding(v, request.embedding);
  if (request.mode === RecallMode.LEXICAL && request.embedding !== undefined) {
    v.add("embedding", "must be unset with RECALL_MODE_LEXICAL");
  }
  checkRecallFilter(v, request.filter);
  checkWeights(v, request.weights, request.fusion);
  checkScoring(request, v);
}

/** Checks the weights of recall. */
export function checkWeights(
  v: Violations,
  weights: RecallWeights | undefined,
  fusion: FusionMethod = FusionMethod.UNSPECIFIED,
): void {
  if (weights === undefined) return;
  if (fusion === FusionMethod.RECIPROCAL_RANK) {
    v.add("weights", "must be unset with FUSION_METHOD_RECIPROCAL_RANK");
  }
}

export function checkEmbed(request: EmbedRequest, v: Violations): void {
  const { texts } = request;
  checkTotal(v, "texts", bytesOf(texts), LIMITS.embedBytes);
}

export function checkCountTokens(request: CountTokensRequest, v: Violations): void {
  const { texts, messages } = request;
  const textBytes = bytesOf(texts);
  checkTotal(v, "texts", textBytes, LIMITS.countTokensBytes);
  let bytes = textBytes;
  for (const [index, message] of messages.entries()) {
    if (v.full) return;
    v.enterItem("messages", index);
    checkNewMessage(v, message);
    v.leaveItem();
    bytes += encodeWire(Message, message).length;
  }
  if (textBytes <= LIMITS.countTokensBytes) {
    checkTotal(v, "messages", bytes, LIMITS.countTokensBytes);
  }
  checkCounting(v, request);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function checkTotal(v: Violations, field: string, bytes: number, max: number): void {
  if (bytes > max) v.add(field, `take ${bytes} bytes together; at most ${max} are allowed`, max);
}
