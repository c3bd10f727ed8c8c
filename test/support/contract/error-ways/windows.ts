// Provokes the failures of the rpcs on windows and summaries.

import { Role } from "../../../../src/gen/memorysidecar/v1/message.ts";
import { SummaryKeep } from "../../../../src/gen/memorysidecar/v1/policy.ts";
import { SummaryPlacement } from "../../../../src/gen/memorysidecar/v1/summary.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Failure } from "../client.ts";
import { bare } from "../policy-wire.ts";
import { message, toolCall, written } from "../samples.ts";
import { summarize, summarizingPolicy } from "../summarizing.ts";
import { whilePollsAreFull } from "./polls.ts";
import { type ErrorScene, pinned, sameWay, seeded, type Ways } from "./scene.ts";

const ALL = { $case: "keepRecent", value: 0 } as const;

/** Restores a trimmed message to a window without room for it. */
async function restoreTooMuch(scene: ErrorScene): Promise<Failure> {
  const { client } = scene;
  const sessionId = await seeded(scene, ["x".repeat(900_000)]);
  const target = { $case: "maxMessages", value: 0 } as const;
  await client.call("appendMessages", { sessionId, messages: [message({ messageId: "last" })] });
  await client.call("trimSession", { sessionId, target });
  for (const id of ["a", "b", "c"]) {
    await client.call("appendMessages", { sessionId, messages: [pinned(id, 900_000)] });
  }
  return await client.fail("restoreMessages", { sessionId, messageIds: ["m0"] });
}

/** Places more summaries than the limit of a window. */
async function placeTooMany(scene: ErrorScene): Promise<Failure> {
  const texts = Array.from({ length: LIMITS.placedSummaries + 2 }, (_, index) => `${index}`);
  const sessionId = await seeded(scene, texts);
  const place = (index: number) => ({
    ...{ sessionId, text: "t", placement: SummaryPlacement.IN_PLACE },
    replacedMessageIds: [`m${index}`],
  });
  for (let index = 0; index < LIMITS.placedSummaries; index++) {
    await scene.client.call("setSummary", place(index));
  }
  return await scene.client.fail("setSummary", place(LIMITS.placedSummaries));
}

/** Fills the results of more open calls than the limit of a window. */
async function fillTooMany(scene: ErrorScene): Promise<Failure> {
  const sessionId = await seeded(scene);
  const most = 128;
  for (let first = 0; first <= LIMITS.filledResults; first += most) {
    const toolCalls = Array.from({ length: most }, (_, index) => toolCall(`c${first + index}`));
    const messages = [message({ role: Role.ASSISTANT, toolCalls })];
    await scene.client.call("appendMessages", { sessionId, messages });
  }
  return await scene.client.fail("fillToolResults", { sessionId });
}

/** Requests more summaries than a session may have pending. */
async function compactTooOften(scene: ErrorScene): Promise<Failure> {
  const { client } = scene;
  const sessionId = await seeded(scene, [], { policy: bare([]) });
  const append = { sessionId, messages: [message({ text: "And so it goes." })] };
  const spec = summarize({ keep: SummaryKeep.APPEND });
  const compact = { sessionId, choice: ALL, summarize: spec };
  for (let made = 0; made < LIMITS.stageTasks; made++) {
    await client.call("appendMessages", append);
    await client.call("compactSession", compact);
  }
  await client.call("appendMessages", append);
  return await client.fail("compactSession", compact);
}

/** The failures of windows and summaries, by rpc. */
export const WINDOW_WAYS: Ways = {
  ...sameWay(
    "SESSION_NOT_FOUND",
    [
      "getWindow",
      "trimSession",
      "restoreMessages",
      "listSummaryInputs",
      "setSummary",
      "compactSession",
      "listSummaries",
      "listSummarySources",
      "fillToolResults",
    ],
    { sessionId: "gone" },
  ),
  ...sameWay("PAGE_TOKEN_INVALID", ["listSummaryInputs", "listSummaries", "listSummarySources"], {
    ...{ sessionId: "seed", pageToken: "x" },
  }),
  ...sameWay("ETAG_MISMATCH", ["trimSession"], { sessionId: "seed", etag: "x" }),
  ...sameWay("SEQ_OUT_OF_RANGE", ["getWindow"], { asOfSeq: 99n }),
  ...sameWay("HOOK_NOT_CONFIGURED", ["getWindow"], {
    policy: written(summarizingPolicy({ hook: "nobody" })),
  }),
  ...sameWay("MESSAGE_NOT_FOUND", ["restoreMessages"], {
    ...{ sessionId: "seed", messageIds: ["gone"] },
  }),
  ...sameWay("SEQ_OUT_OF_RANGE", ["restoreMessages"], {
    ...{ sessionId: "seed", messageIds: [], seqRanges: [{ firstSeq: 98n, lastSeq: 99n }] },
  }),
  "RestoreMessages WINDOW_FULL": restoreTooMuch,
  ...sameWay("MESSAGE_NOT_FOUND", ["setSummary"], {
    ...{ sessionId: "seed", replacedMessageIds: ["gone"] },
  }),
  ...sameWay("SUMMARY_VERSION_MISMATCH", ["setSummary"], {
    ...{ sessionId: "seed", expectedVersion: 99n },
  }),
  "SetSummary WINDOW_FULL": placeTooMany,
  ...sameWay("HOOK_NOT_CONFIGURED", ["compactSession"], {
    ...{ sessionId: "seed", summarize: summarize({ hook: "nobody" }) },
  }),
  "CompactSession POLL_LIMIT_REACHED": () =>
    whilePollsAreFull((client) =>
      client.fail("compactSession", {
        ...{ sessionId: "s", choice: ALL, summarize: summarize() },
        wait: { seconds: 60n, nanos: 0 },
      }),
    ),
  "CompactSession OVERLOADED": compactTooOften,
  ...sameWay("SUMMARY_NOT_FOUND", ["listSummarySources"], { version: 99n }),
  "FillToolResults WINDOW_FULL": fillTooMany,
};
