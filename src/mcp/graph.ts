// The knowledge graph of the reference memory server over our memories: its entities and relations
// are memories of these kinds, an observation is a fact with the name of its entity as topic.
//
// Ids are made from the content, so two clients that add the same at once make one memory.

import { createHash } from "node:crypto";
import {
  type Memory,
  type MemoryFields,
  type MemorySidecar,
  RememberOutcome,
} from "../gen/client/index.ts";
import { type McpReach, scopeOf } from "./reach.ts";
import { ToolFault } from "./tool.ts";

/** The most memories of a graph that one call reads. */
export const GRAPH_MAX = 20_000;
/** The most memories that one call to the server writes or forgets. */
const BATCH_MAX = 256;
const PAGE_SIZE = 1_000;

/** An entity of the graph. */
export interface GraphEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: string[];
}

/** A relation of the graph. */
export interface GraphRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/** A graph, oldest first. */
export interface Graph {
  readonly entities: GraphEntity[];
  readonly relations: GraphRelation[];
}

/** Observations of one entity. */
export interface EntityObservations {
  readonly entityName: string;
  readonly observations: readonly string[];
}

/** The memories of a graph. */
interface Loaded {
  readonly entities: readonly Memory[];
  readonly relations: readonly Memory[];
  readonly facts: readonly Memory[];
}

/** The graph of the memories that belong to exactly one user and agent. */
export class KnowledgeGraph {
  readonly #client: MemorySidecar;
  readonly #reach: McpReach;
  readonly #signal: AbortSignal | undefined;

  constructor(client: MemorySidecar, reach: McpReach, signal?: AbortSignal) {
    this.#client = client;
    this.#reach = reach;
    this.#signal = signal;
  }

