// The store beside the one that LangGraph keeps in memory: the same random operations, the same
// answers.

import { type BaseStore, InMemoryStore, type Item } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { SidecarStore } from "../src/store.ts";

type Value = Record<string, unknown>;
type Put = { readonly namespace: string[]; readonly key: string; readonly value: Value | null };
type Operation =
  | { readonly puts: Put[]; readonly get: string[]; readonly of: string }
  | { readonly get: string[]; readonly of: string }
  | { readonly search: string[]; readonly filter: Value }
  | {
      readonly below: string[] | undefined;
      readonly suffix: string[] | undefined;
      readonly depth: number | undefined;
    };

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const EVERYTHING = 10_000;
const KEYS = ["a", "b", "é %", "k".repeat(600), ""];

function drawNamespace(random: Random): string[] {
  const length = random.weighted({ 1: 4, 2: 4, 3: 2, 0: 0.2 });
  return Array.from({ length: Number(length) }, () =>
    random.pick(["a", "b", "ab", "é %", "langgraph"]),
  );
}

function drawValue(random: Random): Value {
  const plain = random.pick<unknown>([1, 2, "1", "x", true, null, [1], { deep: 1 }]);
  return { n: random.int(0, 3), [random.pick(["s", "t"])]: plain };
}

function drawFilter(random: Random): Value {
  const operator = random.pick(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]);
  const limit = random.pick<unknown>([1, 2, "1", "x", null]);
  return random.pick<Value>([
    ...[{}, { n: 1 }, { s: "x" }, { n: { [operator]: limit } }, { s: { [operator]: limit } }],
    ...[{ n: { $in: [1, 2] } }, { t: { $nin: ["x"] } }, { n: 1, s: "x" }, { s: { deep: 1 } }],
    ...[{ n: { $gt: 0, $lt: 2 } }, { s: {} }, { s: [1] }],
  ]);
}

function draw(random: Random): Operation {
  const name = random.weighted({ put: 6, get: 3, search: 3, list: 2 });
  const [get, of] = [drawNamespace(random), random.pick(KEYS)];
  if (name === "get") return { get, of };
  if (name === "search") return { search: drawNamespace(random), filter: drawFilter(random) };
  if (name === "list") {
    const wild = (labels: string[]) => labels.map((one) => (random.chance(0.3) ? "*" : one));
    const some = () => (random.chance(0.5) ? undefined : wild(drawNamespace(random)));
    return { below: some(), suffix: some(), depth: random.pick([undefined, 1, 2]) };
  }
  const puts = Array.from({ length: random.int(1, 4) }, () => {
    const value = random.chance(0.2) ? null : drawValue(random);
    return { namespace: drawNamespace(random), key: random.pick(KEYS), value };
  });
  return { puts, get, of };
}

const shown = (item: Item | null) =>
  item && { namespace: item.namespace, key: item.key, value: structuredClone(item.value) };

/** Items without order: that in memory is the order of their creation. */
const sorted = (items: readonly Item[]) => items.map((item) => JSON.stringify(shown(item))).sort();

async function answer(store: BaseStore, operation: Operation): Promise<unknown> {
  if ("puts" in operation) {
    const read = { namespace: operation.get, key: operation.of };
    const puts = structuredClone(operation.puts);
    const [before] = await store.batch([read, ...puts]);
    // A value in memory changes after it was read: reads of a batch are compared by their names.
    return (before as Item | null)?.key;
  }
  if ("get" in operation) return shown(await store.get(operation.get, operation.of));
  if ("search" in operation) {
    const { filter, search } = operation;
    return sorted(await store.search(search, { filter, limit: EVERYTHING }));
  }
  const { below, depth, suffix } = operation;
  const listed = await store.listNamespaces({
    ...(below === undefined ? {} : { prefix: below }),
    ...(suffix === undefined ? {} : { suffix }),
    ...(depth === undefined ? {} : { maxDepth: depth }),
    limit: EVERYTHING,
  });
  return listed;
}

test("answers as the store in memory does", async () => {
  await compare<Operation>({
    name: ["LangGraph (TypeScript)", "store"],
    operations: 2_000,
    draw,
    pair: () => {
      const [theirs, ours] = [new InMemoryStore(), new SidecarStore(setting.client())];
      return {
        theirs: async (operation) => {
          const given = await answer(theirs, operation);
          if (!("below" in operation)) return given;
          // In memory a namespace stays in the list when its last item is deleted.
          const used = [];
          for (const namespace of given as string[][]) {
            const items = await theirs.search(namespace, { limit: EVERYTHING });
            if (items.some((item) => isListed(item.namespace, namespace, operation))) {
              used.push(namespace);
            }
          }
          return used;
        },
        ours: (operation) => answer(ours, operation),
      };
    },
  });
}, 300_000);

/** Whether a list names the namespace of an item by these labels. */
function isListed(
  labels: readonly string[],
  listed: readonly string[],
  { below = [], depth, suffix = [] }: Extract<Operation, { below: unknown }>,
): boolean {
  const same = (part: readonly string[], path: readonly string[]) =>
    part.length === path.length && path.every((one, at) => one === "*" || one === part[at]);
  const end = suffix.length === 0 ? [] : labels.slice(-suffix.length);
  if (!same(labels.slice(0, depth), listed)) return false;
  return same(labels.slice(0, below.length), below) && same(end, suffix);
}
