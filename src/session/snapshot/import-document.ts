// A session out of a document of another system. Such a document holds a window, and not much else:
// what it does not say stays as it was when it replaces a session.

import { liveSession } from "../../core/change.ts";
import type { MessageDraft } from "../../core/codec.ts";
import type { ServiceContext } from "../../core/context.ts";
import type { Call } from "../../kit/call.ts";
import { snapshotInvalid } from "../../kit/errors.ts";
import { makeInsertId, makeMessageId } from "../../kit/ids.ts";
import { LIMITS } from "../../kit/limits.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { Policy, TokenRule } from "../../window/policy/policy.ts";
import { type CountedRule, countedRule } from "../../window/policy/token-rules.ts";
import { ROLE } from "../../window/rules/types.ts";
import {
  DEFAULT_SETTINGS,
  EMPTY_POLICY_STATE,
  type Session,
  settingsOf,
  type WindowInsert,
} from "../rules/session.ts";
import type { DocumentCodec, DocumentSession, ImportedMessage, ImportedSession } from "./api.ts";
import { type ImportEnd, SessionImport, TargetChangedError } from "./session-import.ts";

const ID_RANDOM_BYTES = 10;
const PIECE_MESSAGES = 256;

/** Reads a document and makes its session. Throws SNAPSHOT_INVALID and WINDOW_FULL. */
export async function importDocument(
  context: { readonly service: ServiceContext; readonly documents: DocumentCodec },
  call: Call,
  document: Uint8Array,
  end: ImportEnd,
): Promise<Uint8Array> {
  const read = await context.documents.read(end.format, document);
  for (;;) {
    try {
      return await makeSession(context.service, call, read, end);
    } catch (error) {
      // Fields that the document lacks came from a session that has changed since.
      if (!(error instanceof TargetChangedError)) throw error;
    }
  }
}

async function makeSession(
  service: ServiceContext,
  call: Call,
  read: DocumentSession,
  end: ImportEnd,
): Promise<Uint8Array> {
  const stored = end.replace ? await service.store.readSession(end.target) : undefined;
  const old = liveSession(service, stored);
  const policy = read.policy ?? old?.fields.policy ?? read.defaultPolicy;
  const rule = ruleFor(policy);
  const nowMs = service.world.nowMs();
  const session = await sessionOf(service, { read, old, policy, rule, nowMs });
  const counts = await countsOf(service, read.messages, rule);
  const made = await SessionImport.start(service, session, call.writer);
  try {
    await made.add(read.messages.length, (index) =>
      stamped(service, read.messages[index], { index, counts, rule: rule.rule, nowMs }),
    );
    const seen = end.replace ? { seen: { etagRevision: old?.fields.etagRevision } } : {};
    return await made.publish(call, { ...end, ...seen });
  } finally {
    made.abandon();
  }
}

/** Documents bring no counts: what callers count is counted as bytes divided by 4. */
function ruleFor(policy: Policy): CountedRule {
  const rule = countedRule(policy);
  return rule.rule === "given" ? { ...rule, rule: "bytes-div-4" } : rule;
}

/** Counts piece by piece, so that other calls get their turn in between. */
async function countsOf(
  { tokens }: ServiceContext,
  drafts: readonly MessageDraft[],
  rule: CountedRule,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let at = 0; at < drafts.length; at += PIECE_MESSAGES) {
    counts.push(...(await tokens.countAll(drafts.slice(at, at + PIECE_MESSAGES), rule)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return counts;
}

function stamped(
  { world }: ServiceContext,
  draft: MessageDraft | undefined,
  at: { index: number; counts: readonly number[]; rule: TokenRule; nowMs: number },
): ImportedMessage {
  if (draft === undefined) throw new Error("A document has fewer messages than it said.");
  const seq = at.index + 1;
  const { nowMs } = at;
  const messageId =
    draft.messageId === "" ? makeMessageId(seq, world.random(ID_RANDOM_BYTES)) : draft.messageId;
  const tokenCount = at.counts[at.index] ?? 0;
  return {
    draft,
    stamp: { messageId, seq, tokenCount, tokenRule: at.rule, createMs: nowMs, updateMs: nowMs },
  };
}

interface Parts {
  readonly read: DocumentSession;
  readonly old: Session | undefined;
  readonly policy: Policy;
  readonly rule: CountedRule;
  readonly nowMs: number;
}

async function sessionOf(service: ServiceContext, parts: Parts): Promise<ImportedSession> {
  const { read, old, policy, rule, nowMs } = parts;
  const { summaryText: text } = read;
  const settings = settingsOf(old?.fields ?? DEFAULT_SETTINGS);
  const before = old?.fields.summaryVersion ?? 0;
  const summaryVersion = before + read.summaries.length + (text === "" ? 0 : 1);
  const tokenCount = text === "" ? 0 : await service.tokens.countText(text, rule);
  const lastSeq = read.messages.length;
  return {
    sessionId: "",
    fields: {
      ...settings,
      userId: read.userId ?? settings.userId,
      metadata: read.metadata(settings.metadata),
      policy,
      summary:
        text === ""
          ? undefined
          : {
              text,
              tokenCount,
              version: summaryVersion,
              createMs: nowMs,
              ranges: [],
              hook: "",
              stage: "",
              level: 1,
              trust: TRUST.medium,
            },
      summaryVersion,
      inserts: await insertsOf(service, parts),
      forkedFrom: undefined,
      createMs: nowMs,
    },
    firstSeq: 1,
    lastSeq,
    windowRanges: read.outside < lastSeq ? [{ first: read.outside + 1, last: lastSeq }] : [],
    policyState: EMPTY_POLICY_STATE,
    updateMs: nowMs,
  };
}

/** Gives each summary a place of its own behind the messages that stand before it. */
async function insertsOf(service: ServiceContext, parts: Parts): Promise<WindowInsert[]> {
  const { read, rule, old } = parts;
  const before = old?.fields.summaryVersion ?? 0;
  if (read.summaries.length > LIMITS.placedSummaries) {
    const description = `holds more than ${LIMITS.placedSummaries} summaries`;
    throw snapshotInvalid([{ field: "entries", description }]);
  }
  const ids = read.summaries.map(({ messageId }) => messageId).filter((id) => id !== "");
  if (new Set(ids).size < ids.length) {
    const description = "holds two summaries with one id";
    throw snapshotInvalid([{ field: "entries", description }]);
  }
  const inserts: WindowInsert[] = [];
  for (const [index, summary] of read.summaries.entries()) {
    const { messageId: given, text, after, firstMs, metadata } = summary;
    const random = service.world.random(ID_RANDOM_BYTES);
    const messageId = given === "" ? makeInsertId("summary", random) : given;
    const tokenCount = await service.tokens.countText(text, rule);
    // Nobody knows what it was made of.
    const trust = TRUST.low;
    const shown = { messageId, kind: "summary", tokenCount, createMs: firstMs, trust } as const;
    const said = { role: ROLE.system, text, toolCallId: "", name: "", metadata };
    const bytes = service.codec.encodeMade({ ...shown, ...said });
    inserts.push({
      ...shown,
      bytes,
      ranges: [],
      firstMs,
      position: after + (index + 1) / (read.summaries.length + 1),
      version: before + index + 1,
      hook: "",
      stage: "",
      level: 1,
    });
  }
  return inserts;
}
