// The use cases that give a session away as a whole.

import type { ServiceContext } from "../../core/context.ts";
import { mergeInserts } from "../../core/window-view.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { sessionNotFound } from "../../kit/errors.ts";
import type { SnapshotReader } from "../../store/store.ts";
import { isExpired, type SessionRef } from "../rules/session.ts";
import type { ExportedWindow } from "./api.ts";

/** Opens a session for a native export; the caller must close the reader. */
export async function openSnapshot(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
): Promise<SnapshotReader> {
  checkLive(call.signal);
  const reader = await context.store.openSnapshot(ref);
  if (reader === undefined) throw sessionNotFound(ref.sessionId);
  if (isExpired(reader.session, context.world.nowMs())) {
    reader.close();
    throw sessionNotFound(ref.sessionId);
  }
  return reader;
}

/** Reads the stored window and what stands in it. Nothing is filled, shortened or trimmed. */
export async function exportWindow(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
): Promise<ExportedWindow> {
  checkLive(call.signal);
  const found = await context.store.readWindow(ref);
  const nowMs = context.world.nowMs();
  if (found === undefined || isExpired(found.session, nowMs)) throw sessionNotFound(ref.sessionId);
  const { session, window } = found;
  const entries = mergeInserts(window, session.fields.inserts, context.codec);
  return { session, entries, nowMs };
}
