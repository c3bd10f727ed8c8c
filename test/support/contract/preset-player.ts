// Plays a conversation to a server under a preset, and returns all that a caller can see of it.

import { expect } from "vitest";
import { DocumentFilter } from "../../../src/gen/memorysidecar/v1/document.ts";
import { type ContentPart, type Message, Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import type { RequestOf, TestServer } from "./client.ts";
import { EVERYONE, memoryFilter, message, preset, session, toolCall } from "./samples.ts";
import { inputOf, outputOf, WORKERS } from "./summarizing.ts";

/** Options of a preset. */
export type Options = Readonly<Record<string, unknown>>;

const SESSION_ID = "s";
/** Collections that also receive the summaries of some presets. */
export const COLLECTIONS = ["notes", "other"] as const;

/** A conversation in progress, in a separate namespace. */
export interface Play {
  readonly server: TestServer;
  readonly namespace: string;
  /** Requests that the worker received. */
  readonly asked: object[];
}

/** A step of a conversation. */
export type Step = (play: Play) => Promise<unknown>;

function append({ server, namespace }: Play, fields: Partial<RequestOf<"appendMessages">>) {
  return server.client.call("appendMessages", { namespace, sessionId: SESSION_ID, ...fields });
}

/** Appends a message. */
export function say(role: Role, text: string, fields: Partial<Message> = {}): Step {
  return (play) => append(play, { messages: [message({ role, text, ...fields })] });
}

/**
 * A question and its answer, of 10 tokens each by most rules, at the end of which the turn ends.
 */
export function turn(about: string, end: Partial<RequestOf<"appendMessages">> = {}): Step {
  const told = (text: string): string => text.padEnd(40, ".");
  const messages = [
    message({ text: told(`What of ${about}?`) }),
    message({ role: Role.ASSISTANT, text: told(`It is about ${about}`) }),
  ];
  return (play) => append(play, { messages, turnEnd: true, ...end });
}

/** The same turn, under the rule by which callers count. */
export function countedTurn(
  about: string,
  end: Partial<RequestOf<"appendMessages">> = {},
  tokenCount = 10,
): Step {
  const messages = [
    message({ text: `What of ${about}?`, tokenCount }),
    message({ role: Role.ASSISTANT, text: `It is about ${about}`, tokenCount }),
  ];
  return (play) => append(play, { messages, turnEnd: true, ...end });
}

/** A tool call and its result of so many characters; `null` leaves the call open. */
export function useTool(
  id: string,
  resultChars: number | null,
  { tokenCount, callText = "" }: { readonly tokenCount?: number; readonly callText?: string } = {},
): Step {
  const counted = tokenCount === undefined ? {} : { tokenCount };
  const messages = [
    message({ role: Role.ASSISTANT, text: callText, toolCalls: [toolCall(id)], ...counted }),
    ...(resultChars === null
      ? []
      : [message({ role: Role.TOOL, toolCallId: id, text: "r".repeat(resultChars), ...counted })]),
  ];
  return (play) => append(play, { messages });
}

/** A user message with an image. */
export function showPicture(): Step {
  const source = { $case: "data", value: Buffer.from("picture") } as const;
  const value = { mediaType: "image/png", detail: "", source };
  const picture: ContentPart = { part: { $case: "image", value } };
  return (play) => append(play, { messages: [message({ parts: [picture] })] });
}

/** Turns about different topics. */
export function turns(count: number): readonly Step[] {
  return Array.from({ length: count }, (_, index) => turn(`thing ${index + 1}`));
}

/** Advances the clock. */
export function wait(ms: number): Step {
  return async ({ server }) => server.advance(ms);
}

/** Reads the window. */
export const read: Step = ({ server, namespace }) =>
  server.client.call("getWindow", { namespace, sessionId: SESSION_ID });

/** Runs the stages on request. */
export const runPolicy: Step = ({ server, namespace }) =>
  server.client.call("trimSession", {
    ...{ namespace, sessionId: SESSION_ID },
    target: { $case: "runPolicy", value: {} },
  });

/** Lets a worker lease all summary tasks. */
async function takeAll({ server, namespace, asked }: Play) {
  const { tasks } = await server.client.call("pollTasks", { namespace, hooks: [WORKERS] });
  for (const leased of tasks) {
    const { transcript, priorTexts, maxTokens, instructions, loop, maxLoops, structured } =
      inputOf(leased) ?? expect.unreachable();
    asked.push({ transcript, priorTexts, maxTokens, instructions, loop, maxLoops, structured });
  }
  return tasks.map(({ task, leaseToken }) => ({ taskId: task?.taskId ?? "", leaseToken }));
}

/** Lets a worker summarize until nothing is left, always with something missing. */
export function summarizeAll(text: string): Step {
  return async (play) => {
    const output = outputOf(text, { missingEntities: ["more"] });
    for (let refs = await takeAll(play); refs.length > 0; refs = await takeAll(play)) {
      for (const ref of refs) {
        await play.server.client.call("completeTask", {
          namespace: play.namespace,
          ...ref,
          output,
        });
      }
    }
  };
}

/** Lets a worker give up the summary tasks. */
export const giveUp: Step = async (play) => {
  for (const ref of await takeAll(play)) {
    const { namespace, server } = play;
    await server.client.call("failTask", { namespace, ...ref, permanent: true });
  }
};

let plays = 0;

/**
 * Plays a conversation under a preset with options; returns all that a caller can see afterwards.
 */
export async function seenUnder(
  server: TestServer,
  { name, options }: { readonly name: string; readonly options: Options },
  script: readonly Step[],
): Promise<object> {
  plays += 1;
  const play: Play = { server, namespace: `play-${plays}`, asked: [] };
  const { namespace } = play;
  await server.client.call("createSession", {
    namespace,
    session: session({ sessionId: SESSION_ID, userId: "ana", policy: preset(name, options) }),
  });
  for (const step of script) await step(play);
  const seen = await look(play);
  await takeAll(play);
  return { ...seen, asked: play.asked };
}

async function look({ server, namespace }: Play): Promise<object> {
  const { client } = server;
  const of = { namespace, sessionId: SESSION_ID };
  const window = await client.call("getWindow", of);
  const log = await client.call("listMessages", { ...of, pageSize: 1_000 });
  const { events } = await client.call("listEvents", { namespace, pageSize: 1_000 });
  const { memories } = await client.call("listMemories", {
    namespace,
    filter: memoryFilter({ scope: EVERYONE }),
  });
  const documents = await Promise.all(
    COLLECTIONS.map(async (collectionId) => {
      const filter = { ...DocumentFilter.decode(new Uint8Array(0)), scope: EVERYONE };
      const listed = await client.call("listDocuments", { namespace, collectionId, filter });
      return listed.documents.map(({ text }) => text);
    }),
  );
  return {
    window: window.messages.map(({ role, text, tokenCount, toolCallId }) => {
      return { role, text, tokenCount, toolCallId };
    }),
    windowTotals: window.windowTotals,
    summary: window.summary?.text,
    log: log.messages.map(({ seq }) => seq),
    events: events.map(({ type }) => type),
    memories: memories.map(({ kind, text }) => ({ kind, text })),
    documents,
  };
}
