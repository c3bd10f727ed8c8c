// Goal: every failure that the comment of an rpc tells can be had from a server, with the code that
// the comment tells. edge.test.ts and bad-input.test.ts show the failures that all rpcs share.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { errorsOf } from "../../tools/reference/errors.ts";
import { documentedFailures } from "../support/contract/documented-errors.ts";
import { ADMIN_WAYS } from "../support/contract/error-ways/admin.ts";
import { BACK_UP_WAYS } from "../support/contract/error-ways/back-ups.ts";
import { EVENT_WAYS } from "../support/contract/error-ways/events.ts";
import { MEMORY_WAYS } from "../support/contract/error-ways/memories.ts";
import { MESSAGE_WAYS } from "../support/contract/error-ways/messages.ts";
import { RECALL_WAYS } from "../support/contract/error-ways/recall.ts";
import { RECORD_WAYS } from "../support/contract/error-ways/records.ts";
import { type ErrorScene, startErrorScene } from "../support/contract/error-ways/scene.ts";
import { SESSION_WAYS } from "../support/contract/error-ways/sessions.ts";
import { SNAPSHOT_WAYS } from "../support/contract/error-ways/snapshots.ts";
import { TASK_WAYS } from "../support/contract/error-ways/tasks.ts";
import { WINDOW_WAYS } from "../support/contract/error-ways/windows.ts";

const WAYS = [
  SESSION_WAYS,
  MESSAGE_WAYS,
  WINDOW_WAYS,
  SNAPSHOT_WAYS,
  EVENT_WAYS,
  MEMORY_WAYS,
  RECALL_WAYS,
  RECORD_WAYS,
  TASK_WAYS,
  BACK_UP_WAYS,
  ADMIN_WAYS,
].flatMap((ways) => Object.entries(ways));

const CONTRACT = buildContract(join(import.meta.dirname, "../.."));

/** The code of each documented failure. */
const CODES: ReadonlyMap<string, string> = new Map(
  rpcsOf(CONTRACT).flatMap((method) =>
    errorsOf(CONTRACT, method).flatMap(({ code, reasons }) =>
      reasons.map((reason) => [`${method.name} ${reason}`, code] as const),
    ),
  ),
);

let scene: ErrorScene;

beforeAll(async () => {
  scene = await startErrorScene();
});

afterAll(() => scene[Symbol.asyncDispose]());

test.each(WAYS)("%s", { timeout: 60_000 }, async (name, way) => {
  const [, reason] = name.split(" ");
  const failure = await way(scene);
  expect([failure?.code, failure?.reason]).toEqual([CODES.get(name), reason]);
});

test("has one way to each documented failure, and no other", () => {
  expect(WAYS.map(([name]) => name).sort()).toEqual(documentedFailures().sort());
});
