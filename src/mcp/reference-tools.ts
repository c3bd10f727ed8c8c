// The nine tools of the reference memory server, with its names, schemas and hints.

import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { MemorySidecar } from "../gen/client/index.ts";
import { holdsPart } from "../kit/find-part.ts";
import { fenced } from "./fence.ts";
import { type Graph, type GraphEntity, KnowledgeGraph } from "./graph.ts";
import type { McpReach } from "./reach.ts";
import { addTool, plainly } from "./tool.ts";

/** The resource of the whole graph, as the reference names it. */
const GRAPH_URI = "memory://knowledge-graph";

const entity = z.object({
  name: z.string().describe("The name of the entity"),
  entityType: z.string().describe("The type of the entity"),
  observations: z
    .array(z.string())
    .describe("An array of observation contents associated with the entity"),
});
const relation = z.object({
  from: z.string().describe("The name of the entity where the relation starts"),
  to: z.string().describe("The name of the entity where the relation ends"),
  relationType: z.string().describe("The type of the relation"),
});
const graph = z.object({ entities: z.array(entity), relations: z.array(relation) });
const done = z.object({ success: z.boolean(), message: z.string() });

const CREATE_ENTITIES = {
  name: "create_entities",
  title: "Create Entities",
  description: "Create multiple new entities in the knowledge graph",
  effect: "adds",
  input: z.object({ entities: z.array(entity) }),
  output: z.object({ entities: z.array(entity) }),
} as const;

const CREATE_RELATIONS = {
  name: "create_relations",
  title: "Create Relations",
  description:
    "Create multiple new relations between entities in the knowledge graph. Relations should be " +
    "in active voice",
  effect: "adds",
  input: z.object({ relations: z.array(relation) }),
  output: z.object({ relations: z.array(relation) }),
} as const;

const ADD_OBSERVATIONS = {
  name: "add_observations",
  title: "Add Observations",
  description: "Add new observations to existing entities in the knowledge graph",
  effect: "adds",
  input: z.object({
    observations: z.array(
      z.object({
        entityName: z.string().describe("The name of the entity to add the observations to"),
        contents: z.array(z.string()).describe("An array of observation contents to add"),
      }),
    ),
  }),
  output: z.object({
    results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
  }),
} as const;

const DELETE_ENTITIES = {
  name: "delete_entities",
  title: "Delete Entities",
  description: "Delete multiple entities and their associated relations from the knowledge graph",
  effect: "deletes",
  input: z.object({
    entityNames: z.array(z.string()).describe("An array of entity names to delete"),
  }),
  output: done,
} as const;

const DELETE_OBSERVATIONS = {
  name: "delete_observations",
  title: "Delete Observations",
  description: "Delete specific observations from entities in the knowledge graph",
  effect: "deletes",
  input: z.object({
    deletions: z.array(
      z.object({
        entityName: z.string().describe("The name of the entity containing the observations"),
        observations: z.array(z.string()).describe("An array of observations to delete"),
      }),
    ),
  }),
  output: done,
} as const;

const DELETE_RELATIONS = {
  name: "delete_relations",
  title: "Delete Relations",
  description: "Delete multiple relations from the knowledge graph",
  effect: "deletes",
  input: z.object({
    relations: z.array(relation).describe("An array of relations to delete"),
  }),
  output: done,
} as const;

const READ_GRAPH = {
  name: "read_graph",
  title: "Read Graph",
  description: "Read the entire knowledge graph",
  effect: "reads",
  input: z.object({}),
  output: graph,
} as const;

const SEARCH_NODES = {
  name: "search_nodes",
  title: "Search Nodes",
  description: "Search for nodes in the knowledge graph based on a query",
  effect: "reads",
  input: z.object({
    query: z
      .string()
      .describe("The search query to match against entity names, types, and observation content"),
  }),
  output: graph,
} as const;

const OPEN_NODES = {
  name: "open_nodes",
  title: "Open Nodes",
  description: "Open specific nodes in the knowledge graph by their names",
  effect: "reads",
  input: z.object({
    names: z.array(z.string()).describe("An array of entity names to retrieve"),
  }),
  output: graph,
} as const;

