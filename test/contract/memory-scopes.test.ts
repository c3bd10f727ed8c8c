// Goal: nobody reads, weakens or erases memories of another user because a user id was forgotten.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScopeFilter } from "../../src/gen/memorysidecar/v1/memory.ts";
import { startContractServer, type TestServer } from "../support/contract.ts";
import {
  EVERYONE,
  exactly,
  memory,
  memoryFilter,
  ownedBy,
  relation,
  visibleTo,
} from "../support/samples.ts";

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
  it("only what is shared is listed and queried", async () => {
    await fill("unsaid");
    expect(await listed("unsaid")).toEqual(["shared"]);
    const { memories } = await server.client.call("listMemories", { namespace: "unsaid" });
    expect(memories.map(({ memoryId }) => memoryId)).toEqual(["shared"]);
    const { relations } = await server.client.call("queryRelations", {
      ...{ namespace: "unsaid", subject: "Ana" },
    });
    expect(relations).toEqual([]);
  });

  it.each<readonly [string, ScopeFilter | undefined]>([
    ["filter.scope", undefined],
    ["filter.scope.visible_to", visibleTo({ userId: "" })],
    ["filter.scope.exact", exactly({ userId: "" })],
    ["filter.scope.owned_by", ownedBy({ userId: "" })],
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

describe("a scope", () => {
  it.each<readonly [string, ScopeFilter, readonly string[]]>([
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
