// After any history of changes, recall answers like an index built afresh from the memories that
// the server lists.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { type Random, randomFrom, testSeed } from "../support/kit/random.ts";
import { indexFaults } from "../support/recall/fresh-index.ts";

const STEPS = 120;
const ASK_EVERY = 15;
const WORDS = "violin garden Oslo Rome doctor bicycle tea harbor Ann Ben Navy June".split(" ");
const NAMES = ["Ann", "Ben", "Navy", "Rome"];
const USERS = ["", "ann", "ben"];
const MODES = ["hybrid", "lexical", "dense"] as const;

let server: TestServer;
let client: MemorySidecar;

beforeAll(async () => {
  server = await startContractServer();
  client = connect(server.address);
});

afterAll(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
});

function textOf(random: Random): string {
  return Array.from({ length: random.int(2, 7) }, () => random.pick(WORDS)).join(" ");
}

/** Remembers and changes by chance, and knows the ids that there may be. */
class Life {
  readonly random: Random;
  readonly namespace: string;
  readonly ids: string[] = [];
  readonly messages: string[] = [];

  constructor(random: Random, namespace: string) {
    this.random = random;
    this.namespace = namespace;
  }

  async step(): Promise<void> {
    const { random, namespace } = this;
    const kind = random.weighted({
      say: 2,
      fact: 4,
      supersede: 2,
      entity: 1,
      relation: 2,
      rest: 4,
    });
    if (kind === "say") return await this.#say();
    const scope = { userId: random.pick(USERS), agentId: random.pick(["", "", "a"]) };
    if (kind === "fact" || kind === "supersede") return await this.#fact(scope, kind);
    if (kind === "entity") {
      const entity = { name: random.pick(NAMES), aliases: [random.pick(WORDS)] };
      await client.remember({ ...scope, entity }, { namespace });
    } else if (kind === "relation") {
      const [subject, object] = [random.pick(NAMES), random.pick(NAMES)];
      const relation = { subject, predicate: "knows", objectValue: object };
      await client.remember({ ...scope, relation }, { namespace });
    } else await this.#change();
  }

  async #say(): Promise<void> {
    const { random, namespace } = this;
    const messageId = random.chance(0.5) ? `own-${this.messages.length}` : "";
    const message = { role: "user", text: textOf(random), messageId } as const;
    const options = { namespace, createSession: true };
    const { messages } = await client.append("talk", message, options);
    this.messages.push(...messages.map((one) => one.messageId));
  }

  async #fact(
    scope: { readonly userId: string; readonly agentId: string },
    kind: "fact" | "supersede",
  ): Promise<void> {
    const { random, namespace } = this;
    const cited = this.messages.length > 0 && random.chance(0.6);
    const messageIds = cited ? [random.pick(this.messages)] : [];
    const fact = {
      ...{ ...scope, text: textOf(random), key: "k", topics: [random.pick(NAMES)] },
      importance: random.next(),
      ...(cited ? { source: { sessionId: "talk", messageIds } } : {}),
    };
    const conflict = kind === "supersede" ? { conflict: { mode: "supersede" } as const } : {};
    const { results } = await client.remember(fact, { namespace, ...conflict });
    this.ids.push(...results.map(({ memoryId }) => memoryId));
  }

  async #change(): Promise<void> {
    const { random, namespace, ids } = this;
    if (ids.length === 0) return;
    const id = random.pick(ids);
    const change = random.weighted({ update: 3, reinforce: 2, forget: 2, decay: 1 });
    if (change === "reinforce") {
      await client.reinforceMemories(id, { namespace, allowMissing: true });
    } else if (change === "forget") {
      ids.splice(ids.indexOf(id), 1);
      await client.forgetMemories(id, { namespace });
    } else if (change === "decay") {
      await client.decayMemories({ namespace, filter: { everyone: true }, factor: 0.9 });
    } else {
      await client.updateMemory(id, { text: textOf(random) }, { namespace });
    }
  }
}

test("answers as an index that is made anew, whatever happened before", async () => {
  const random = randomFrom(testSeed("memories in recall"));
  const life = new Life(random, "life");
  for (let step = 1; step <= STEPS; step++) {
    await life.step();
    if (step % ASK_EVERY !== 0) continue;
    const queries = MODES.map((mode) => {
      return { text: textOf(random), mode, referenceMs: Date.now() } as const;
    });
    expect(await indexFaults(client, life.namespace, queries)).toEqual([]);
  }
}, 120_000);
