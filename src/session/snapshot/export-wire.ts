// The answers of ExportSession, and how many are made at one time. A reader may take as long as it
// likes as long as it takes something: one that stalls keeps a piece of a log in memory.

import { formatOf } from "../../compat/forms.ts";
import type { Services } from "../../edge/services-api.ts";
import { SnapshotChunk } from "../../gen/memorysidecar/v1/snapshot.ts";
import type { AnswerStream } from "../../grpc/answer-stream.ts";
import { streamLimitReached } from "../../grpc/error-status.ts";
import { encodeWire } from "../../grpc/fast-writer.ts";
import { spliceField, spliceMessages } from "../../grpc/splice.ts";
import type { Call } from "../../kit/call.ts";
import { AppError } from "../../kit/errors.ts";
import type { Etags } from "../../kit/etag.ts";
import { LIMITS } from "../../kit/limits.ts";
import { Shares } from "../../kit/shares.ts";
import type { SnapshotReader } from "../../store/store.ts";
import { writeDocument } from "../forms/write.ts";
import type { SessionRef } from "../rules/session.ts";
import { toHeader } from "./wire.ts";

/** `chunk` of ExportSessionResponse, and `messages` and `document` of SnapshotChunk. */
const CHUNK_FIELD = 1;
const MESSAGES_FIELD = 2;
const DOCUMENT_FIELD = 3;
const NOTHING = Buffer.alloc(0);

/** Sends an answer; resolves when the next one may be sent. */
export type Send = (answer: Uint8Array) => Promise<void>;

/** The exports under way. */
export class Exports {
  readonly #places = new Shares({ limit: LIMITS.exports });

  /** Runs an export. Throws STREAM_LIMIT_REACHED, and DEADLINE_EXCEEDED when the reader stalls. */
  async run(
    namespace: string,
    answers: AnswerStream,
    stream: (send: Send) => Promise<void>,
  ): Promise<void> {
    const full = this.#places.take(namespace);
    if (full !== undefined) throw streamLimitReached(full);
    try {
      await stream((answer) => sendInTime(answers, answer));
    } finally {
      this.#places.give(namespace);
    }
  }
}

async function sendInTime(answers: AnswerStream, answer: Uint8Array): Promise<void> {
  const sent = answers.send(answer);
  if (sent === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled()), LIMITS.exportStallMs);
    timer.unref();
  });
  try {
    await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
  }
}

function stalled(): AppError {
  const seconds = LIMITS.exportStallMs / 1_000;
  return new AppError("DEADLINE_EXCEEDED", `The reader read nothing for ${seconds} seconds.`);
}

/** Sends a session as a snapshot, chunk by chunk. */
export async function exportAnswers(
  { services: { snapshots }, etags }: { readonly services: Services; readonly etags: Etags },
  call: Call,
  wanted: SessionRef & { readonly format: string },
  send: Send,
): Promise<void> {
  const { format, namespace, sessionId } = wanted;
  if (format !== "native") {
    const window = await snapshots.exportWindow(call, { namespace, sessionId });
    for await (const piece of writeDocument(formatOf(format), window)) {
      if (call.signal.aborted) return;
      await send(answerOf(spliceField(DOCUMENT_FIELD, [piece], NOTHING)));
    }
    return;
  }
  const reader = await snapshots.openSnapshot(call, { namespace, sessionId });
  try {
    await sendNative({ reader, etags }, call, send);
  } finally {
    reader.close();
  }
}

/** Sends the header, with the first messages where there is room, and then the rest of the log. */
async function sendNative(
  { reader, etags }: { readonly reader: SnapshotReader; readonly etags: Etags },
  call: Call,
  send: Send,
): Promise<void> {
  const header = { header: toHeader(reader.session, etags), messages: [], document: NOTHING };
  let rest: Uint8Array = encodeWire(SnapshotChunk, header);
  for (;;) {
    const messages = (await reader.next()).map(({ bytes }) => bytes);
    if (call.signal.aborted) return;
    const chunk = spliceMessages(MESSAGES_FIELD, messages, rest);
    const isLarge = rest.length > 0 && chunk.length > LIMITS.snapshotChunkBytes;
    if (isLarge) await send(answerOf(rest));
    const next = isLarge ? spliceMessages(MESSAGES_FIELD, messages, NOTHING) : chunk;
    if (next.length > 0) await send(answerOf(next));
    if (messages.length === 0 || call.signal.aborted) return;
    rest = NOTHING;
  }
}

function answerOf(chunk: Uint8Array): Uint8Array {
  return spliceField(CHUNK_FIELD, [chunk], NOTHING);
}