/** Data as a text between marks. */
function marked(data: unknown): string {
  return fenced("memory", [JSON.stringify(data, null, 2)]);
}

/** Answers with data, whose text stands between marks. */
function answer<Data>(data: Data, shown: unknown = data) {
  return { text: marked(shown), data };
}

/** Answers that something is done. */
function success(message: string) {
  return { text: message, data: { success: true, message } };
}

/** Adds the nine tools, or the three that read. */
export function addReferenceTools(server: McpServer, client: MemorySidecar, reach: McpReach): void {
  const open = (signal?: AbortSignal) => new KnowledgeGraph(client, reach, signal);
  if (!reach.isReadOnly) addWriting(server, open);
  addTool(server, READ_GRAPH, async (_, { signal }) => answer(await open(signal).read()));
  addTool(server, SEARCH_NODES, async ({ query }, { signal }) => {
    const wanted = query.toLowerCase();
    const has = (text: string): boolean => holdsPart(text.toLowerCase(), wanted);
    const fits = ({ name, entityType, observations }: GraphEntity): boolean =>
      has(name) || has(entityType) || observations.some(has);
    return answer(await open(signal).find(fits));
  });
  addTool(server, OPEN_NODES, async ({ names }, { signal }) => {
    return answer(await open(signal).find(({ name }) => names.includes(name)));
  });
  addResource(server, () => open().read());
}

function addWriting(server: McpServer, open: (signal: AbortSignal) => KnowledgeGraph): void {
  addTool(server, CREATE_ENTITIES, async (input, { signal }) => {
    const entities = await open(signal).createEntities(input.entities);
    return answer({ entities }, entities);
  });
  addTool(server, CREATE_RELATIONS, async (input, { signal }) => {
    const relations = await open(signal).createRelations(input.relations);
    return answer({ relations }, relations);
  });
  addTool(server, ADD_OBSERVATIONS, async (input, { signal }) => {
    const added = await open(signal).addObservations(input.observations.map(toObserved));
    const results = added.map(({ entityName, observations }) => {
      return { entityName, addedObservations: [...observations] };
    });
    return answer({ results }, results);
  });
  addTool(server, DELETE_ENTITIES, async ({ entityNames }, { signal }) => {
    await open(signal).deleteEntities(entityNames);
    return success("Entities deleted successfully");
  });
  addTool(server, DELETE_OBSERVATIONS, async ({ deletions }, { signal }) => {
    await open(signal).deleteObservations(deletions);
    return success("Observations deleted successfully");
  });
  addTool(server, DELETE_RELATIONS, async ({ relations }, { signal }) => {
    await open(signal).deleteRelations(relations);
    return success("Relations deleted successfully");
  });
}

/** The words of the reference for what is added, in those of deletions. */
function toObserved(added: { readonly entityName: string; readonly contents: readonly string[] }) {
  return { entityName: added.entityName, observations: added.contents };
}

function addResource(server: McpServer, read: () => Promise<Graph>): void {
  const about = {
    title: "Knowledge Graph",
    description: "The full knowledge graph with all entities and relations",
    // Between marks, it is no JSON as a whole.
    mimeType: "text/plain",
  };
  server.registerResource("knowledge-graph", GRAPH_URI, about, async ({ href: uri }) => {
    const text = marked(await plainly(read()));
    return { contents: [{ uri, mimeType: about.mimeType, text }] };
  });
}

/** Reads the file of the reference server. Throws an Error that names the first faulty line. */
export function parseGraphFile(text: string): Graph {
  const entities: z.infer<typeof entity>[] = [];
  const relations: z.infer<typeof relation>[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const item: unknown = JSON.parse(line);
      const { type } = item as { readonly type?: unknown };
      if (type === "entity") entities.push(entity.parse(item));
      else if (type === "relation") relations.push(relation.parse(item));
    } catch {
      throw new Error(`line ${index + 1} holds no entity or relation of a memory.jsonl`);
    }
  }
  return { entities, relations };
}
