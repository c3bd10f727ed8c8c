// Every rpc, and every error that a user will meet, once.
//
//   node clients/typescript/examples/walkthrough.ts [ADDRESS]
//
// In a program of your own import from "@memory-sidecar/client".

import { randomUUID } from "node:crypto";
import type { ServiceError } from "@grpc/grpc-js";
import {
  AppendOutcome,
  connect,
  dropOldest,
  EventType,
  filter,
  isMemorySidecarError,
  type KnownErrorReason,
  keepLast,
  MemorySidecarError,
  makePolicy,
  preset,
  protections,
  Role,
  renderedIn,
  Status,
  shorten,
  summarize,
  TriggerKind,
  toolResultFill,
  Verdict,
} from "../src/index.ts";

const run = randomUUID().slice(0, 8);
const namespace = `walk-${run}`;
const client = connect(process.argv[2] ?? "127.0.0.1:50151", { namespace, timeoutMs: 10_000 });

// A policy made by hand: reads leave out chatter and cut old tool results down, whole turns
// leave when the window grows too large, and a failed booking leaves one turn.
const byHand = makePolicy(
  [
    shorten("results", { maxTokens: 64, keepNewest: 2 }),
    filter("chatter", "message.content != 'ok'", { unit: "message", on: "read" }),
    dropOldest("fit", { maxTokens: 500 }, { over: { tokens: 600 } }),
    keepLast("start-over", 1, { on: "turn-end", anyOf: { toolError: ["book"] } }),
  ],
  {
    name: "by-hand",
    protections: protections({ minMessages: 2 }),
    toolResultFill: toolResultFill("moved-on"),
  },
);

function title(text: string): void {
  console.log(`\n== ${text}`);
}

/** Shows an error that is meant to happen. */
async function refused(reason: KnownErrorReason, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!isMemorySidecarError(error, reason)) throw new Error(`${reason} was expected`);
  console.log(`   ${error.reason} (${Status[error.code]}): ${error.message}`);
}

async function sessions(): Promise<void> {
  title("Sessions");
  const created = await client.createSession({
    sessionId: "chat",
    userId: "ada",
    agentId: "botanist",
    labels: { topic: "trees" },
    metadata: { plan: "free", seats: 3 },
    ttlMs: 86_400_000,
    policy: byHand,
  });
  console.log(`created ${created.sessionId}, gone at ${created.expireTime?.toISOString()}`);
  await refused("SESSION_ALREADY_EXISTS", client.createSession({ sessionId: "chat" }));
  await client.ensureSession("chat");
  await refused("SESSION_NOT_FOUND", client.getSession("nobody"));
  const { etag } = await client.getSession("chat");
  const changed = await client.updateSession({ sessionId: "chat", userId: "grace", etag });
  console.log(`now of ${changed.session?.userId}`);
  await refused("ETAG_MISMATCH", client.updateSession({ sessionId: "chat", agentId: "x", etag }));
  await client.updateSession({ sessionId: "chat" }, { updateMask: ["ttl", "agent_id"] });
  for await (const session of client.listSessions({ labels: { topic: "trees" } })) {
    console.log(`listed ${session.sessionId}, last seq ${session.lastSeq}`);
  }
  const trees = { sessionIdPrefix: "ch", metadata: [{ path: "none", exists: false }] } as const;
  for await (const session of client.listSessions({ ...trees, order: "newest-update-first" })) {
    console.log(`changed last: ${session.sessionId}`);
  }
  const { count, atLeast } = await client.countSessions(trees);
  console.log(`counted ${count} of them, ${atLeast ? "or more" : "and no more"}`);
  for await (const found of client.listNamespaces()) {
    if (found.namespace === namespace) console.log(`the namespace is listed`);
  }
}

async function counts(): Promise<void> {
  title("Counts");
  const early = await client.countMessages("chat", {
    timeBefore: new Date(),
    metadata: [
      {
        anyOf: [
          { path: "kind", startsWith: "t" },
          { label: "kind", equals: "tea" },
        ],
      },
    ],
  });
  console.log(`messages with a kind that begins so: ${early.count}`);
}

