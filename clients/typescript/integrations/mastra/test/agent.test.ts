// Agents: one whose server is killed in the middle, one with a window.

import { EventType, preset } from "@memory-sidecar/client";
import { expect, test } from "vitest";
import { startSetting } from "../../../../../test/support/integrations/setting.ts";
import { SidecarMemory } from "../src/memory.ts";
import { makeAgent, promptOf } from "./model.ts";

const AT = { memory: { thread: "trip", resource: "ana" } };

test("an agent goes on after kills of the server", async () => {
  await using setting = await startSetting();
  const memory = new SidecarMemory(setting.client());
  const script = [{ place: "the roof" }, "They are on the roof.", "As I said: on the roof."];
  const { agent, model } = makeAgent(memory, script, async (place) => {
    await setting.restart();
    return `Storks at ${place}.`;
  });
  expect((await agent.generate("Where are they?", AT)).text).toBe("They are on the roof.");
  await setting.restart();
  expect((await agent.generate("Sure?", AT)).text).toBe("As I said: on the roof.");
  expect(promptOf(model.doGenerateCalls.at(-1)).at(0)).toBe("Where are they?");
  const { messages } = await memory.listMessages({ threadId: "trip", perPage: false });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const kinds = messages[1]?.content.parts.map(({ type }) => type);
  expect(kinds).toContain("tool-invocation");
  expect(await memory.getThreadById({ threadId: "trip" })).toMatchObject({ resourceId: "ana" });
});

test("an agent with a window gets what fits it, while lists give the whole log", async () => {
  await using setting = await startSetting();
  const client = setting.client();
  const policy = preset("token_budget", { max_tokens: 60 });
  const memory = new SidecarMemory(client, { window: true, policy });
  const script = Array.from(
    { length: 12 },
    (_, turn) => `On roof ${turn}, as on every day of this long year.`,
  );
  const { agent, model } = makeAgent(memory, script);
  for (const _ of script) await agent.generate("Where are they?", AT);
  const seen = promptOf(model.doGenerateCalls.at(-1));
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.length).toBeLessThan(10);
  expect(seen.at(-2)).toBe("On roof 10, as on every day of this long year.");
  const { messages, total } = await memory.listMessages({ threadId: "trip", perPage: false });
  expect([messages.length, total]).toEqual([24, 24]);
  const filter = { sessionId: "trip", eventTypes: [EventType.MESSAGES_TRIMMED] };
  const trims = [];
  for await (const { detail } of client.listEvents({ filter })) trims.push(detail?.$case);
  expect(new Set(trims)).toEqual(new Set(["messagesTrimmed"]));
  const { hits } = await client.recall("roof 3", { filter: { userId: "ana" } });
  expect(hits.length).toBeGreaterThan(0);
  // A summary of what left the window comes first, as a message of the user.
  await client.setSummary("trip", "Ana looks for storks.");
  const read = { threadId: "trip", orderBy: { field: "createdAt", direction: "DESC" } } as const;
  const window = await memory.listMessages({ ...read, includeTotal: false });
  const [newest, oldest] = [window.messages[0], window.messages.at(-1)];
  expect(oldest).toMatchObject({ role: "user", threadId: "trip" });
  expect(JSON.stringify(oldest?.content)).toContain("Ana looks for storks.");
  expect(newest?.createdAt.getTime()).toBeGreaterThan(oldest?.createdAt.getTime() ?? 0);
  const { agent: again, model: next } = makeAgent(memory, ["Yes."]);
  await again.generate("Still?", AT);
  expect(promptOf(next.doGenerateCalls[0])[0]).toContain("Ana looks for storks.");
});
