// Goal: no rpc fails in a way that its comment does not tell. The client of these tests refuses
// every such failure that it sees, in whatever test; here it is shown that it does, and that it
// reads the comments as the reference does.

import { join } from "node:path";
import { expect, test } from "vitest";
import { AppError } from "../../src/kit/errors.ts";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { errorsOf } from "../../tools/reference/errors.ts";
import { startContractServer, Undocumented } from "../support/contract/client.ts";
import {
  COMMON_REASONS,
  documentedFailures,
  isDocumented,
} from "../support/contract/documented-errors.ts";

const CONTRACT = buildContract(join(import.meta.dirname, "../.."));

test("reads the errors of every rpc as the reference does", () => {
  const told = rpcsOf(CONTRACT).flatMap((method) =>
    errorsOf(CONTRACT, method).flatMap(({ reasons }) =>
      reasons.map((reason) => `${method.name} ${reason}`),
    ),
  );
  expect(documentedFailures().sort()).toEqual(told.sort());
  expect(told.length).toBeGreaterThan(100);
});

test("tells the errors of all rpcs once", () => {
  const { all, mutations, writes } = COMMON_REASONS;
  expect(all).toContain("INTERNAL");
  expect(isDocumented("GetSession", "INTERNAL")).toBe(true);
  expect(isDocumented("GetSession", "REQUEST_ID_REUSED")).toBe(false);
  expect(isDocumented("DeleteSession", "REQUEST_ID_REUSED")).toBe(true);
  expect(isDocumented("DeleteSession", "STORE_FULL")).toBe(false);
  expect(isDocumented("CreateSession", "STORE_FULL")).toBe(true);
  expect(isDocumented("CreateSession", "SESSION_NOT_FOUND")).toBe(false);
  for (const failure of documentedFailures()) {
    const [, reason = ""] = failure.split(" ");
    // OVERLOADED of one rpc may have a cause of its own to tell.
    if (reason === "OVERLOADED") continue;
    expect([...all, ...mutations, ...writes]).not.toContain(reason);
  }
});

test("lets no undocumented failure through", async () => {
  await using server = await startContractServer({
    wrapStore: (store) =>
      new Proxy(store, {
        get: (target, name) => {
          if (name === "positions") throw new AppError("TASK_NOT_FOUND", "Not told.");
          const value = Reflect.get(target, name) as unknown;
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
  });
  await expect(server.client.fail("listEvents", {})).rejects.toThrow(Undocumented);
  await expect(server.client.call("listEvents", {})).rejects.toThrow(
    "ListEvents answers TASK_NOT_FOUND, which its comment does not tell: Not told.",
  );
  const { reason } = await server.client.fail("listEvents", {}, { anyReason: true });
  expect(reason).toBe("TASK_NOT_FOUND");
});