async function messages(): Promise<void> {
  title("Messages");
  await client.append("chat", { role: "system", text: "You are a botanist." });
  const asked = await client.append("chat", [
    { role: "user", messageId: "question", text: "What flowers in March?" },
    {
      role: "assistant",
      toolCalls: [{ toolCallId: "c1", name: "calendar", arguments: '{"month":3}' }],
    },
    { role: "tool", toolCallId: "c1", text: "hazel, alder" },
    { role: "assistant", parts: ["Hazel and alder.", { data: { month: 3 } }] },
  ]);
  console.log(`seqs ${asked.messages.map((message) => message.seq).join(" ")}`);
  await refused(
    "MESSAGE_ALREADY_EXISTS",
    client.append("chat", { role: "user", messageId: "question" }),
  );
  await refused("LAST_SEQ_MISMATCH", client.append("chat", "late", { expectedLastSeq: 1 }));
  await refused("REQUEST_INVALID", client.append("chat", { role: "user", toolCallId: "c1" }));
  const requestId = `first-${run}`;
  const first = await client.append("chat", "only once", { requestId });
  const again = await client.append("chat", "only once", { requestId });
  console.log(`the same append twice: seq ${first.lastSeq} and seq ${again.lastSeq}`);
  await refused("REQUEST_ID_REUSED", client.append("chat", "other", { requestId }));
  await client.updateMessage("chat", { messageId: "question", text: "What flowers in April?" });
  const { message, inWindow } = await client.getMessage("chat", "question");
  console.log(`"${message?.text}" is ${inWindow ? "in" : "outside"} the window`);
  await refused("MESSAGE_NOT_FOUND", client.getMessage("chat", "nothing"));
  for await (const item of client.listMessages("chat", {
    roles: ["user"],
    order: "newest-first",
  })) {
    console.log(`user said, at ${item.seq}: ${item.text}`);
  }
  await client.deleteMessage("chat", "question");
  await client.deleteMessage("chat", "question", { allowMissing: true });
  await refused("MESSAGE_NOT_FOUND", client.deleteMessage("chat", "question"));
}

async function histories(): Promise<void> {
  title("Histories");
  const sent = [
    { role: "user", messageId: "note-1", text: "By train." },
    { role: "user", messageId: "note-2", text: "Two tickets." },
  ] as const;
  await client.append("drafts", sent.slice(0, 1), { createSession: true });
  const { messages } = await client.append("drafts", sent, { onExisting: "skip" });
  for (const { messageId, outcome } of messages) {
    console.log(`${messageId}: ${outcome === AppendOutcome.SKIPPED ? "known" : "new"}`);
  }
  const changed = { ...sent[0], text: "By bus." };
  await client.append("drafts", changed, { onExisting: "update" });
  const both = await client.batchGetMessages("drafts", ["note-1"], { seqRanges: [[2, 9]] });
  console.log(`in one call: ${both.map(({ text }) => text).join(" ")}`);
  const places: string[] = [];
  const several = {
    sessionIds: ["drafts", "chat"],
    roles: ["user"],
    order: "newest-first",
  } as const;
  for await (const { sessionId, message } of client.listSessionMessages(several)) {
    places.push(`${sessionId} ${message?.seq}`);
  }
  const of = { sessions: { sessionIdPrefix: "dra" } };
  const { count } = await client.countSessionMessages(of);
  console.log(`${places.length} of users in two sessions, ${count} in those named dra...`);
  for await (const { sessionId, message } of client.findMessages(["note-2"])) {
    console.log(`note-2 is in ${sessionId}, seq ${message?.seq}`);
  }
  const whole = [changed, { role: "user", text: "Three tickets." }] as const;
  const replaced = await client.replaceMessages("drafts", 1, whole, { keepCommonPrefix: true });
  console.log(`replaced ${replaced.deletedTotals?.messageCount} of the notes`);
  const popped = await client.popMessages("drafts");
  console.log(`popped "${popped.messages[0]?.text}"`);
  const wiped = await client.deleteFoundMessages(["note-2"], { sessionIdPrefix: "dra" });
  console.log(`deleted in ${wiped.messages.map(({ sessionId }) => sessionId).join(" ")}`);
  await client.batchDeleteMessages("drafts", ["note-1", "note-2"], { allowMissing: true });
}

