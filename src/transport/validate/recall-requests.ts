// The rules of the requests that recall, embed and count, one function each.

import { LIMITS } from "../../domain/limits.ts";
import { WEIGHT_NAMES, type WeightName } from "../../domain/recall/rank/weights.ts";
import type { Duration } from "../../gen/google/protobuf/duration.ts";
import { EmbeddingPurpose } from "../../gen/memorysidecar/v1/document.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../gen/memorysidecar/v1/policy.ts";
import { FusionMethod, RecallMode, type RecallWeights } from "../../gen/memorysidecar/v1/recall.ts";
import type { EmbedRequest, RecallRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import type { CountTokensRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { fromDuration } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import { checkEmbedding } from "./embedding.ts";
import {
  checkCount,
  checkEnum,
  checkFinite,
  checkNamespace,
  checkPage,
  checkRange,
  checkText,
  checkTimestamp,
} from "./fields.ts";
import { checkNewMessage } from "./message.ts";
import { checkTokenRule } from "./policy.ts";
import { checkHookName } from "./policy-summary.ts";
import { checkRecallFilter } from "./recall-filter.ts";
import { checkScoring } from "./recall-scoring.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };
const MS_PER_DAY = 86_400_000;
const CONTEXT = { min: 0, max: LIMITS.recallContext };
const WEIGHT = { min: 0, max: LIMITS.recallWeight };
const GROUP_HITS = { min: 0, max: LIMITS.recallGroupHits };
const CANDIDATES = { min: 0, max: LIMITS.rerankCandidates };

export function checkRecall(request: RecallRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkText(v, "query", request.query, LIMITS.recallQueryBytes);
  checkEmbedding(v, request.embedding);
  checkRecallFilter(v, request.filter);
  checkPage(v, request);
  checkEnum(v, "mode", request.mode, RecallMode);
  checkEnum(v, "fusion", request.fusion, FusionMethod);
  checkWeights(v, request.weights, request.fusion);
  checkFinite(v, "min_score", request.minScore);
  if (request.minRelevance !== undefined) {
    checkRange(v, "min_relevance", request.minRelevance, SHARE);
  }
  checkRange(v, "diversity", request.diversity, SHARE);
  checkRange(v, "context_before", request.contextBefore, CONTEXT);
  checkRange(v, "context_after", request.contextAfter, CONTEXT);
  const { groupBySession, rerank } = request;
  if (groupBySession !== undefined) {
    v.enter("group_by_session");
    checkRange(v, "hits_per_session", groupBySession.hitsPerSession, GROUP_HITS);
    v.leave();
  }
  if (rerank !== undefined) {
    v.enter("rerank");
    checkHookName(v, "hook", rerank.hook);
    checkRange(v, "candidates", rerank.candidates, CANDIDATES);
    v.leave();
  }
  checkTimestamp(v, "reference_time", request.referenceTime);
  checkScoring(request, v);
}

/** The name of a weight in the contract. */
function publicName(name: WeightName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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
  v.enter("weights");
  for (const name of WEIGHT_NAMES) {
    if (name === "recencyHalfLife") continue;
    const weight = weights[name];
    if (weight !== undefined) checkRange(v, publicName(name), weight, WEIGHT);
  }
  checkHalfLife(v, weights.recencyHalfLife);
  v.leave();
}

function checkHalfLife(v: Violations, span: Duration | undefined): void {
  if (span === undefined) return;
  const days = fromDuration(span) / MS_PER_DAY;
  if (days > 0 && days <= LIMITS.recallHalfLifeDays) return;
  const description = `must be above 0 and at most ${LIMITS.recallHalfLifeDays} days`;
  v.add("recency_half_life", description, days > 0 ? LIMITS.recallHalfLifeDays : 0);
}

export function checkEmbed(request: EmbedRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { texts } = request;
  if (texts.length === 0) v.add("texts", "must have 1 entry at least", 1);
  checkCount(v, "texts", texts.length, LIMITS.embedTexts);
  for (let index = 0; index < texts.length && !v.full; index++) {
    checkText(v, `texts[${index}]`, texts[index] ?? "", LIMITS.embedTextBytes);
  }
  checkTotal(v, "texts", bytesOf(texts), LIMITS.embedBytes);
  checkEnum(v, "purpose", request.purpose, EmbeddingPurpose);
}

export function checkCountTokens(request: CountTokensRequest, v: Violations): void {
  const { texts, messages } = request;
  checkCount(v, "texts", texts.length, LIMITS.countTokensTexts);
  checkCount(v, "messages", messages.length, LIMITS.countTokensTexts);
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
  checkTokenRule(v, request);
  if (request.tokenRule === TokenRule.GIVEN) v.add("token_rule", "must not be TOKEN_RULE_GIVEN");
  checkText(v, "model", request.model, LIMITS.modelBytes);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function checkTotal(v: Violations, field: string, bytes: number, max: number): void {
  if (bytes > max) v.add(field, `take ${bytes} bytes together; at most ${max} are allowed`, max);
}
