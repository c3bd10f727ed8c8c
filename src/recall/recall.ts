// Recall: finds messages, documents and memories in the index, and gives them as the store has
// them.

import { type Call, checkLive } from "../kit/call.ts";
import { FULL_COVERAGE, type RecallCoverage, type RecallInput, type RecallResult } from "./api.ts";
import { collectGroups, collectHits, type Found, type Recall, toHits } from "./collect.ts";
import { type Missing, scopeOf } from "./feed/prepare.ts";
import type { RecallParts } from "./parts.ts";
import { WIDE_POOL_PER_LEG } from "./rank/weights.ts";
import { HitReader } from "./read-hits.ts";
import { collectReranked, rerankerOf } from "./rerank.ts";
import { embeddingMismatch } from "./rules/errors.ts";

/** Finds messages, documents and memories that fit. */
export async function recall(
  parts: RecallParts,
  call: Call,
  input: RecallInput,
): Promise<RecallResult> {
  checkLive(call.signal);
  const rerank = rerankerOf(parts, input.rerank);
  checkEmbedding(parts, input);
  if (input.query.trim() === "" && input.embedding === undefined) {
    const found = { hits: [], groups: [], next: undefined };
    return { ...found, coverage: FULL_COVERAGE, isCalibrated: true };
  }
  const dense = await denseOf(parts, call, input);
  const { namespace, allowPartial, filter } = input;
  const { signal, deadlineMs = Number.POSITIVE_INFINITY } = call;
  const terms = { namespace, scope: scopeOf(filter), allowPartial, signal, deadlineMs };
  return await parts.keeper.search(terms, async (index, missing) => {
    const reader = new HitReader(parts, input);
    const query = queryOf(parts, input, dense);
    const running: Recall = { parts, call, input, index, reader, query };
    const { offset, limit } = input;
    const found =
      rerank === undefined
        ? await (input.hitsPerGroup === undefined ? collectHits : collectGroups)(running, {
            offset,
            limit,
          })
        : await collectReranked(running, rerank);
    const hits = await toHits(running, found);
    const coverage = coverageOf({ parts, missing, found, dense });
    const { isCalibrated } = found.answer;
    return { hits, next: found.next, groups: found.groups, coverage, isCalibrated };
  });
}

/** The vector of a query, or why there is none. */
type Dense =
  | { readonly state: "used"; readonly vector?: Float32Array }
  | { readonly state: "off" | "unavailable" };

function checkEmbedding(parts: RecallParts, { embedding }: RecallInput): void {
  const { id, dimensions } = parts.embedder.model;
  if (embedding === undefined) return;
  if (embedding.model !== id || embedding.values.length !== dimensions || id === "") {
    throw embeddingMismatch({ model: id, dimensions });
  }
}

async function denseOf(parts: RecallParts, call: Call, input: RecallInput): Promise<Dense> {
  const { embedder } = parts;
  if (input.mode === "lexical" || embedder.isOff) return { state: "off" };
  if (input.embedding !== undefined) return { state: "used", vector: input.embedding.values };
  try {
    const ask = { namespace: input.namespace, signal: call.signal };
    const vector = await embedder.queryVector(ask, input.query);
    return vector === undefined ? { state: "used" } : { state: "used", vector };
  } catch {
    checkLive(call.signal);
    return { state: "unavailable" };
  }
}

function queryOf(parts: RecallParts, input: RecallInput, dense: Dense): Recall["query"] {
  const nowMs = parts.context.world.nowMs();
  const { filter, fusion, weights, minScore, minRelevance, diversity, perLeg } = input;
  const mode = dense.state === "unavailable" ? "lexical" : input.mode;
  return {
    text: input.query,
    ...(dense.state === "used" && dense.vector !== undefined ? { vector: dense.vector } : {}),
    filter,
    mode,
    ...{ fusion, weights, minScore, minRelevance, diversity },
    hitsPerGroup: input.hitsPerGroup,
    // One leg alone has room for as many candidates as both together.
    perLeg: mode === "hybrid" ? perLeg : Math.max(perLeg, WIDE_POOL_PER_LEG),
    nowMs,
    referenceMs: input.referenceMs ?? nowMs,
  };
}

function coverageOf(of: {
  readonly parts: RecallParts;
  readonly missing: Missing;
  readonly found: Found;
  readonly dense: Dense;
}): RecallCoverage {
  const { missing, found, dense } = of;
  const { model, isOff } = of.parts.embedder;
  return {
    complete: missing.isComplete,
    pendingCount: missing.pending,
    leftOutCount: missing.leftOut,
    dense: dense.state,
    embeddingModel: dense.state === "used" ? model.id : "",
    withoutVectorCount: isOff ? 0 : found.answer.size.withoutVector,
    rerank: found.rerank,
  };
}