async function turns(): Promise<void> {
  title("Turns");
  const turn = await client.append("turn", "hello", {
    createSession: true,
    session: { userId: "ada", metadata: { step: 1 } },
    window: true,
    context: { maxTokens: 300, excludeConversation: true },
  });
  console.log(`one call for a turn: ${turn.window?.messages.map(({ text }) => text)}`);
  const ended = await client.append("turn", [{ role: "assistant", text: "Hello!" }], {
    turnEnd: true,
    session: { metadata: { step: 2 }, etag: turn.sessionEtag },
    sessionUpdateMask: ["metadata"],
    window: { newest: 1 },
  });
  console.log(`and its end changes the session, now ${ended.sessionEtag}`);
  const stale = { session: { agentId: "x", etag: turn.sessionEtag }, sessionUpdateMask: [] };
  await refused("ETAG_MISMATCH", client.append("turn", "late", stale));
}

async function windows(): Promise<void> {
  title("Windows");
  const window = await client.window("chat");
  const { windowTotals: inside, outsideTotals: outside } = window;
  console.log(`${inside?.messageCount} in, ${outside?.messageCount} out`);
  const stages = [keepLast("last", 1, { unit: "message" })];
  const view = await client.window("chat", { policy: { stages } });
  console.log(`through another policy: ${view.messages.map((message) => message.seq).join(" ")}`);
  const past = await client.window("chat", { asOfSeq: 1 });
  console.log(`at seq 1: ${past.messages.length} message`);
  await refused("SEQ_OUT_OF_RANGE", client.window("chat", { asOfSeq: 999 }));
  const policy = { stages: [dropOldest("few", { maxMessages: 2 }, { unit: "message" })] };
  const { trims } = await client.updateSession({ sessionId: "chat", policy });
  for (const trim of trims)
    console.log(`stage ${trim.stage} removed ${trim.removedTotals?.messageCount}`);
}

async function forms(): Promise<void> {
  title("Message forms");
  const question = [
    { role: "system", content: "You plan trips." },
    { role: "user", content: "Where is it warm?" },
  ];
  await client.append("forms", question, { form: "openai_chat", createSession: true });
  const { messages } = await client.window("forms", { form: "openai_chat" });
  console.log(`OpenAI: ${JSON.stringify(messages)}`);
  const claude = await client.window("forms", { form: "anthropic" });
  console.log(
    `Anthropic: ${JSON.stringify(claude.messages)} behind ${JSON.stringify(claude.system)}`,
  );
  for await (const content of client.listMessages("forms", { form: "gemini" })) {
    console.log(`Gemini: ${JSON.stringify(content)}`);
  }
  const orphan = { role: "tool", tool_call_id: "nobody", content: "" };
  await refused("REQUEST_INVALID", client.append("forms", orphan, { form: "openai_chat" }));

  // One call before each call of the model: it appends, and gives the whole prompt.
  await client.remember({ text: "Ada likes the sea.", userId: "ada" });
  const turn = { createSession: true, session: { userId: "ada" }, form: "openai_chat" } as const;
  const context = { form: "openai_chat", maxTokens: 500 } as const;
  const appended = await client.append("prompt", question, { ...turn, context });
  const roles = renderedIn(appended.context).messages.map(({ role }) => role);
  console.log(`the prompt: ${JSON.stringify(roles)}`);
  const prompt = await client.assembleContext({ sessionId: "prompt", form: "anthropic" });
  const { tokenCount } = prompt.response;
  console.log(`for Anthropic: ${JSON.stringify(prompt.messages)}, ${tokenCount} tokens`);
  const small = { sessionId: "prompt", form: "openai_chat", maxTokens: 2 } as const;
  await refused("CONTEXT_BUDGET_TOO_SMALL", client.assembleContext(small));
}

