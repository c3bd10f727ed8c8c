// Records of every kind that belong to one user, each with a word of its own.

import { Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import { SummaryPlacement } from "../../../src/gen/memorysidecar/v1/summary.ts";
import type { TestClient } from "../contract/client.ts";
import {
  document,
  entity,
  episode,
  givingPolicy,
  memory,
  memoryScope,
  memorySource,
  message,
  record,
  relation,
  session,
  toolCall,
} from "../contract/samples.ts";
import { summarizingPolicy } from "../contract/summarizing.ts";
import { struct } from "../kit/structs.ts";

/** A user with records. */
export interface Subject {
  readonly userId: string;
  readonly sessionId: string;
  /** The words in the records, by what holds them. */
  readonly words: ReadonlyMap<string, string>;
  readonly messageIds: readonly string[];
}

/** Writes records of every kind for a user. */
export async function writeSubject(client: TestClient, userId: string): Promise<Subject> {
  const words = new Map<string, string>();
  const word: MakeWord = (what) => {
    const made = `zq${userId}${what.replaceAll(" ", "")}`;
    words.set(what, made);
    return made;
  };
  const sessionId = `${userId}-session`;
  const writing = { client, userId, sessionId, word };
  const messageIds = await writeLog(writing);
  await writeSummaries(writing, messageIds);
  await writeMemories(writing, messageIds);
  await writeArchive(writing);
  await writeRecords(writing);
  return { userId, sessionId, words, messageIds };
}

type MakeWord = (what: string) => string;

interface Writing extends Pick<Subject, "userId" | "sessionId"> {
  readonly client: TestClient;
  readonly word: MakeWord;
}

async function writeLog({ client, userId, sessionId, word }: Writing): Promise<string[]> {
  await client.call("createSession", {
    session: session({
      ...{ sessionId, userId, metadata: struct({ note: word("session metadata") }) },
      labels: new Map([["label", word("session label")]]),
      memoryPolicy: givingPolicy(),
    }),
    requestId: `${userId}-create`,
  });
  const { messages } = await client.call("appendMessages", {
    ...{ sessionId, requestId: `${userId}-append`, turnEnd: true },
    messages: [
      message({ text: `My favourite colour is ${word("message")}.` }),
      message({
        role: Role.ASSISTANT,
        text: word("answer"),
        toolCalls: [{ ...toolCall("c1"), arguments: JSON.stringify({ q: word("tool call") }) }],
      }),
      message({ role: Role.TOOL, toolCallId: "c1", text: word("tool result") }),
      message({ text: "to be changed" }),
      message({ text: word("summarized message") }),
      message({ text: "kept" }),
    ],
  });
  const messageIds = messages.map(({ messageId }) => messageId);
  await client.call("updateMessage", {
    ...{ sessionId, requestId: `${userId}-update`, updateMask: ["text"] },
    message: message({ messageId: messageIds[3] ?? "", text: word("new content") }),
  });
  return messageIds;
}

async function writeSummaries(
  { client, userId, sessionId, word }: Writing,
  messageIds: readonly string[],
): Promise<void> {
  await client.call("setSummary", {
    ...{ sessionId, text: word("placed summary"), replacedMessageIds: [messageIds[4] ?? ""] },
    ...{ placement: SummaryPlacement.IN_PLACE, requestId: `${userId}-place` },
  });
  await client.call("setSummary", { sessionId, text: word("former summary") });
  const summary = { sessionId, text: word("summary"), requestId: `${userId}-summary` };
  await client.call("setSummary", summary);
  await client.call("forkSession", {
    ...{ sourceSessionId: sessionId, sessionId: `${sessionId}-fork` },
  });
}

async function writeMemories(
  { client, userId, sessionId, word }: Writing,
  messageIds: readonly string[],
): Promise<void> {
  const fact = memory({ userId, text: word("memory"), key: word("memory key") });
  const { results } = await client.call("remember", {
    requestId: `${userId}-remember`,
    memories: [
      { ...fact, labels: new Map([["label", word("memory label")]]) },
      memory({
        ...{ text: word("derived memory"), agentId: "helper" },
        source: memorySource({ sessionId, messageIds: [...messageIds] }),
      }),
      { ...entity(word("entity")), userId },
      { ...relation(word("relation subject"), "knows", word("relation object")), userId },
      { ...episode(word("episode")), userId },
    ],
  });
  const memoryId = results[0]?.memoryId ?? "";
  for (const state of ["second state", "third state"]) {
    await client.call("updateMemory", {
      ...{ memory: memory({ memoryId, text: word(state) }), updateMask: ["text"] },
      requestId: `${userId}-${state.slice(0, 1)}`,
    });
  }
}

/** A document, and a session whose summaries are documents as well. */
async function writeArchive({ client, userId, sessionId, word }: Writing): Promise<void> {
  const scope = memoryScope({ userId });
  await client.call("upsertDocuments", {
    collectionId: "notes",
    documents: [
      document({
        ...{ documentId: `${userId}-page`, text: word("document"), scope },
        payload: { data: Buffer.from(word("payload")), mediaType: "text/plain" },
      }),
    ],
  });
  const archived = `${sessionId}-task`;
  const policy = summarizingPolicy({ hook: "builtin", collectionId: "archive" });
  await client.call("createSession", { session: session({ sessionId: archived, userId, policy }) });
  await client.call("appendMessages", {
    sessionId: archived,
    messages: Array.from({ length: 6 }, (_, at) =>
      message({ text: word(`message ${at} of a task`) }),
    ),
  });
}

/** A record, one whose value was replaced, and one whose value came in parts. */
async function writeRecords({ client, userId, word }: Writing): Promise<void> {
  const path = ["records", userId];
  const owner = memoryScope({ userId });
  const put = async (key: string, fields: Parameters<typeof record>[0]): Promise<void> => {
    await client.call("putRecord", { record: record({ path, key, owner, ...fields }) });
  };
  await put("plain", { value: Buffer.from(word("record")) });
  await put("replaced", { value: Buffer.from("former") });
  await put("replaced", { value: Buffer.from(word("replaced record")) });
  const parts = ["first part", "second part"].map((what) => Buffer.from(word(what)));
  const uploadId = `${userId}-upload`;
  let offset = 0;
  for (const data of parts) {
    await client.call("uploadRecordPart", { uploadId, offset: BigInt(offset), data });
    offset += data.length;
  }
  await put("large", { uploadId });
  const texts = ["document of a record", "second document of a record"];
  const documents = texts.map((what) => document({ text: word(what) }));
  await put("found", { search: { collectionId: "notes", documents, documentCount: 0 } });
}
