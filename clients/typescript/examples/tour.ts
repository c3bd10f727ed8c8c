// Walks once through the client: turns with tools, the window, what leaves it, memory, context,
// records, errors, erasure. The tours of all languages print the same lines.
//
//   node clients/typescript/examples/tour.ts [ADDRESS [TOKEN]]
//
// It asks for a kill of the server, and then of itself; "resume" as a third argument goes on.
// In a program of your own import from "@memory-sidecar/client".

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  connect,
  ErasureState,
  type EventStream,
  EventType,
  isMemorySidecarError,
  preset,
  Role,
} from "../src/index.ts";

const [address = "127.0.0.1:50151", token = "", part] = process.argv.slice(2);
// More attempts than usual: a person who kills the server is slow to start it again.
const retry = { maxAttempts: 30 };
const client = connect(address, { retry, ...(token === "" ? {} : { token }) });
const cities = ["Lisbon", "Oslo", "Rome", "Paris", "Porto"];

/** Waits for Enter. */
async function ask(text: string): Promise<void> {
  console.log(text);
  await once(process.stdin, "data");
  process.stdin.pause();
}

/** Has turns while the server is killed, until the program is. */
async function start(): Promise<void> {
  console.log("== Turns");
  const policy = preset("turns", { max_turns: 1 });
  await client.ensureSession("trip", { userId: "ada", policy });
  await client.ensureConsumer("tour", { from: "oldest" });
  const trims = watchTrims();
  await trims.ready;
  await turn(1);
  await show();
  await turn(2);
  await showTrim(trims);
  await ask("Kill the server, press Enter, and start it again.");
  await turn(3);
  await showTrim(trims);
  await turn(4);
  await ask("Kill this program, and start it again with resume.");
}

/** Watches what leaves the window, after what was acknowledged. */
function watchTrims(): EventStream {
  const eventTypes = [EventType.MESSAGES_TRIMMED];
  return client.watch({ from: { consumerId: "tour" }, filter: { sessionId: "trip", eventTypes } });
}

/** Asks, runs the tools of the answer side by side, and appends what they found. */
async function turn(number: number): Promise<void> {
  const city = cities[number - 1] ?? "";
  const args = JSON.stringify({ city });
  const toolCalls = [
    { toolCallId: `table-${number}`, name: "find_table", arguments: args },
    { toolCallId: `weather-${number}`, name: "get_weather", arguments: args },
  ];
  const question = `Where do I eat in ${city}?`;
  const asked = await client.append("trip", [question, { role: "assistant", toolCalls }]);
  const texts = await Promise.all(toolCalls.map(({ name }) => runTool(name, city)));
  const results = toolCalls.map(({ toolCallId }, at) => {
    return { role: "tool", toolCallId, text: texts[at] ?? "" } as const;
  });
  const answer = { role: "assistant", text: texts.join(" ") } as const;
  const done = await client.append("trip", [...results, answer]);
  console.log(`turn ${number} has the seqs ${asked.messages[0]?.seq} to ${done.lastSeq}`);
}

async function runTool(name: string, city: string): Promise<string> {
  return name === "get_weather" ? `It is sunny in ${city}.` : `The Anchor in ${city} has a table.`;
}

/** Shows what goes to the model. */
async function show(): Promise<void> {
  const { messages } = await client.window("trip");
  for (const { seq, role, text, toolCalls } of messages) {
    const calls = toolCalls.map((call) => ` ${call.name}(${call.arguments})`).join("");
    console.log(
      `${seq} ${role.replace("ROLE_", "").toLowerCase()}:${calls}${text === "" ? "" : ` ${text}`}`,
    );
  }
}

/** Waits for the next trim, shows it, and tells the server that it is done. */
async function showTrim(trims: EventStream): Promise<void> {
  const { value } = await trims.next();
  if (value?.event.detail?.$case !== "messagesTrimmed") throw new Error("a trim was expected");
  const { stage, seqRanges } = value.event.detail.value.trim ?? { stage: "", seqRanges: [] };
  const [seqs] = seqRanges;
  console.log(`left the window: ${seqs?.firstSeq} to ${seqs?.lastSeq}, by ${stage}`);
  await client.ackEvents("tour", value.resumeToken);
}

/** Goes on after the last trim that was acknowledged. */
async function resume(): Promise<void> {
  console.log("== Resumed");
  const trims = watchTrims();
  await showTrim(trims);
  await turn(5);
  await showTrim(trims);
  await trims.return();
  let count = 0;
  for await (const _ of client.listMessages("trip", { pageSize: 4 })) count++;
  console.log(`the log has ${count} messages`);
}

/** Remembers facts, the second in the place of the first, and finds them again. */
async function remember(): Promise<void> {
  console.log("== Memory");
  for (const text of ["Ada lives in Porto.", "Ada lives in Berlin."]) {
    const fact = { userId: "ada", key: "home_city", text };
    await client.remember(fact, { conflict: "supersede" });
  }
  await client.remember({ userId: "ada", text: "Ada is allergic to peanuts." });
  const options = { userId: "ada", filter: { kinds: ["memory"] }, pageSize: 1 } as const;
  const { hits } = await client.recall("which city is home", options);
  for (const { record } of hits) {
    if (record?.$case === "memory") console.log(`recalled: ${record.value.text}`);
  }
  const prompt = await client.assembleContext({
    sessionId: "trip",
    query: "a dinner without peanuts",
    maxTokens: 500,
    excludeConversation: true,
    sections: ["long-term"],
  });
  console.log(prompt.text);
}

/** Keeps values and lists them. */
async function records(): Promise<void> {
  console.log("== Records");
  const path = ["checkpoints", "trip"];
  for (const step of ["one", "two", "three"]) {
    await client.putRecord(path, step, `step ${step}`, { owner: { userId: "ada" } });
  }
  const options = { includeValues: true, pageSize: 2 };
  for await (const { key, value } of client.listRecords(path, options)) {
    console.log(`${key}: ${value.toString()}`);
  }
}

/** Shows what errors tell, and that a request id stores once. */
async function refusals(): Promise<void> {
  console.log("== Errors");
  const late = await failure(client.append("trip", "Too late", { expectedLastSeq: 1 }));
  console.log(`${late.reason}: the newest seq is ${late.metadata["last_seq"]}`);
  const message = { role: Role.UNSPECIFIED, text: "Whose?" };
  const whose = await failure(client.append("trip", message));
  console.log(`${whose.reason}: ${whose.violations[0]?.field}`);
  const first = await client.append("trip", "Thank you.", { requestId: "thanks" });
  const again = await client.append("trip", "Thank you.", { requestId: "thanks" });
  console.log(`sent twice, stored once: seq ${first.lastSeq} and seq ${again.lastSeq}`);
}

/** The error of a call that is meant to fail. */
async function failure(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (isMemorySidecarError(error)) return error;
    throw error;
  }
  throw new Error("an error was expected");
}

/** Erases the user with everything that is theirs. */
async function erase(): Promise<void> {
  console.log("== Erasure");
  let receipt = await client.eraseSubject({ userId: "ada" });
  while (receipt.state === ErasureState.RUNNING) {
    await sleep(20);
    receipt = await client.getErasure(receipt.erasureId);
  }
  for (const { kind, count } of receipt.erased) {
    console.log(`erased ${kind.replace("ERASED_KIND_", "").toLowerCase()}: ${count}`);
  }
  const gone = await failure(client.window("trip"));
  if (gone.reason === "SESSION_NOT_FOUND") console.log("nothing is left of the session");
}

const steps = part === "resume" ? [resume, remember, records, refusals, erase] : [start];
for (const step of steps) await step();
client.close();
