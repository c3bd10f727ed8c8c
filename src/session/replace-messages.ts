// ReplaceMessages: erases the end of a log, or all of it, and appends other messages, as one
// change. It is an append that erases first. The existing messages are looked up beforehand,
// because many deleted seqs may lie between them.

import { liveSession } from "../core/change.ts";
import type { MessageDraft } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import type { Call } from "../kit/call.ts";
import { messageAlreadyExists, requestInvalid, seqOutOfRange } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SessionView, StoredMessage } from "../store/store.ts";
import type { ReplaceInput } from "./api.ts";
import { type Arrange, type Arrangement, appendArranged } from "./append.ts";
import { checkEditBytes, checkLastSeq, messagesOf } from "./log/edit-log.ts";
import type { SortedDrafts } from "./log/existing-messages.ts";
import type { Session } from "./rules/session.ts";

/** Replaces the end of a log, or all of it. */
export async function replaceMessages(
  context: ServiceContext,
  call: Call,
  input: ReplaceInput,
): Promise<Uint8Array> {
  const { fromSeq, keepCommonPrefix: _, ...rest } = input;
  const none = { turnEnd: false, toolOutcomes: [], recordOperations: [] } as const;
  const append = { ...rest, ...none, onExisting: "fail" } as const;
  for (;;) {
    const found = fromSeq === undefined ? undefined : await existingFrom(context, input, fromSeq);
    const arrange: Arrange = (view, session) => {
      checkLastSeq(input, session);
      if (found === undefined) return arrangeAll(input.drafts, view);
      if (session.head.lastSeq + 1 < found.fromSeq) {
        throw seqOutOfRange(found.fromSeq, session.head.lastSeq);
      }
      const revision = view.session?.head.revision ?? 0;
      if (revision !== found.revision) return { kind: "answer", result: "stale" };
      return arrangeFrom(context, input, view, found);
    };
    const result = await appendArranged(context, call, append, arrange);
    if (result !== "stale") return result;
  }
}

interface Found {
  readonly fromSeq: number;
  /** The session when its messages were looked for; 0 for none. */
  readonly revision: number;
  /** The seqs of the existing messages, as many as one call keeps and erases, and one more. */
  readonly seqs: readonly number[];
}

async function existingFrom(
  context: ServiceContext,
  input: ReplaceInput,
  fromSeq: number,
): Promise<Found> {
  const session = liveSession(context, await context.store.readSession(input));
  const { lastSeq = 0, revision = 0 }: Partial<Session["head"]> = session?.head ?? {};
  const limit = LIMITS.appendMessages + LIMITS.batchMessages + 1;
  const seqs: number[] = [];
  let next: number | undefined = fromSeq;
  while (next !== undefined && next <= lastSeq && seqs.length < limit) {
    const query = { firstSeq: next, lastSeq, order: "asc" } as const;
    const page = await context.store.listMessages(input, { ...query, limit: limit - seqs.length });
    seqs.push(...(page?.messages ?? []).map(({ seq }) => seq));
    next = page?.next;
  }
  return { fromSeq, revision, seqs };
}

/** The messages stand for the whole log; a session that is new has none. */
function arrangeAll(drafts: readonly MessageDraft[], view: SessionView): Arrangement {
  return { sorted: sortedFrom(drafts, []), erase: view.session === undefined ? [] : "all" };
}

function arrangeFrom(
  { codec }: ServiceContext,
  { drafts, keepCommonPrefix }: ReplaceInput,
  view: SessionView,
  { seqs }: Found,
): Arrangement {
  const stored = messagesOf(view, seqs, (messages) => {
    checkEditBytes(messages, "from_seq");
    return false;
  });
  let count = 0;
  const isSame = (draft: MessageDraft | undefined, old: StoredMessage | undefined): boolean =>
    draft !== undefined &&
    old !== undefined &&
    draft.role === old.role &&
    (draft.messageId === "" || draft.messageId === old.messageId) &&
    codec.changesOf(old.bytes, draft).paths.length === 0;
  while (keepCommonPrefix && isSame(drafts[count], stored[count])) count += 1;
  const erase = stored.slice(count);
  if (erase.length > LIMITS.batchMessages) {
    const description = `leaves more than ${LIMITS.batchMessages} messages to erase; replace all`;
    throw requestInvalid([{ field: "from_seq", description }]);
  }
  checkEditBytes(view.messages.values(), "messages");
  const gone = new Set(erase.map(({ seq }) => seq));
  for (const { messageId } of drafts.slice(count)) {
    const old = view.messages.get(messageId);
    if (old !== undefined && !gone.has(old.seq)) throw messageAlreadyExists(messageId);
  }
  return { sorted: sortedFrom(drafts, stored.slice(0, count)), erase };
}

/** Drafts of which the first stay as they are stored. */
function sortedFrom(drafts: readonly MessageDraft[], kept: readonly StoredMessage[]): SortedDrafts {
  return {
    added: drafts.slice(kept.length).map((_, index) => kept.length + index),
    updates: [],
    fates: drafts.map((_, index) => {
      const old = kept[index];
      return old === undefined
        ? { outcome: "appended", to: { place: index - kept.length } }
        : { outcome: "skipped", to: { old } };
    }),
  };
}
