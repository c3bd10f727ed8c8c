// Goal: nobody reads, weakens or erases memories of another user because a user id was forgotten.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScopeFilter } from "../../src/gen/memorysidecar/v1/memory.ts";
import type { RecallFilter } from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  EVERYONE,
  exactly,
  memory,
  memoryFilter,
  memoryScope,
  message,
  ownedBy,
  recallFilter,
  relation,
  session,
  visibleTo,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function fill(namespace: string): Promise<void> {
  const debts = relation("Ana", "owes", "Bob");
  const memories = [
    memory({ memoryId: "ana", text: "Ana has debts.", userId: "ana" }),
    memory({ memoryId: "ana-helper", text: "Ana trusts it.", userId: "ana", agentId: "helper" }),
    { ...debts, memoryId: "ana-owes", userId: "ana" },
    memory({ memoryId: "bob", text: "Bob has debts.", userId: "bob" }),
    memory({ memoryId: "helper", text: "It has debts.", agentId: "helper" }),
    memory({ memoryId: "shared", text: "Debts are due on Monday." }),
  ];
  await server.client.call("remember", { namespace, memories });
}

async function listed(namespace: string, scope?: ScopeFilter): Promise<readonly string[]> {
  const { memories } = await server.client.call("listMemories", {
    ...{ namespace, filter: memoryFilter({ scope }) },
  });
  return memories.map(({ memoryId }) => memoryId).sort();
}

const ALL = ["ana", "ana-helper", "ana-owes", "bob", "helper", "shared"];

describe("without a scope", () => {
  test("only what is shared is listed and queried", async () => {
    await fill("unsaid");
    expect(await listed("unsaid")).toEqual(["shared"]);
    const { memories } = await server.client.call("listMemories", { namespace: "unsaid" });
    expect(memories.map(({ memoryId }) => memoryId)).toEqual(["shared"]);
    const { relations } = await server.client.call("queryRelations", {
      ...{ namespace: "unsaid", subject: "Ana" },
    });
    expect(relations).toEqual([]);
  });

  test.each<readonly [string, ScopeFilter | undefined]>([
    ["filter.scope", undefined],
    ["filter.scope.visible_to", visibleTo({})],
    ["filter.scope.exact", exactly({})],
    ["filter.scope.owned_by", ownedBy({})],
  ])("nothing is purged or decays: %s is named", async (field, scope) => {
    const namespace = `kept-${scope?.scope?.$case.toLowerCase() ?? "unset"}`;
    await fill(namespace);
    const request = { namespace, filter: memoryFilter({ scope }) };
    const refused = { code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" };
    const purge = await server.client.fail("purgeMemories", { ...request, force: true });
    expect(purge).toMatchObject({ ...refused, fields: [field] });
    const decay = await server.client.fail("decayMemories", { ...request, factor: 0 });
    expect(decay).toMatchObject({ ...refused, fields: [field] });
    expect(await listed(namespace, EVERYONE)).toEqual(ALL);
  });
});

describe("a recall", () => {
  const namespace = "recalled";

  beforeAll(async () => {
    const { client } = server;
    const owners = ["ana", "bob", ""];
    const name = (owner: string) => owner || "shared";
    await client.call("remember", {
      namespace,
      memories: owners.map((userId) =>
        memory({ memoryId: `memory of ${name(userId)}`, text: "The vault code is 77.", userId }),
      ),
    });
    await client.call("upsertDocuments", {
      namespace,
      documents: owners.map((owner) =>
        document({
          documentId: `document of ${name(owner)}`,
          text: "Where the vault code is kept.",
          scope: owner === "" ? undefined : memoryScope({ userId: owner }),
        }),
      ),
    });
    for (const owner of owners) {
      const sessionId = `session of ${name(owner)}`;
      await client.call("createSession", {
        ...{ namespace, session: session({ sessionId, userId: owner }) },
      });
      await client.call("appendMessages", {
        ...{ namespace, sessionId },
        messages: [message({ messageId: `message of ${name(owner)}`, text: "The vault code?" })],
      });
    }
  });

  const found = async (filter?: Partial<RecallFilter>): Promise<readonly string[]> => {
    const { hits } = await server.client.call("recall", {
      ...{ namespace, query: "vault code", pageSize: 50 },
      filter: filter && recallFilter(filter),
    });
    const ids = hits.map(({ record }) => {
      if (record?.$case === "message") return record.value.message?.messageId ?? "";
      return record?.$case === "memory" ? record.value.memoryId : (record?.value.documentId ?? "");
    });
    return ids.sort();
  };
  const of = (...owners: string[]) =>
    ["document", "memory", "message"].flatMap((kind) => owners.map((one) => `${kind} of ${one}`));

  test("finds memories, documents and messages of nobody but those who may be seen", async () => {
    expect(await found()).toEqual(of("shared"));
    expect(await found({})).toEqual(of("shared"));
    expect(await found({ scope: visibleTo({}) })).toEqual(of("shared"));
    expect(await found({ scope: visibleTo({ userId: "ana" }) })).toEqual(of("ana", "shared"));
    expect(await found({ scope: ownedBy({ userId: "bob" }) })).toEqual(of("bob"));
    expect(await found({ scope: EVERYONE })).toEqual(of("ana", "bob", "shared"));
  });

  test("does not cross users by an id that it is told", async () => {
    expect(await found({ sessionIds: ["session of ana"] })).toEqual([]);
    expect(await found({ sessionIdPrefix: "session of a" })).toEqual([]);
    expect(await found({ sourceDocumentId: "document of ana" })).toEqual([]);
    const scope = visibleTo({ userId: "ana" });
    expect(await found({ scope, sessionIds: ["session of bob"] })).toEqual([]);
  });

  test("refuses a scope whose user is empty", async () => {
    const scope = visibleTo({ userId: "" });
    const failure = await server.client.fail("recall", { filter: recallFilter({ scope }) });
    expect(failure).toMatchObject({
      ...{ reason: "REQUEST_INVALID", fields: ["filter.scope.visible_to.user_id"] },
    });
  });
});

describe("a scope", () => {
  test.each<readonly [string, ScopeFilter, readonly string[]]>([
    ["seen", visibleTo({ userId: "ana" }), ["ana", "ana-owes", "shared"]],
    ["helped", visibleTo({ userId: "ana", agentId: "helper" }), ALL.filter((id) => id !== "bob")],
    ["nobody", visibleTo({}), ["shared"]],
    ["exact", exactly({ userId: "ana" }), ["ana", "ana-owes"]],
    ["owned", ownedBy({ userId: "ana" }), ["ana", "ana-helper", "ana-owes"]],
    ["agent", ownedBy({ agentId: "helper" }), ["ana-helper", "helper"]],
    ["all", EVERYONE, ALL],
  ])("%s means its memories alone", async (namespace, scope, expected) => {
    await fill(namespace);
    expect(await listed(namespace, scope)).toEqual(expected);
    if (namespace === "nobody") return;
    const request = { namespace, filter: memoryFilter({ scope }), force: true };
    const purged = await server.client.call("purgeMemories", request);
    expect(purged.memoryCount).toBe(expected.length);
    expect(await listed(namespace, EVERYONE)).toEqual(ALL.filter((id) => !expected.includes(id)));
  });
});
