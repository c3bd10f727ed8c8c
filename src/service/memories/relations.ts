// QueryRelations: what fits a pattern, then step by step what shares a name with what was found.

import type { Memory } from "../../domain/memories/memory.ts";
import { nameKeyOf } from "../../domain/memories/text-key.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { FoundRelation, QueryRelationsInput, RelationsFound } from "../memory-api.ts";
import type { MemoryParts } from "./parts.ts";
import { type KeyedRelation, type RelationSource, relationSource } from "./relation-sources.ts";

/** Finds relations by a pattern, and what is near them. */
export async function queryRelations(
  parts: MemoryParts,
  call: Call,
  input: QueryRelationsInput,
): Promise<RelationsFound> {
  checkLive(call.signal);
  const { namespace, after, limit, maxHops } = input;
  const nowMs = parts.context.world.nowMs();
  const filter = { ...input.filter, kinds: new Set<Memory["kind"]>(["relation"]) };
  const source = await relationSource(parts, { namespace, filter, nowMs, signal: call.signal });
  const seen = new Set<number>();
  const relations: FoundRelation[] = [];
  let step = await fitting(source, input);
  for (let hop = 1; ; hop += 1) {
    // Oldest first, each once.
    const fresh = [...new Map(step.map((one) => [one.memory.memoryNo, one])).values()]
      .filter(({ memory }) => !seen.has(memory.memoryNo))
      .sort((a, b) => a.memory.memoryNo - b.memory.memoryNo);
    for (const { memory } of fresh) seen.add(memory.memoryNo);
    const behind = fresh.filter(({ memory }) => isBehind(after, hop, memory));
    const room = limit - relations.length;
    relations.push(...behind.slice(0, room).map(({ memory }) => ({ memory, hop })));
    const hasMore = behind.length > room;
    if (hasMore || fresh.length === 0 || hop >= maxHops) {
      return { relations, hasMore, truncated: source.isCut };
    }
    step = await near(source, fresh);
  }
}

/** Whether a relation stands behind the last one of the page before. */
function isBehind(after: QueryRelationsInput["after"], hop: number, memory: Memory): boolean {
  if (after === undefined || hop !== after.hop) return after === undefined || hop > after.hop;
  return memory.memoryNo > after.memoryNo;
}

/** Relations that fit the pattern. */
async function fitting(
  source: RelationSource,
  input: QueryRelationsInput,
): Promise<readonly KeyedRelation[]> {
  const { predicate, keywords } = input;
  const [subjects, objects, entities] = await Promise.all(
    [input.subject, input.object, input.entity].map((name) => allNames(source, name)),
  );
  const wantedPredicate = nameKeyOf(predicate);
  const words = keywords.map((word) => word.toLowerCase()).filter((word) => word !== "");
  const candidates = await candidatesOf(source, { subjects, objects, entities });
  return candidates.filter(
    (one) =>
      (subjects === undefined || subjects.has(one.subject)) &&
      (objects === undefined || objects.has(one.object)) &&
      (entities === undefined || entities.has(one.subject) || entities.has(one.object)) &&
      (wantedPredicate === "" || wantedPredicate === one.predicate) &&
      (words.length === 0 || holdsOne(one, words)),
  );
}

/** All names of what has a name; undefined for any. */
async function allNames(
  source: RelationSource,
  name: string,
): Promise<ReadonlySet<string> | undefined> {
  const key = nameKeyOf(name);
  return key === "" ? undefined : await source.namesOf(new Set([key]));
}

type Names = ReadonlySet<string> | undefined;

/** What may fit: by the names where some are given, else everything. */
async function candidatesOf(
  source: RelationSource,
  { subjects, objects, entities }: { subjects: Names; objects: Names; entities: Names },
): Promise<readonly KeyedRelation[]> {
  if (subjects !== undefined) return await source.touching(subjects, "subject");
  if (objects !== undefined) return await source.touching(objects, "object");
  return entities === undefined ? await source.all() : await touchingBoth(source, entities);
}

function holdsOne({ relation }: KeyedRelation, words: readonly string[]): boolean {
  const { subject, predicate, object } = relation;
  const text = `${subject} ${predicate} ${object}`.toLowerCase();
  return words.some((word) => text.includes(word));
}

/** Relations that share a subject or an object with some. */
async function near(
  source: RelationSource,
  found: readonly KeyedRelation[],
): Promise<readonly KeyedRelation[]> {
  const names = new Set(found.flatMap(({ subject, object }) => [subject, object]));
  return await touchingBoth(source, await source.namesOf(names));
}

async function touchingBoth(
  source: RelationSource,
  names: ReadonlySet<string>,
): Promise<readonly KeyedRelation[]> {
  const asSubject = await source.touching(names, "subject");
  return [...asSubject, ...(await source.touching(names, "object"))];
}
