// Writes the window of a session as a document of another system, piece by piece, so that other
// calls get their turn in between.

import type { PolicyStage } from "../../domain/policy.ts";
import { FORMATS } from "../../domain/snapshots/index.ts";
import { writeMessage } from "../../domain/snapshots/leftovers.ts";
import type { DocumentContext, WrittenSession } from "../../domain/snapshots/plain.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import type { DocumentFormat, ExportedWindow } from "../../service/snapshot-api.ts";
import type { StoredEntry } from "../../storage/store.ts";
import { fromTimestamp } from "../convert/time.ts";
import { fromStruct, fromWire } from "./message.ts";

const PIECE_BYTES = 262_144;
const PIECE_MESSAGES = 128;
const PIECE_BYTES_MAX = 1_048_576;
const MS = 1_000;

function limitsOf(stages: readonly PolicyStage[]) {
  for (const { select } of stages) {
    if (select.kind === "drop-oldest" && select.maxMessages !== undefined) {
      return { maxMessages: select.maxMessages, maxTokens: select.maxTokens };
    }
  }
  return { maxMessages: undefined, maxTokens: undefined };
}

function sessionOf({ entries, nowMs, session }: ExportedWindow): WrittenSession {
  const { metadata, policy, summary, userId } = session.fields;
  return {
    sessionId: session.sessionId,
    userId,
    metadata: fromStruct(metadata),
    summary: summary?.text ?? "",
    messageCount: entries.length,
    ...limitsOf(policy.stages),
    stageCount: policy.stages.length,
    nowSeconds: nowMs / MS,
  };
}

/** Gives the pieces of a document, each at most 1 MiB. */
export async function* writeDocument(
  format: DocumentFormat,
  window: ExportedWindow,
): AsyncGenerator<Uint8Array> {
  const session = sessionOf(window);
  const context = FORMATS[format].context(session);
  const { inserts } = window.session.fields;
  const summaries = new Set(
    inserts.filter(({ kind }) => kind === "summary").map(({ position }) => position),
  );
  const { head, tail } = FORMATS[format].frame(session);
  let text = head;
  let count = 0;
  for (const [index, entry] of window.entries.entries()) {
    const isSummary = summaries.has(entry.seq);
    text += (index === 0 ? "" : ",") + written(format, entry, { ...context, isSummary });
    count += 1;
    if (text.length >= PIECE_BYTES || count >= PIECE_MESSAGES) {
      yield* pieces(text);
      text = "";
      count = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  yield* pieces(text + tail);
}

function written(
  format: DocumentFormat,
  entry: StoredEntry,
  context: DocumentContext & { readonly isSummary: boolean },
): string {
  const message = Message.decode(entry.bytes);
  const { createTime, updateTime } = message;
  const createMs = createTime === undefined ? 0 : fromTimestamp(createTime);
  const updateMs = updateTime === undefined ? createMs : fromTimestamp(updateTime);
  const { leftovers, message: plain } = fromWire(message, format);
  const left = { leftovers, edited: updateMs !== createMs };
  const whole = { ...context, createSeconds: createMs / MS };
  return JSON.stringify(writeMessage(FORMATS[format], plain, left, whole));
}

function* pieces(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
    yield bytes.subarray(at, at + PIECE_BYTES_MAX);
  }
}
