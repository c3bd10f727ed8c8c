// Goal: GetWindow shows the summary of the session as the policy says, counts it, and says the same
// of the log as without it.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  fromBytes,
  type StoredJsonMessage,
  toBytes,
} from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import type { WindowInput, WindowResult } from "../core/window-api.ts";
import type { Policy } from "../window/policy/policy.ts";
import type { SummaryShow } from "../window/policy/summary-spec.ts";

const REF = { namespace: "default", sessionId: "s" };
const PREFIX = "So far: ";
/** Of 14 bytes: 4 tokens, and with the prefix 22 bytes, which are 6. */
const TEXT = "They said hey.";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(() => services.stop());

const policy = (show: SummaryShow, prefix = PREFIX): Policy =>
  policyOf([], { summaryView: { show, prefix } });

async function create(show: SummaryShow, summaryText = TEXT): Promise<void> {
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: policy(show), ...(summaryText === "" ? {} : { summaryText }) },
    encode: toBytes,
  });
}

function read(input: Partial<WindowInput> = {}): Promise<WindowResult> {
  return services.sessions.getWindow(services.call("GetWindow"), { ...REF, ...input });
}

const messagesOf = ({ messages }: WindowResult): StoredJsonMessage[] =>
  messages.map((bytes) => fromBytes<StoredJsonMessage>(bytes));
const textsOf = (result: WindowResult): string[] => messagesOf(result).map(({ text }) => text);

const RULES = { role: 3, text: "Rules", tokenCount: 2 } as const;
const HEY = { text: "hey", tokenCount: 3 } as const;

describe("behind the system prompt", () => {
  test("it is a system message, before what was said and what the server placed", async () => {
    await create("after-system");
    await services.append("s", [RULES, RULES, { ...HEY, messageId: "m" }, RULES, HEY]);
    const shown = ["Rules", "Rules", `${PREFIX}${TEXT}`];
    expect(textsOf(await read())).toEqual([...shown, "hey", "Rules", "hey"]);
    expect(textsOf(await read({ newest: 1 }))).toEqual([`${PREFIX}${TEXT}`, "hey"]);
    await services.sessions.setSummary(services.call("SetSummary"), {
      ...{ ...REF, text: "placed", replacedMessageIds: ["m"], placement: "in-place" },
      encode: toBytes,
    });
    expect(textsOf(await read())).toEqual([...shown, "placed", "Rules", "hey"]);
  });
});

describe("before all others", () => {
  test("it is a system message of the server, with its own id and trust", async () => {
    await create("system-first");
    await services.append("s", [RULES, HEY]);
    const result = await read();
    expect(textsOf(result)).toEqual([`${PREFIX}${TEXT}`, "Rules", "hey"]);
    const [shown] = messagesOf(result);
    expect(shown).toMatchObject({ role: 3, made: "summary", trust: result.summary?.trust });
    expect(shown?.stamp).toMatchObject({ messageId: "summary", seq: 0, tokenCount: 6 });
    expect(result.summary?.text).toBe(TEXT);
  });

  test("it is counted in the window, and is no part of the log", async () => {
    await create("system-first");
    await services.append("s", [RULES, HEY]);
    const result = await read();
    expect(result.window).toMatchObject({ messageCount: 3, tokenCount: 11 });
    expect(result.outside).toEqual({ messageCount: 0, tokenCount: 0 });
    expect(result.outsideRanges).toEqual([]);
    const session = await services.sessions.getSession(services.call("GetSession"), REF);
    expect(session.head.window).toMatchObject({ messageCount: 2, tokenCount: 5 });
  });

  test("it stays when only the newest are asked for", async () => {
    await create("system-first");
    await services.append("s", [RULES, HEY]);
    const result = await read({ newest: 1 });
    expect(textsOf(result)).toEqual([`${PREFIX}${TEXT}`, "hey"]);
    expect(result.window).toMatchObject({ messageCount: 2, tokenCount: 9 });
    expect(result.outside).toEqual({ messageCount: 1, tokenCount: 2 });
    expect(result.outsideRanges).toEqual([{ first: 1, last: 1 }]);
  });

  test("it stands alone in an empty window", async () => {
    await create("system-first");
    const result = await read();
    expect(textsOf(result)).toEqual([`${PREFIX}${TEXT}`]);
    expect(result.window).toMatchObject({ messageCount: 1, tokenCount: 6 });
  });
});

describe("behind the first system message", () => {
  test("it makes that longer and dearer", async () => {
    await create("system-suffix");
    await services.append("s", [HEY, RULES, { ...RULES, text: "More" }]);
    const result = await read();
    expect(textsOf(result)).toEqual(["hey", `Rules\n\n${PREFIX}${TEXT}`, "More"]);
    const [, rules] = messagesOf(result);
    // The suffix has 24 bytes.
    expect(rules?.stamp).toMatchObject({ seq: 2, tokenCount: 8 });
    expect(result.window).toMatchObject({ messageCount: 3, tokenCount: 13 });
    expect(result.outside).toEqual({ messageCount: 0, tokenCount: 0 });
    const stored = await services.sessions.getMessage(services.call("GetMessage"), {
      ...REF,
      messageId: rules?.stamp.messageId ?? "",
    });
    expect(stored.message.tokenCount).toBe(2);
  });

  test("it is a message of its own when the answer has no system message", async () => {
    await create("system-suffix");
    await services.append("s", [RULES, HEY]);
    expect(textsOf(await read({ newest: 1 }))).toEqual([`${PREFIX}${TEXT}`, "hey"]);
  });

  test("a placed summary is no system message of the caller", async () => {
    await create("system-suffix");
    await services.append("s", [{ ...HEY, messageId: "m" }, HEY]);
    await services.sessions.setSummary(services.call("SetSummary"), {
      ...REF,
      text: "placed",
      replacedMessageIds: ["m"],
      placement: "in-place",
      encode: toBytes,
    });
    expect(textsOf(await read())).toEqual([`${PREFIX}${TEXT}`, "placed", "hey"]);
  });
});

