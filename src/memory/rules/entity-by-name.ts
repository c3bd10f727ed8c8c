// Entities are identified by their names: a new draft is merged into the entity of its name and
// trust. A scope may have one entity for each name and trust.

import { LIMITS } from "../../kit/limits.ts";
import { isInOrder, joinedSources, nextState, unitedNames } from "./change.ts";
import { idsAbove, markBelow, placeDraft, rivalsOf, union } from "./conflict.ts";
import { isFinal, placeKnown, saidAgain } from "./known.ts";
import {
  describeStructure,
  type Entity,
  MEMORY_DEFAULTS,
  type Memory,
  type MemoryContent,
} from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";
import type { Decision, NewMemory, Remembered } from "./rules.ts";
import { nameKeyOf, textKeyOf } from "./text-key.ts";

/** The entities of the scope with the name of a draft, those with an alias of it last. */
function entitiesOf(overlay: MemoryOverlay, draft: NewMemory, entity: Entity): readonly Memory[] {
  const named = overlay.byText(draft.scope, "entity", textKeyOf(draft));
  const byAlias = overlay.byName(draft.scope, nameKeyOf(entity.name));
  const all = byAlias === undefined ? named : [...named, byAlias];
  return [...new Map(all.map((memory) => [memory.memoryId, memory])).values()];
}

/** Sets values by key, no more keys than the limit. Keys keep the order in which they came. */
function mergedValues(
  old: ReadonlyMap<string, string>,
  news: ReadonlyMap<string, string>,
  limit: number,
): ReadonlyMap<string, string> {
  const values = new Map(old);
  for (const [key, value] of news) {
    if (values.has(key) || values.size < limit) values.set(key, value);
  }
  return values;
}

/** The first name and the first type stay; attributes get the new values. */
function mergedEntity(old: Entity, news: Entity): Entity {
  const own = nameKeyOf(old.name);
  const fresh = news.aliases.filter((alias) => nameKeyOf(alias) !== own);
  return {
    name: old.name,
    type: old.type,
    aliases: unitedNames(old.aliases, fresh, LIMITS.entityAliases),
    attributes: mergedValues(old.attributes, news.attributes, LIMITS.entityAttributes),
  };
}

/** A written text stays until another is written; a text made of the structure follows it. */
function mergedText(
  old: MemoryContent,
  news: MemoryContent,
  structure: MemoryContent["structure"],
): string {
  const isWritten = ({ text, structure: made }: MemoryContent): boolean =>
    made === undefined || text !== describeStructure(made);
  if (isWritten(news)) return news.text;
  return isWritten(old) || structure === undefined ? old.text : describeStructure(structure);
}

function mergedContent(old: MemoryContent, news: MemoryContent, entity: Entity): MemoryContent {
  const structure = { kind: "entity", entity } as const;
  const labels = [...mergedValues(old.labels, news.labels, LIMITS.labels)];
  const merged = {
    ...{ structure, text: mergedText(old, news, structure) },
    key: news.key === "" ? old.key : news.key,
    category: news.category === MEMORY_DEFAULTS.category ? old.category : news.category,
    topics: unitedNames(old.topics, news.topics, LIMITS.memoryTopics),
    importance: old.importance,
    labels: new Map(labels.sort(([a], [b]) => (a < b ? -1 : 1))),
    metadata: news.metadata.length === 0 ? old.metadata : news.metadata,
    validFromMs: news.validFromMs ?? old.validFromMs,
    validToMs: news.validToMs ?? old.validToMs,
  };
  const { validFromMs, validToMs } = old;
  return isInOrder(merged) ? merged : { ...merged, validFromMs, validToMs };
}

/** Content as a text: the same for the same content. */
function imageOf({ structure, labels, metadata, ...rest }: MemoryContent): string {
  const { attributes, ...entity } = structure?.kind === "entity" ? structure.entity : NOTHING;
  const bytes = Buffer.from(metadata).toString("latin1");
  return JSON.stringify([entity, [...attributes], [...labels], bytes, Object.entries(rest).sort()]);
}

const NOTHING: Entity = { name: "", type: "", aliases: [], attributes: new Map() };

/** A known entity merged with a draft; undefined when the draft adds nothing. */
function contentWith(known: Memory, { content: news }: NewMemory): MemoryContent | undefined {
  const { structure: old } = known.content;
  if (old?.kind !== "entity" || news.structure?.kind !== "entity") return undefined;
  const entity = mergedEntity(old.entity, news.structure.entity);
  const content = mergedContent(known.content, news, entity);
  return imageOf(content) === imageOf(known.content) ? undefined : content;
}

function addsNothing(known: Memory, draft: NewMemory): boolean {
  return contentWith(known, draft) === undefined;
}

/** Merges a draft into the entity of its name and trust. Undefined when no entity has its name. */
export function placeEntity(decision: Decision, draft: NewMemory): Remembered | undefined {
  const { structure } = draft.content;
  if (structure?.kind !== "entity") return undefined;
  const named = entitiesOf(decision.overlay, draft, structure.entity);
  const own = named.find(({ trust }) => trust === draft.trust);
  const above = named.find((one) => one.trust > draft.trust && addsNothing(one, draft));
  const left = decision.rules.dedupe.keepUnchanged ? named[0] : undefined;
  const known = own ?? above ?? left;
  if (named.length === 0) return undefined;
  const placed =
    known === undefined
      ? placeDraft(decision, draft, undefined)
      : placeKnownEntity(decision, known, draft);
  return beside(decision, placed, named);
}

/** An entity beside others of its name and with its key, each with the mark that it needs. */
function beside(decision: Decision, placed: Remembered, named: readonly Memory[]): Remembered {
  const { memory } = placed;
  const isNewState = placed.outcome === "created" || placed.outcome === "updated";
  if (memory === undefined || !isNewState) return placed;
  // A merge may have brought a key, which others have.
  const keyed = rivalsOf(decision.overlay, memory, decision.rules.conflict);
  const rivals = union([...named, ...keyed], memory.memoryId);
  markBelow(decision, memory, rivals);
  const marks = new Set([...memory.contradictsIds, ...idsAbove(memory, rivals)]);
  if (marks.size === memory.contradictsIds.length) return placed;
  const contradictsIds = [...marks].slice(-LIMITS.memoryContradictions);
  return { ...placed, memory: decision.overlay.put({ ...memory, contradictsIds }) };
}

/** Merges a draft into a known entity, or leaves the entity unchanged. */
function placeKnownEntity(decision: Decision, known: Memory, draft: NewMemory): Remembered {
  const content = contentWith(known, draft);
  const isLeft = decision.rules.dedupe.keepUnchanged || isFinal(known, draft);
  if (content === undefined || isLeft) return placeKnown(decision, known, draft);
  const importance = Math.max(content.importance, draft.content.importance);
  const { strength } = saidAgain(decision, known, draft);
  const source = joinedSources(known.source, draft.source);
  const changes = {
    ...{ strength, source, content: { ...content, importance } },
    persistent: known.persistent || draft.persistent,
  };
  const memory = decision.overlay.put(nextState(known, changes, decision.stamp));
  return { memory, outcome: "updated", supersededIds: [] };
}
