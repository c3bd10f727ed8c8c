// Writes the window of a session as a document of another system, piece by piece, so that other
// calls get their turn in between.

import type { JsonObject } from "../../compat/common/json.ts";
import { frameOf, writeMessage } from "../../compat/common/leftovers.ts";
import {
  type Format,
  NO_CONTEXT,
  type WriteContext,
  type WrittenSession,
} from "../../compat/common/plain.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { fromTimestamp } from "../../grpc/time.ts";
import type { StoredEntry } from "../../store/store.ts";
import type { PolicyStage } from "../../window/policy/policy.ts";
import type { ExportedWindow } from "../snapshot/api.ts";
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
  format: Format,
  window: ExportedWindow,
): AsyncGenerator<Uint8Array> {
  const session = sessionOf(window);
  let context = { ...NO_CONTEXT, ...format.context(session) };
  const inserts = window.session.fields.inserts.filter(({ kind }) => kind === "summary");
  const summaries = new Map(inserts.map(({ firstMs, position }) => [position, firstMs]));
  const { head, tail } = frameOf(format, session);
  let text = head;
  let count = 0;
  for (const [index, entry] of window.entries.entries()) {
    const message = written(format, entry, context, summaries.get(entry.seq));
    const { created_at: time } = message;
    if (typeof time === "number") context = { ...context, notBefore: time };
    text += (index === 0 ? "" : ",") + JSON.stringify(message);
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
  format: Format,
  entry: StoredEntry,
  context: WriteContext,
  /** For a summary: when the first message that it stands for was said. */
  firstMs: number | undefined,
): JsonObject {
  const message = Message.decode(entry.bytes);
  const { createTime, updateTime } = message;
  const createMs = createTime === undefined ? 0 : fromTimestamp(createTime);
  const updateMs = updateTime === undefined ? createMs : fromTimestamp(updateTime);
  const { leftovers, message: plain } = fromWire(message, format);
  const left = { leftovers, edited: updateMs !== createMs };
  const isSummary = firstMs !== undefined;
  const whole = { ...context, isSummary, createSeconds: (firstMs ?? createMs) / MS };
  return writeMessage(format, plain, left, whole);
}

function* pieces(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
    yield bytes.subarray(at, at + PIECE_BYTES_MAX);
  }
}
