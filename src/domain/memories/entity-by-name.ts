// Entities are known by their names: what is said of one again is merged into it.

import { LIMITS } from "../limits.ts";
import { lowestTrust } from "../summaries/summary.ts";
import { isInOrder, nextState, unitedNames } from "./change.ts";
import type { Decision, Placed } from "./decision.ts";
import { describeStructure } from "./describe.ts";
import { isFinal, placeKnown, saidAgain } from "./known.ts";
import type { Entity, Memory, MemoryContent } from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";
import type { NewMemory } from "./rules.ts";
import { nameKeyOf, textKeyOf } from "./text-key.ts";

const NO_TYPE = "other";
const NO_CATEGORY = "general";

/** The entity of the scope with the name of a draft: one with this very name before an alias. */
function entityOf(overlay: MemoryOverlay, draft: NewMemory, entity: Entity): Memory | undefined {
  const [named] = overlay.byText(draft.scope, "entity", textKeyOf(draft));
  return named ?? overlay.byName(draft.scope, nameKeyOf(entity.name));
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
    type: old.type === NO_TYPE ? news.type : old.type,
    aliases: unitedNames(old.aliases, fresh, LIMITS.entityAliases),
    attributes: mergedValues(old.attributes, news.attributes, LIMITS.entityAttributes),
  };
}

/** A text that somebody wrote stays until there is another one; one that was made follows. */
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
    category: news.category === NO_CATEGORY ? old.category : news.category,
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

/** Merges a draft into the entity that has its name. Undefined when none has. */
export function placeEntity(decision: Decision, draft: NewMemory): Placed | undefined {
  const { structure: given } = draft.content;
  if (given?.kind !== "entity") return undefined;
  const known = entityOf(decision.overlay, draft, given.entity);
  if (known?.content.structure?.kind !== "entity") return undefined;
  const entity = mergedEntity(known.content.structure.entity, given.entity);
  const content = mergedContent(known.content, draft.content, entity);
  const isSame = imageOf(content) === imageOf(known.content);
  if (isSame || decision.rules.dedupe.keepUnchanged || isFinal(known, draft)) {
    return placeKnown(decision, known, draft);
  }
  const importance = Math.max(content.importance, draft.content.importance);
  const { strength, source } = saidAgain(decision, known, draft);
  const changes = {
    ...{ strength, source, content: { ...content, importance } },
    persistent: known.persistent || draft.persistent,
    // What is known of it is trusted no more than the least trusted part.
    trust: lowestTrust([known.trust, draft.trust]),
  };
  const memory = decision.overlay.put(nextState(known, changes, decision.stamp));
  return { memory, outcome: "updated", supersededIds: [] };
}
