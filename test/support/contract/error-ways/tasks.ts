// Provokes the failures of the rpcs on tasks of hooks.

import { SummaryFailure } from "../../../../src/gen/memorysidecar/v1/policy.ts";
import { storeWith } from "../../services/services.ts";
import { type Failure, startContractServer } from "../client.ts";
import { makeScene, outputOf, summarizingPolicy, takeTask, WORKERS } from "../summarizing.ts";
import { whilePollsAreFull } from "./polls.ts";
import { type ErrorScene, sameWay, type Way, type Ways } from "./scene.ts";

type Ref = Readonly<Record<"namespace" | "taskId" | "leaseToken", string>>;

/** Lets a worker lease a task of a session `s` in a separate namespace. */
async function taken(
  { server, fresh }: ErrorScene,
  of: Parameters<typeof summarizingPolicy>[0] = {},
): Promise<Ref> {
  const namespace = fresh();
  await makeScene(server, "s", { namespace, policy: summarizingPolicy(of) });
  const { ref } = await takeTask(server, { namespace });
  return { namespace, ...ref };
}

/** Lets a worker give a task up. */
async function givenUp(
  scene: ErrorScene,
  onFailure: SummaryFailure,
): Promise<Omit<Ref, "leaseToken">> {
  const { namespace, ...ref } = await taken(scene, { onFailure });
  await scene.client.call("failTask", { namespace, ...ref, permanent: true });
  return { namespace, taskId: ref.taskId };
}

/** Acts on a task with another lease than its worker's. */
const withOtherLease =
  (method: "completeTask" | "failTask" | "extendLease"): Way =>
  async (scene) => {
    const ref = { ...(await taken(scene)), leaseToken: "another" };
    const output = method === "completeTask" ? { output: outputOf("so far") } : {};
    return await scene.client.fail(method, { ...ref, ...output });
  };

/** Retries a task on a server without its hook. */
async function retryWithoutHook(scene: ErrorScene): Promise<Failure> {
  const task = await givenUp(scene, SummaryFailure.KEEP);
  await using later = await startContractServer({
    wrapStore: () => storeWith(scene.server.store, { close: async () => {} }),
  });
  return await later.client.fail("retryTask", task);
}

/** The failures of tasks, by rpc. */
export const TASK_WAYS: Ways = {
  ...sameWay("HOOK_NOT_CONFIGURED", ["pollTasks"], { hooks: ["nobody"] }),
  "PollTasks POLL_LIMIT_REACHED": () =>
    whilePollsAreFull((client) =>
      client.fail("pollTasks", { hooks: [WORKERS], wait: { seconds: 60n, nanos: 0 } }),
    ),
  ...sameWay(
    "TASK_NOT_FOUND",
    ["completeTask", "failTask", "extendLease", "getTask", "retryTask", "deleteTask"],
    { allowMissing: false },
  ),
  ...sameWay("PAGE_TOKEN_INVALID", ["listTasks"], { pageToken: "x" }),
  "CompleteTask LEASE_LOST": withOtherLease("completeTask"),
  "FailTask LEASE_LOST": withOtherLease("failTask"),
  "ExtendLease LEASE_LOST": withOtherLease("extendLease"),
  "CompleteTask TASK_SUPERSEDED": async (scene) => {
    const ref = await taken(scene);
    const target = { $case: "keepRecent", value: 4 } as const;
    const trim = { namespace: ref.namespace, sessionId: "s", target };
    await scene.client.call("trimSession", trim);
    return await scene.client.fail("completeTask", { ...ref, output: outputOf("of all three") });
  },
  "CompleteTask TASK_RESULT_INVALID": async (scene) =>
    scene.client.fail("completeTask", { ...(await taken(scene)), output: outputOf("") }),
  "RetryTask HOOK_NOT_CONFIGURED": retryWithoutHook,
  "RetryTask TASK_SUPERSEDED": async (scene) =>
    scene.client.fail("retryTask", await givenUp(scene, SummaryFailure.DROP)),
};
