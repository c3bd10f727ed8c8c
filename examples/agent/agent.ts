// An agent with tools, a window, long-term facts, and a consumer of what leaves the window.

import { createInterface } from "node:readline/promises";
import { connect, MemoryTools, preset, renderedIn } from "@memory-sidecar/client";

const memory = connect(process.argv[2] ?? "127.0.0.1:50151");
const tools = new MemoryTools(memory, { userId: "ana" }); // remember, recall, forget: facts
const session = { userId: "ana", policy: preset("token_budget", { max_tokens: 300 }) };
const context = { form: "openai_chat", maxTokens: 4000 } as const;
const turn = { form: "openai_chat", createSession: true, session, context } as const;
const url = `${process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1"}/chat/completions`;
const authorization = `Bearer ${process.env["OPENAI_API_KEY"]}`;

// One call stores, trims, and gives what goes to the model.
async function ask(said: object | object[]) {
  const { messages } = renderedIn(await memory.append("chat", said, turn));
  const given = { model: "gpt-5-mini", messages, tools: tools.definitions("openai") };
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(given) });
  return JSON.parse(await answer.text()).choices[0].message;
}

// Goes on where it was after a restart of the server or the agent.
memory.ensureConsumer("trims").then(async () => {
  for await (const { event, resumeToken } of memory.watch({ from: { consumerId: "trims" } })) {
    if (event.type === "EVENT_TYPE_MESSAGES_TRIMMED") console.error("left:", event.detail);
    await memory.ackEvents("trims", resumeToken);
  }
});

const resultOf = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
for await (const content of createInterface({ input: process.stdin })) {
  let answer = await ask({ role: "user", content });
  while (answer.tool_calls) {
    const found: object[] = [answer];
    for (const { id, function: called } of answer.tool_calls)
      found.push(resultOf(id, await tools.call(called.name, called.arguments)));
    answer = await ask(found);
  }
  await memory.append("chat", answer, { form: "openai_chat", turnEnd: true });
  console.log(answer.content);
}
process.exit();