async function ceiling(): Promise<void> {
  title("The ceiling of a window");
  const large = { role: "system", text: "x".repeat(1_000_000) } as const;
  await client.append("large", [large, large], { createSession: true });
  await client.append("large", large);
  await refused("WINDOW_FULL", client.append("large", large));
}

async function policies(): Promise<void> {
  title("Policies");
  const presets = await client.listPolicyPresets();
  console.log(`presets: ${presets.map(({ name }) => name).join(", ")}`);
  const compared = [
    preset("sliding_window", { max_messages: 3 }),
    preset("tool_results_first", { max_tokens: 60 }),
    preset("pin_summarize_recent", { max_messages: 4, pin: 1, recent: 2 }),
  ];
  const { previews } = await client.previewPolicy("chat", compared, { source: "log" });
  for (const { policy, messages } of previews) {
    const kept = messages.filter(({ verdict }) => verdict === Verdict.KEPT).length;
    console.log(`${policy?.name}: ${kept} of ${messages.length} messages would stay`);
  }
  const promoting = makePolicy([keepLast("facts", 5, { removedTo: "promote" })]);
  const promoted = client.updateSession({ sessionId: "chat", policy: promoting });
  await refused("PROMOTION_POLICY_MISSING", promoted);
  const asking = makePolicy([keepLast("brief", 5, { summarize: summarize({ hook: "nobody" }) })]);
  const asked = client.updateSession({ sessionId: "chat", policy: asking });
  await refused("HOOK_NOT_CONFIGURED", asked);

  await client.updateSession({ sessionId: "chat", policy: byHand });
  await client.append("chat", ["And in May?", { role: "assistant", text: "Hawthorn." }]);
  const { trims } = await client.trimSession("chat", { keepRecent: 1 });
  const ids = trims.flatMap(({ messageIds }) => messageIds);
  const restored = await client.restoreMessages("chat", ids);
  console.log(`trimmed ${ids.length}, restored ${restored.messageIds.length}`);
  await client.trimSession("chat", { maxTokens: 5 }, { unit: "turn" });
  await client.restoreMessages("chat", [], { seqRanges: [[1, 6]] });

  const toolOutcomes = [{ tool: "book", error: true }];
  const ended = await client.append("chat", [], {
    turnEnd: true,
    modelInputTokens: 900,
    toolOutcomes,
  });
  for (const { stage, triggers } of ended.stageRuns) {
    const failed = triggers.filter(({ kind }) => kind === TriggerKind.TOOL_ERROR);
    const why = failed.map(({ tool }) => `${tool} failed`).join(", ");
    console.log(`stage ${stage} acted: ${why === "" ? "it always does" : why}`);
  }
}

async function summaries(): Promise<void> {
  title("Summaries, toolResultFill, search");
  const policy = preset("pin_summarize_recent", {
    max_messages: 4,
    pin: 1,
    recent: 2,
    hook: "manual",
  });
  await client.createSession({ sessionId: "notes", policy });
  const notes = Array.from({ length: 6 }, (_, index) => `Note ${index} about hazel`);
  const { stageRuns } = await client.append("notes", notes);
  console.log(`${stageRuns[0]?.awaitingMessageIds.length} messages wait for a summary`);
  const inputs = await client.listSummaryInputs("notes", { stage: "middle" });
  const replacedMessageIds = inputs.map(({ messageId }) => messageId);
  const options = { replacedMessageIds, inPlace: true };
  const { placed } = await client.setSummary("notes", "Notes 1 to 3.", options);
  console.log(`"${placed?.text}" stands for ${replacedMessageIds.length} messages`);
  const rest = await client.listSummaryInputs("notes", { keepRecent: 1 });
  console.log(`${rest.length} more could be summarized`);
  await client.setSummary("notes", "All of it.", { expectedVersion: 0 });
  const late = client.setSummary("notes", "Too late.", { expectedVersion: 0 });
  await refused("SUMMARY_VERSION_MISMATCH", late);

  const toolCalls = [{ toolCallId: "c9", name: "book", arguments: "{}" }];
  await client.append("notes", [{ role: "assistant", toolCalls }, "Never mind."]);
  const filled = await client.fillToolResults("notes", { text: "The call was given up." });
  console.log(`filled ${filled.messages.map(({ toolCallId }) => toolCallId).join(" ")}`);
  const words = { scoring: "occurrences", groupBySession: 1, filter: { everyone: true } };
  const { hits, sessions } = await client.recall("hazel alder", words);
  for (const [at, { sessionId, score }] of sessions.entries()) {
    console.log(`${sessionId} holds the words ${score} times: ${hits[at]?.passage}`);
  }
}

