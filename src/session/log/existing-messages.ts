// Messages to append whose ids the session has already, or that come twice: what becomes of each.

import type { Codec, MessageDraft } from "../../core/codec.ts";
import { messageAlreadyExists, requestInvalid } from "../../kit/errors.ts";
import type { NewMessage, SessionView, StoredEntry, StoredMessage } from "../../store/store.ts";
import type { TokenRule } from "../../window/policy/policy.ts";
import { ROLE, type Role } from "../../window/rules/types.ts";
import { checkEditBytes, type EditedLog, type Replacement, saysOther } from "./edit-log.ts";
import { encodeNew } from "./encode-messages.ts";

/** Treatment of a message that exists already. */
export type OnExisting = "fail" | "skip" | "update";

/** Effect of an append on one of its messages. */
export type AppendOutcome = "appended" | "skipped" | "updated";

/** A stored message that takes the content of a draft. */
interface Update {
  readonly old: StoredEntry;
  /** Index of the draft. */
  readonly index: number;
  readonly paths: readonly string[];
  readonly contentChanged: boolean;
}

/** The drafts of an append by what becomes of them. */
export interface SortedDrafts {
  /** Indexes of the drafts to append, in order. */
  readonly added: readonly number[];
  readonly updates: readonly Update[];
  /** For each draft: its place among those added, or the message that exists. */
  readonly fates: readonly Fate[];
}

type Fate = {
  readonly outcome: AppendOutcome;
  readonly to: { readonly place: number } | { readonly old: StoredMessage };
};

/** Sorts the drafts of an append that skips or updates messages which exist. */
export function sortDrafts(
  codec: Codec,
  input: { readonly drafts: readonly MessageDraft[]; readonly onExisting: OnExisting },
  { messages }: Pick<SessionView, "messages">,
): SortedDrafts {
  const { drafts } = input;
  const isUpdate = input.onExisting === "update";
  checkEditBytes(messages.values(), "messages");
  const lastOf = new Map(drafts.map((draft) => [draft.messageId, draft]));
  const added: number[] = [];
  const places = new Map<string, number>();
  const updates = new Map<string, Update>();
  const fates = drafts.map((draft, index): Fate => {
    const { messageId } = draft;
    const old = messages.get(messageId);
    const place = messageId === "" ? undefined : places.get(messageId);
    if (old !== undefined) {
      if (!isUpdate) return { outcome: "skipped", to: { old } };
      checkSameRole(draft, old.role, index);
      // The last of an id counts.
      const { paths, contentChanged } = codec.changesOf(old.bytes, lastOf.get(messageId) ?? draft);
      updates.set(messageId, { old, index, paths, contentChanged });
      return { outcome: paths.length === 0 ? "skipped" : "updated", to: { old } };
    }
    if (place !== undefined) {
      if (!isUpdate) return { outcome: "skipped", to: { place } };
      checkSameRole(draft, drafts[added[place] ?? 0]?.role, index);
      added[place] = index;
      return { outcome: "updated", to: { place } };
    }
    places.set(messageId, added.length);
    return { outcome: "appended", to: { place: added.push(index) - 1 } };
  });
  const changed = [...updates.values()].filter(({ paths }) => paths.length > 0);
  changed.sort((a, b) => a.old.seq - b.old.seq);
  return { added, updates: changed, fates };
}

/** Refuses drafts whose ids the session has. */
export function checkNew(
  drafts: readonly MessageDraft[],
  { messages }: Pick<SessionView, "messages">,
): void {
  if (messages.size === 0) return;
  for (const { messageId } of drafts) {
    if (messageId !== "" && messages.has(messageId)) throw messageAlreadyExists(messageId);
  }
}

function checkSameRole({ role }: MessageDraft, known: Role | undefined, index: number): void {
  if (role === known) return;
  const name = Object.entries(ROLE).find(([, value]) => value === known)?.[0] ?? "";
  const description = `must be ROLE_${name.toUpperCase()}, the role of the message with this id`;
  throw requestInvalid([{ field: `messages[${index}].role`, description }]);
}

/** The messages that exist, as the drafts change them. Throws REQUEST_INVALID. */
export function replacementsOf(
  codec: Codec,
  updates: readonly Update[],
  by: {
    readonly drafts: readonly MessageDraft[];
    /** Counts of the drafts, by a rule. */
    readonly counts: readonly number[];
    readonly rule: TokenRule;
    /** Under TOKEN_RULE_GIVEN a count must come with a change of what is counted. */
    readonly mustBeGiven: boolean;
    readonly nowMs: number;
    readonly etag: string;
  },
): readonly Replacement[] {
  return updates.map(({ old, index, paths, contentChanged }) => {
    const draft = by.drafts[index] as MessageDraft;
    const { stamp } = codec.decodeMessage(old.bytes);
    const field = `messages[${index}]`;
    let { tokenCount, tokenRule } = stamp;
    if (draft.tokenCount !== undefined) {
      tokenCount = draft.tokenCount;
      tokenRule = "given";
    } else if (contentChanged || paths.includes("token_count")) {
      if (by.mustBeGiven) {
        const description = "must be given with a change of content under TOKEN_RULE_GIVEN";
        throw requestInvalid([{ field: `${field}.token_count`, description }]);
      }
      tokenCount = by.counts[index] ?? 0;
      tokenRule = by.rule;
    }
    const next = { ...stamp, tokenCount, tokenRule, updateMs: by.nowMs, etag: by.etag };
    const message = encodeNew(codec, draft, next, field);
    const isOther = contentChanged && saysOther(codec, old, draft);
    return { old, message, paths, saysOther: isOther };
  });
}

/** The drafts to append, and their places in the request if some are not appended. */
export function addedOf(
  drafts: readonly MessageDraft[],
  sorted: SortedDrafts | undefined,
): { readonly drafts: readonly MessageDraft[]; readonly places: readonly number[] } {
  if (sorted === undefined) return { drafts, places: [] };
  const places = sorted.added;
  return { drafts: places.map((index) => drafts[index] as MessageDraft), places };
}

/** A message of the answer to an append. */
export interface AppendedEntry {
  readonly messageId: string;
  readonly seq: number;
  readonly tokenCount: number;
  /** Undefined for an append that fails on existing messages. */
  readonly outcome?: AppendOutcome;
}

/** The messages of the answer, in the order of the drafts. */
export function answered(
  messages: readonly NewMessage[],
  sorted: SortedDrafts | undefined,
  edited?: EditedLog,
): readonly AppendedEntry[] {
  if (sorted === undefined) return messages;
  const changed = new Map(edited?.replaced.map((message) => [message.seq, message]));
  return sorted.fates.flatMap(({ outcome, to }) => {
    const message = "old" in to ? (changed.get(to.old.seq) ?? to.old) : messages[to.place];
    if (message === undefined) return [];
    const { messageId, seq, tokenCount } = message;
    return [{ messageId, seq, tokenCount, outcome }];
  });
}
