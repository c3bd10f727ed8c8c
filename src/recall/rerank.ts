// Lets a hook put the best hits in order. A hook that fails leaves the order as it was.

import { checkedScores } from "../hooks/answers.ts";
import { guardedCall, guardOf } from "../hooks/hook-state.ts";
import { type AskWork, askedHook } from "../hooks/port.ts";
import { checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import { cutText } from "../kit/text.ts";
import type { RecallInput, RecallResult } from "./api.ts";
import {
  askIndex,
  collectGroups,
  collectHits,
  type Found,
  HitRecords,
  neighborsOf,
  PAGE_BYTES,
  type Recall,
  readGroup,
  recordOfHit,
} from "./collect.ts";
import type { IndexAnswer, IndexHit } from "./index/port.ts";
import type { RecallParts } from "./parts.ts";
import type { ReadHit } from "./read-hits.ts";

/** Time that a search waits for a reranker. */
const ORDER_TIMEOUT_MS = 10_000;

/** A hook that reranks, and how many hits it gets. */
interface Reranker {
  /** Scores texts, as a hook does. Throws HookFailure, also when the hook is to be left alone. */
  readonly rerank: AskWork<"rerank">;
  readonly candidates: number;
}

/** The reranker that a call asks for, if it asks for one. Throws HOOK_NOT_CONFIGURED. */
export function rerankerOf(
  parts: Pick<RecallParts, "context" | "states">,
  asked: RecallInput["rerank"],
): Reranker | undefined {
  if (asked === undefined) return undefined;
  const hook = askedHook(parts.context.hooks, "rerank", asked.hook);
  const guarded = { ...guardOf(parts, hook), timeoutMs: ORDER_TIMEOUT_MS };
  return {
    candidates: asked.candidates,
    rerank: (call, { query, texts }) =>
      guardedCall(guarded, call, [query, ...texts], async (timed) =>
        checkedScores(await hook.rerank(timed, { query, texts }), texts.length),
      ),
  };
}

/** A hit as the hook ordered it. */
interface Ordered {
  readonly hit: IndexHit;
  readonly rerankScore: number;
}

/** Takes a page of hits, the first ones in the order of a hook. */
export async function collectReranked(recall: Recall, reranker: Reranker): Promise<Found> {
  const { input } = recall;
  const isGrouped = input.hitsPerGroup !== undefined;
  const plain = isGrouped ? collectGroups : collectHits;
  const first = await candidatesOf(recall, reranker.candidates);
  const order = await orderOf(recall, reranker, first.hits);
  if (order === undefined) {
    const { offset, limit } = input;
    return { ...(await plain(recall, { offset, limit })), rerank: "unavailable" };
  }
  const units = isGrouped ? groupsOf(order) : order.map((one) => [one]);
  const asked = first.asked;
  const page = await pageOf(recall, units, first.answer);
  if (page.isFull || !first.answer.more) {
    const next = page.next < units.length || first.answer.more ? page.next : undefined;
    return { ...page, next, answer: first.answer, rerank: "used" };
  }
  // Behind the hits that the hook got, the order stays.
  const behind = Math.max(0, input.offset - units.length);
  const have = isGrouped ? page.groups.length : page.hits.length;
  const place = { offset: asked + behind, limit: input.limit - have, usedBytes: page.bytes };
  const rest = await plain(recall, place);
  return {
    hits: [...page.hits, ...rest.hits],
    groups: [...page.groups, ...rest.groups],
    next: rest.next === undefined ? undefined : rest.next - asked + units.length,
    answer: rest.answer,
    rerank: "used",
  };
}

/** The hits that the hook gets: this many hits, or groups with about as many. */
async function candidatesOf(
  recall: Recall,
  count: number,
): Promise<{ answer: IndexAnswer; hits: readonly IndexHit[]; asked: number }> {
  const perGroup = recall.input.hitsPerGroup ?? 1;
  const asked = Math.max(1, Math.floor(count / perGroup));
  const answer = await askIndex(recall, { offset: 0, limit: asked });
  return { answer, hits: answer.hits.slice(0, LIMITS.rerankCandidates), asked };
}

/** The candidates with the scores of the hook; undefined when it failed. */
async function orderOf(
  recall: Recall,
  { rerank }: Reranker,
  hits: readonly IndexHit[],
): Promise<readonly Ordered[] | undefined> {
  const kept: { readonly hit: IndexHit; readonly recordId: string | undefined }[] = [];
  const texts: string[] = [];
  for (const hit of hits) {
    const read = await recall.reader.read(hit);
    if (read === undefined) continue;
    kept.push({ hit, recordId: recordOfHit(recall, read) });
    texts.push(await textFor(recall, read));
  }
  if (kept.length === 0) return [];
  const { call, input } = recall;
  const ask = { namespace: input.namespace, signal: call.signal };
  let scores: readonly number[];
  try {
    scores = await rerank(ask, { query: input.query, texts });
  } catch {
    checkLive(call.signal);
    return undefined;
  }
  const records = new HitRecords();
  return kept
    .map((one, at) => ({ ...one, rerankScore: scores[at] ?? 0 }))
    .sort(byScore)
    .filter(({ recordId }) => {
      const isBest = !records.has(recordId);
      records.add(recordId);
      return isBest;
    });
}

/** By falling score; the stable sort keeps the order of equal ones. */
function byScore(a: Ordered, b: Ordered): number {
  return b.rerankScore - a.rerankScore;
}

/** The passage that fits best, and what is around it: of a message also those next to it. */
async function textFor(recall: Recall, read: ReadHit): Promise<string> {
  const { reader } = recall;
  const limit = LIMITS.recallPassageBytes;
  const { text } = reader.textOf(read);
  if (text.length > limit || Buffer.byteLength(text) > limit) {
    const passage = await reader.passageOf(read);
    return passage === "" ? cutText(text, limit) : passage;
  }
  if (read.record.kind !== "message") return text;
  const { before, after } = await neighborsOf(recall, read.record, { before: 1, after: 1 });
  const { codec } = recall.parts;
  const lineOf = (bytes: Uint8Array): string => {
    const { author, text: said } = codec.readMessage(bytes);
    return author === "" ? said : `${author}: ${said}`;
  };
  let whole = lineOf(read.record.message.bytes);
  if (Buffer.byteLength(whole) > limit) return text;
  for (const [message, isBefore] of [
    ...before.map((one) => [one, true] as const),
    ...after.map((one) => [one, false] as const),
  ]) {
    const line = lineOf(message.bytes);
    const longer = isBefore ? `${line}\n${whole}` : `${whole}\n${line}`;
    if (line !== "" && Buffer.byteLength(longer) <= limit) whole = longer;
  }
  return whole;
}

/** The groups of an answer in the order of their best hits, each with its hits in order. */
function groupsOf(order: readonly Ordered[]): readonly (readonly Ordered[])[] {
  return [...Map.groupBy(order, ({ hit }) => `${hit.kind}:${hit.containerId}`).values()];
}

interface Page {
  readonly hits: Found["hits"];
  readonly groups: RecallResult["groups"];
  readonly bytes: number;
  readonly next: number;
  /** Nothing more goes on the page. */
  readonly isFull: boolean;
}

/** The page among hits, or groups of hits, that are in order. */
async function pageOf(
  recall: Recall,
  units: readonly (readonly Ordered[])[],
  answer: IndexAnswer,
): Promise<Page> {
  const { offset, limit, hitsPerGroup } = recall.input;
  const hits: Found["hits"][number][] = [];
  const groups: RecallResult["groups"][number][] = [];
  let bytes = 0;
  let at = offset;
  let taken = 0;
  for (; at < units.length && taken < limit; at++) {
    const scores = new Map((units[at] ?? []).map((one) => [one.hit, one.rerankScore]));
    const read = await readGroup(recall, [...scores.keys()], PAGE_BYTES - bytes);
    if (read.isCut && taken > 0) return { hits, groups, bytes, next: at, isFull: true };
    const own = read.hits.map((one) => ({ ...one, rerankScore: scores.get(one.hit) ?? 0 }));
    const [best] = own;
    if (best === undefined) continue;
    bytes += read.bytes;
    taken += 1;
    hits.push(...own);
    if (hitsPerGroup === undefined) continue;
    const kind = best.hit.kind === "message" ? "session" : "collection";
    const { containerId } = best.hit;
    const group = answer.groups.find((one) => one.kind === kind && one.id === containerId);
    if (group !== undefined) groups.push({ ...group, hitCount: own.length });
  }
  return { hits, groups, bytes, next: at, isFull: taken >= limit };
}