async function snapshots(): Promise<void> {
  title("Snapshots");
  const taken = client.exportSession("chat");
  const copy = await client.importSession(taken, { sessionId: "chat-copy" });
  console.log(`${copy.sessionId} has ${copy.logTotals?.messageCount} messages`);
  const document = await client.exportDocument("notes", "selectools");
  console.log(`as selectools writes it: ${document.length} bytes`);
  await client.importSession(document, { format: "selectools", sessionId: "notes-copy" });
  await refused("SESSION_ALREADY_EXISTS", client.importSession(client.exportSession("chat")));
  await refused("SNAPSHOT_INVALID", client.importSession("{", { format: "lauren" }));

  // The next steps are those of importSession for large snapshots.
  const uploads: string[] = [];
  const fillUp = async (): Promise<void> => {
    for (;;) uploads.push(await chunk("", "["));
  };
  await refused("UPLOAD_LIMIT_REACHED", fillUp());
  await refused("UPLOAD_NOT_FOUND", chunk("lost", "]"));
  for (const uploadId of uploads) {
    // A document that is none ends its upload.
    await chunk(uploadId, "]]").catch(() => {});
  }
}

/** Sends a chunk of an import and gives the id of the upload. */
function chunk(uploadId: string, text: string): Promise<string> {
  const request = {
    ...{ namespace, sessionId: "", format: "lauren", replace: false, requestId: "" },
    ...{ uploadId, chunkIndex: uploadId === "" ? 0 : 1, more: uploadId === "" },
    chunk: { header: undefined, messages: [], document: Buffer.from(text) },
  };
  const answer = raw<{ uploadId: string }>((done) =>
    client.raw.sessions.importSession(request, done),
  );
  return answer.then(({ uploadId }) => uploadId);
}

/** Calls a generated client and reads its error as the client does. */
function raw<T>(
  call: (done: (error: ServiceError | null, response?: T) => void) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, response) =>
      error ? reject(new MemorySidecarError(error, "raw")) : resolve(response as T),
    );
  });
}

async function copies(): Promise<void> {
  title("Copies and endings");
  const copy = await client.forkSession("chat", { atSeq: 3, sessionId: "copy" });
  console.log(`${copy.sessionId} comes from ${copy.forkedFrom?.sessionId}`);
  await refused("SEQ_OUT_OF_RANGE", client.forkSession("chat", { atSeq: 999 }));
  const reset = await client.resetSession("copy", { keepSystemMessages: true });
  console.log(`reset deleted ${reset.deletedTotals?.messageCount}`);
  await client.deleteSession("copy");
  await client.deleteSession("copy", { allowMissing: true });
  await refused("SESSION_NOT_FOUND", client.deleteSession("copy"));
}