describe("it is not shown", () => {
  test("when the policy says so", async () => {
    await create("none");
    await services.append("s", [RULES]);
    const result = await read();
    expect(textsOf(result)).toEqual(["Rules"]);
    expect(result.summary?.text).toBe(TEXT);
    expect(result.window).toMatchObject({ messageCount: 1, tokenCount: 2 });
  });

  test("without a summary", async () => {
    await create("system-first", "");
    await services.append("s", [RULES]);
    expect(textsOf(await read())).toEqual(["Rules"]);
  });

  test("by a preview, which counts it", async () => {
    await create("system-first");
    await services.append("s", [RULES]);
    const { previews } = await services.sessions.previewPolicy(services.call("PreviewPolicy"), {
      ...REF,
      ...{ policies: [], occasions: [], source: "window", toolOutcomes: [] },
    });
    expect(previews[0]?.before).toEqual({ messageCount: 1, tokenCount: 2 });
    expect(previews[0]?.after).toEqual({ messageCount: 2, tokenCount: 8 });
    expect(previews[0]?.messages).toHaveLength(1);
  });
});

test("the policy of a request says how it is shown in the answer", async () => {
  await create("none");
  await services.append("s", [RULES]);
  const first = await read({ policy: policy("system-first", "") });
  expect(textsOf(first)).toEqual([TEXT, "Rules"]);
  const suffix = await read({ policy: policy("system-suffix", "") });
  expect(textsOf(suffix)).toEqual([`Rules\n\n${TEXT}`]);
});

describe("in the past", () => {
  const set = (text: string, replacedMessageIds: readonly string[] = []) =>
    services.sessions.setSummary(services.call("SetSummary"), {
      ...{ ...REF, text, replacedMessageIds, placement: "session", encode: toBytes },
    });

  beforeEach(async () => {
    await create("after-system", "");
    await services.append("s", [RULES, { ...HEY, messageId: "m2" }]);
    await set("First.");
    await services.append("s", [HEY]);
    await set("Second.", ["m2"]);
    await services.append("s", [HEY]);
    await set("");
    await services.append("s", [HEY]);
    await set("Last.");
    await services.append("s", [HEY]);
  });

  test("it is shown as it was then, whatever came later", async () => {
    const at = async (asOfSeq: number) => textsOf(await read({ asOfSeq }));
    expect(await at(1)).toEqual(["Rules"]);
    expect(await at(2)).toEqual(["Rules", "So far: First.", "hey"]);
    expect(await at(3)).toEqual(["Rules", "So far: Second.", "hey"]);
    expect(await at(4)).toEqual(["Rules", "hey", "hey"]);
    expect(await at(5)).toEqual(["Rules", "So far: Last.", "hey", "hey", "hey"]);
    expect((await read({ asOfSeq: 3 })).summary?.text).toBe("Second.");
    expect((await read({ asOfSeq: 4 })).summary).toBeUndefined();
  });

  test("a fork has it as it was at its seq, with its own history", async () => {
    for (const [atSeq, text] of [
      [1, undefined],
      [2, "First."],
      [3, "Second."],
      [4, undefined],
      [6, "Last."],
    ] as const) {
      const sessionId = `fork-${atSeq}`;
      await services.sessions.forkSession(services.call("ForkSession"), {
        ...{ namespace: "default", sourceSessionId: "s", sessionId, atSeq, encode: toBytes },
      });
      const shown = await read({ sessionId });
      expect([atSeq, shown.summary?.text]).toEqual([atSeq, text]);
      const history = await services.store.listSummaries(
        { namespace: "default", sessionId },
        { order: "asc", limit: 10, maxBytes: 10_000 },
      );
      expect(history?.summaries.map((one) => one.text)).toEqual(text === undefined ? [] : [text]);
    }
  });
});

describe("what nobody sees in a summary", () => {
  const HIDDEN = "They\u202e said\u200b hey\u0007.";

  test("does not go to a model, neither among the messages nor before them", async () => {
    await create("after-system", HIDDEN);
    await services.append("s", [{ ...HEY, messageId: "m" }, HEY]);
    await services.sessions.setSummary(services.call("SetSummary"), {
      ...{ ...REF, text: HIDDEN, replacedMessageIds: ["m"], placement: "in-place" },
      encode: toBytes,
    });
    const result = await read();
    expect(textsOf(result)).toEqual([`${PREFIX}${TEXT}`, TEXT, "hey"]);
    expect(result.summary?.text).toBe(HIDDEN);
  });

  test("is shown by the profile of a system that shows it", async () => {
    await services.sessions.createSession(services.call("CreateSession"), {
      ...REF,
      input: {
        policy: { ...policy("system-first"), preset: { name: "lauren", options: "{}" } },
        summaryText: HIDDEN,
      },
      encode: toBytes,
    });
    expect(textsOf(await read())).toEqual([`${PREFIX}${HIDDEN}`]);
  });

  test("may be all of it", async () => {
    await create("after-system", "\u200b\u202e");
    await services.append("s", [HEY]);
    expect(textsOf(await read())).toEqual(["hey"]);
  });
});