  /** Creates the entities whose names are new, with their observations; gives these. */
  async createEntities(entities: readonly GraphEntity[]): Promise<GraphEntity[]> {
    const known = new Set((await this.#load()).entities.map((one) => folded(nameOf(one))));
    const wanted = entities.filter(({ name }) => {
      const isNew = !known.has(folded(name));
      known.add(folded(name));
      return isNew;
    });
    const made = await this.#remember(
      wanted.flatMap((entity) => [
        this.#entityMemory(entity),
        ...unique(entity.observations).map((text) => this.#factMemory(entity.name, text)),
      ]),
    );
    return wanted
      .filter((entity) => made.has(this.#idOf("entity", entity.name)))
      .map((entity) => ({ ...entity, observations: unique(entity.observations) }));
  }

  /** Creates the relations that are new; gives these. Their ends need not be there. */
  async createRelations(relations: readonly GraphRelation[]): Promise<GraphRelation[]> {
    const known = new Set((await this.#load()).relations.map((one) => keyOf(relationOf(one))));
    const byKey = new Map(relations.map((one) => [keyOf(one), one]));
    const wanted = [...byKey].filter(([key]) => !known.has(key)).map(([, one]) => one);
    const made = await this.#remember(wanted.map((one) => this.#relationMemory(one)));
    return wanted.filter((one) => made.has(this.#relationId(one)));
  }

  /** Adds observations to entities; gives those that are new. Throws when an entity is missing. */
  async addObservations(added: readonly EntityObservations[]): Promise<EntityObservations[]> {
    const { entities } = await this.read();
    const known = new Map(entities.map((entity) => [entity.name, new Set(entity.observations)]));
    const wanted = added.map(({ entityName, observations }) => {
      const seen = known.get(entityName);
      if (seen === undefined) throw new ToolFault(`Entity with name ${entityName} not found`);
      const fresh = unique(observations).filter((text) => !seen.has(text));
      for (const text of fresh) seen.add(text);
      return { entityName, observations: fresh };
    });
    const made = await this.#remember(
      wanted.flatMap(({ entityName, observations }) =>
        observations.map((text) => this.#factMemory(entityName, text)),
      ),
    );
    return wanted.map(({ entityName, observations }) => ({
      entityName,
      observations: observations.filter((text) => made.has(this.#idOf("fact", entityName, text))),
    }));
  }

  /** Deletes entities with their observations and every relation that touches them. */
  async deleteEntities(names: readonly string[]): Promise<void> {
    const { entities, relations, facts } = await this.#load();
    const gone = new Set(names);
    const isGone = (name: string): boolean => gone.has(name);
    await this.#forget([
      ...facts.filter(({ topics }) => topics.some(isGone)),
      ...relations.filter((one) => isGone(relationOf(one).from) || isGone(relationOf(one).to)),
      ...entities.filter((one) => isGone(nameOf(one))),
    ]);
  }

  /** Deletes observations; those that are not there are passed over. */
  async deleteObservations(deletions: readonly EntityObservations[]): Promise<void> {
    const { entities, facts } = await this.#load();
    const names = new Set(entities.map(nameOf));
    const wanted = deletions.filter(({ entityName }) => names.has(entityName));
    await this.#forget(
      facts.filter(({ topics, text }) =>
        wanted.some(({ entityName, observations }) => {
          return topics.includes(entityName) && observations.includes(text);
        }),
      ),
    );
  }

  /** Deletes relations; those that are not there are passed over. */
  async deleteRelations(relations: readonly GraphRelation[]): Promise<void> {
    const gone = new Set(relations.map(keyOf));
    const loaded = await this.#load();
    await this.#forget(loaded.relations.filter((one) => gone.has(keyOf(relationOf(one)))));
  }

  /** Reads the whole graph. */
  async read(): Promise<Graph> {
    const { entities, relations, facts } = await this.#load();
    const observations = new Map<string, string[]>();
    for (const { topics, text } of facts) {
      for (const topic of topics) {
        const list = observations.get(topic);
        if (list === undefined) observations.set(topic, [text]);
        else if (!list.includes(text)) list.push(text);
      }
    }
    return {
      entities: entities.map((memory) => {
        const name = nameOf(memory);
        const type = memory.structure?.$case === "entity" ? memory.structure.value.type : "";
        return { name, entityType: type, observations: observations.get(name) ?? [] };
      }),
      relations: relations.map(relationOf),
    };
  }

  /** Reads the entities that fit, and every relation that touches one of them. */
  async find(fits: (entity: GraphEntity) => boolean): Promise<Graph> {
    const { entities, relations } = await this.read();
    const found = entities.filter(fits);
    const names = new Set(found.map(({ name }) => name));
    return {
      entities: found,
      relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)),
    };
  }

  async #load(): Promise<Loaded> {
    const filter = { ...scopeOf(this.#reach), scope: "exact" } as const;
    const kinds = ["entity", "relation", "fact"] as const;
    const memories: Memory[] = [];
    const options = { filter: { ...filter, kinds }, pageSize: PAGE_SIZE, signal: this.#signal };
    for await (const memory of this.#client.listMemories(options)) {
      if (memories.length === GRAPH_MAX) {
        throw new ToolFault(
          `The graph has more than ${GRAPH_MAX} entities, relations and observations, which is ` +
            "the most that these tools read. Serve it without --reference-memory: recall finds " +
            "memories in any number.",
        );
      }
      memories.push(memory);
    }
    // Memories of one call share their time; their places tell the order in it.
    memories.sort((a, b) => timeOf(a) - timeOf(b) || placeOf(a) - placeOf(b));
    return {
      entities: memories.filter(({ structure }) => structure?.$case === "entity"),
      relations: memories.filter(({ structure }) => structure?.$case === "relation"),
      facts: memories.filter(({ structure }) => structure === undefined),
    };
  }

  /** Remembers what has an id of its own; gives the ids that are new. */
  async #remember(memories: readonly MemoryFields[]): Promise<ReadonlySet<string>> {
    const made = new Set<string>();
    for (let at = 0; at < memories.length; at += BATCH_MAX) {
      const batch = memories.slice(at, at + BATCH_MAX).map((memory, index) => {
        return { ...memory, metadata: { place: at + index } };
      });
      const { results } = await this.#client.remember(batch, {
        dedupe: { mode: "none", keepUnchanged: true },
        signal: this.#signal,
      });
      for (const { memoryId, outcome } of results) {
        if (outcome === RememberOutcome.CREATED) made.add(memoryId);
      }
    }
    return made;
  }

  async #forget(memories: readonly Memory[]): Promise<void> {
    const ids = memories.map(({ memoryId }) => memoryId);
    for (let at = 0; at < ids.length; at += BATCH_MAX) {
      const batch = ids.slice(at, at + BATCH_MAX);
      await this.#client.forgetMemories(batch, { allowMissing: true, signal: this.#signal });
    }
  }

  #entityMemory({ name, entityType: type }: GraphEntity): MemoryFields {
    // Topics are shorter than names of entities, and the observations need one.
    const limit = 128;
    if (Buffer.byteLength(name) > limit) {
      throw new ToolFault(`The name of an entity has at most ${limit} bytes: shorten "${name}".`);
    }
    const memoryId = this.#idOf("entity", name);
    return { memoryId, entity: { name, type }, ...scopeOf(this.#reach) };
  }

  #relationMemory(one: GraphRelation): MemoryFields {
    const { from: subject, to: objectValue, relationType: predicate } = one;
    const relation = { subject, predicate, objectValue };
    return { memoryId: this.#relationId(one), relation, ...scopeOf(this.#reach) };
  }

  #factMemory(entityName: string, text: string): MemoryFields {
    const memoryId = this.#idOf("fact", entityName, text);
    return { memoryId, text, topics: [entityName], ...scopeOf(this.#reach) };
  }

  #relationId(relation: GraphRelation): string {
    return this.#idOf("relation", keyOf(relation));
  }

  #idOf(kind: string, ...words: readonly string[]): string {
    const { userId, agentId } = this.#reach;
    const text = JSON.stringify([userId, agentId, kind, ...words]);
    return `graph-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
  }
}

/** A name as the server compares it: names that differ in case alone are the same. */
export function folded(name: string): string {
  return name.trim().toLowerCase();
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function nameOf({ structure, text }: Memory): string {
  return structure?.$case === "entity" ? structure.value.name : text;
}

function relationOf({ structure }: Memory): GraphRelation {
  const {
    subject = "",
    predicate = "",
    objectValue = "",
  } = structure?.$case === "relation" ? structure.value : {};
  return { from: subject, to: objectValue, relationType: predicate };
}

function keyOf({ from, to, relationType }: GraphRelation): string {
  return JSON.stringify([from, to, relationType]);
}

function timeOf({ createTime }: Memory): number {
  return createTime?.getTime() ?? 0;
}

function placeOf({ metadata }: Memory): number {
  return Number(metadata?.["place"] ?? 0);
}