async function events(): Promise<void> {
  title("Events");
  const stream = client.watch({
    filter: { sessionId: "chat", eventTypes: [EventType.MESSAGES_APPENDED] },
  });
  await stream.ready;
  await client.append("chat", "are you there?");
  const { value } = await stream.next();
  console.log(`saw revision ${value?.event.revision} as it happened`);
  await stream.return();
  let listed = 0;
  for await (const _event of client.listEvents()) listed++;
  console.log(`${listed} events are kept`);
  const token = value?.resumeToken ?? "";
  const broken = client.watch({ from: { resumeToken: "not a token" } });
  await refused("RESUME_TOKEN_INVALID", broken.next());
  const elsewhere = client.watch({ from: { resumeToken: token }, namespace: "elsewhere" });
  await refused("RESUME_TOKEN_FOREIGN", elsewhere.next());
  const ahead = client.watch({ from: { afterRevision: 1_000_000 } });
  await refused("REVISION_NOT_REACHED", ahead.next());

  await client.createConsumer("worker", { from: "oldest" });
  await refused("CONSUMER_ALREADY_EXISTS", client.createConsumer("worker"));
  await client.ensureConsumer("worker");
  const work = client.watch({ from: { consumerId: "worker" } });
  for await (const { event, resumeToken } of work) {
    await client.ackEvents("worker", resumeToken);
    if (event.revision === value?.event.revision) break;
  }
  const { lag } = await client.getConsumer("worker");
  console.log(`worker is ${lag} revisions behind`);
  for await (const { consumerId } of client.listConsumers()) console.log(`consumer ${consumerId}`);
  await client.deleteConsumer("worker");
  await refused("CONSUMER_NOT_FOUND", client.getConsumer("worker"));
}

async function administration(): Promise<void> {
  title("Back-ups, erasure and compaction");
  await refused("BACK_UP_NOT_CONFIGURED", client.backUp().next());
  await client.append("visit", "I was here.", { createSession: true });
  const dry = await client.eraseSubject({ sessionId: "visit" }, { dryRun: true });
  console.log(`an erasure would take ${dry.erased.length} kinds of records`);
  const receipt = await client.eraseSubject({ sessionId: "visit" });
  console.log(`the receipt: ${(await client.getErasure(receipt.erasureId)).erasureId}`);
  await refused("ERASURE_NOT_FOUND", client.getErasure("none"));
  for await (const part of client.compactStore()) {
    if (part.$case === "compaction") console.log(`the file has ${part.value.sizeBytesAfter} bytes`);
  }
}

async function rest(): Promise<void> {
  title("The server, cancellation, and the generated clients");
  const info = await client.serverInfo();
  const limit = info.limits.find(({ name }) => name === "append_messages");
  console.log(`version ${info.version}, ${limit?.value} messages in one append`);
  const reason = new Error("no longer needed");
  const signal = AbortSignal.abort(reason);
  await client
    .window("chat", { signal })
    .catch((error) => console.log(`cancelled: ${error.message}`));
  const request = { namespace, sessionId: "chat" };
  const { session } = await raw<{ session?: { lastSeq: number } | undefined }>((done) =>
    client.raw.sessions.getSession(request, done),
  );
  console.log(`the generated client says ${session?.lastSeq}`);
  const list = {
    namespace,
    order: "SESSION_ORDER_UNSPECIFIED",
    pageSize: 1,
    pageToken: "broken",
    filter: undefined,
    includeTotal: false,
  } as const;
  const { sessions } = client.raw;
  await refused(
    "PAGE_TOKEN_INVALID",
    raw((done) => sessions.listSessions(list, done)),
  );
  const path = "/memorysidecar.v1.SessionService/GetSession";
  const garbage = (): Buffer => Buffer.from([0xff, 0xff, 0xff]);
  await refused(
    "REQUEST_MALFORMED",
    raw((done) => sessions.makeUnaryRequest(path, garbage, (bytes) => bytes, {}, done)),
  );
  console.log(`roles are numbers: user is ${Role.USER}`);
}

for (const part of [
  sessions,
  messages,
  turns,
  counts,
  histories,
  windows,
  forms,
  ceiling,
  policies,
  summaries,
  snapshots,
  copies,
  events,
  administration,
  rest,
])
  await part();
for await (const { sessionId } of client.listSessions()) await client.deleteSession(sessionId);
client.close();
console.log("\nDone.");
