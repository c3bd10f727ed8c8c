// A session as it is made.

import { answerOnly, changeSession, existingSession, saved } from "../core/change.ts";
import { checkMemoryHooks, checkPromotion } from "../core/check-hooks.ts";
import type { ServiceContext } from "../core/context.ts";
import { underPolicy } from "../core/policy-state.ts";
import { changeWindow, planOf, type WindowChange, windowBase } from "../core/window-change.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { etagMismatch, sessionAlreadyExists, sessionNotFound } from "../kit/errors.ts";
import { makeSessionId } from "../kit/ids.ts";
import { jobsUnder, mergeJobPlans } from "../memory/learn/give.ts";
import type { MemoryJobPlan, SessionDecision, SessionView } from "../store/store.ts";
import { setText } from "../summary/apply-summary.ts";
import { checkHooks } from "../summary/hand-over.ts";
import { afterPolicy, NO_EDIT, planPart, type TaskEdit } from "../tasks/task-edits.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import type {
  CreateSessionInput,
  DeleteSessionInput,
  ListedSessions,
  ListSessionsInput,
  SessionInput,
  UpdateSessionInput,
} from "./api.ts";
import {
  DEFAULT_SETTINGS,
  EMPTY_POLICY_STATE,
  SETTING_PATHS,
  SETTINGS,
  type Session,
  type SessionFields,
  type SessionPath,
  type SessionRef,
} from "./rules/session.ts";

/** A new session without messages; what the input does not set gets its default. */
export function newSession(
  ref: SessionRef,
  { summaryText: _text, ...settings }: SessionInput,
  stamp: { readonly nowMs: number; readonly revision: number },
): Session {
  return {
    namespace: ref.namespace,
    sessionId: ref.sessionId,
    fields: {
      ...DEFAULT_SETTINGS,
      ...settings,
      summary: undefined,
      summaryVersion: 0,
      inserts: [],
      forkedFrom: undefined,
      createMs: stamp.nowMs,
      etagRevision: stamp.revision,
    },
    head: {
      lastSeq: 0,
      firstSeq: 1,
      log: { messageCount: 0, tokenCount: 0 },
      window: { messageCount: 0, tokenCount: 0, byteCount: 0 },
      windowRanges: [],
      policyState: EMPTY_POLICY_STATE,
      updateMs: stamp.nowMs,
      revision: stamp.revision,
    },
  };
}

const SESSION_ID_RANDOM_BYTES = 10;

/** An id for a session that came without one. */
export function newSessionId(context: ServiceContext): string {
  return makeSessionId(context.world.nowMs(), context.world.random(SESSION_ID_RANDOM_BYTES));
}

// The use cases of sessions as such.

/** Creates a session. */
export async function createSession(
  context: ServiceContext,
  call: Call,
  create: CreateSessionInput,
): Promise<Uint8Array> {
  const { namespace, input } = create;
  const sessionId = create.sessionId === "" ? newSessionId(context) : create.sessionId;
  const nowMs = context.world.nowMs();
  const text = input.summaryText ?? "";
  checkHooks(context, input.policy);
  checkMemoryHooks(context, input.memoryPolicy);
  const rule = countedRule(input.policy ?? DEFAULT_POLICY);
  const tokenCount = text === "" ? 0 : await context.tokens.countText(text, rule);
  return await changeSession<Uint8Array>(context, call, { namespace, sessionId }, (view) => {
    if (view.session !== undefined) throw sessionAlreadyExists(sessionId);
    const { revision } = view;
    const bare = newSession({ namespace, sessionId }, input, { nowMs, revision });
    checkPromotion(bare.fields);
    const { fields, record } = setText(
      bare.fields,
      { text, tokenCount },
      { nowMs, revision, lastSeq: 0 },
    );
    const session: Session = { ...bare, fields };
    const bytes = create.encode(session);
    const summaries = record === undefined ? {} : { summaries: { put: [record] } };
    const plan = { fields, head: session.head, ...summaries };
    const details = [{ type: EVENT_TYPE.sessionCreated }];
    return saved({ context, call, nowMs }, view, { result: bytes, session, plan, details, bytes });
  });
}

/** Gets a session. */
export async function getSession(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
): Promise<Session> {
  checkLive(call.signal);
  return await existingSession(context, ref);
}

/** Lists sessions. */
export async function listSessions(
  context: ServiceContext,
  call: Call,
  { includeTotal = false, ...asked }: ListSessionsInput,
): Promise<ListedSessions> {
  checkLive(call.signal);
  const query = { ...asked, nowMs: context.world.nowMs() };
  const page = await context.store.listSessions(query);
  return { ...page, total: includeTotal ? await context.store.countSessions(query) : undefined };
}

/** Deletes a session. */
export async function deleteSession(
  context: ServiceContext,
  call: Call,
  input: DeleteSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = input;
  const changing = { context, call, nowMs: context.world.nowMs() };
  const target = { namespace, sessionId, allowWhenFull: true };
  return await changeSession<Uint8Array>(context, call, target, (view) => {
    const { session, revision } = view;
    if (session === undefined) {
      if (!input.allowMissing) throw sessionNotFound(sessionId);
      return answerOnly(changing, input.encode({ revision: 0 }));
    }
    if (!context.etags.allows(input.etag, session.fields.etagRevision)) throw etagMismatch();
    const bytes = input.encode({ revision });
    const memories = context.participants.memory.sessionEmptied(session);
    return saved(changing, view, {
      ...{ result: bytes, bytes, session, plan: { remove: true, memories } },
      details: [{ type: EVENT_TYPE.sessionDeleted, reason: "request", log: session.head.log }],
    });
  });
}

// UpdateSession: changes what describes a session; a new policy takes effect in the same
// transaction.

/** Changes what describes a session. */
export async function updateSession(
  context: ServiceContext,
  call: Call,
  update: UpdateSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = update;
  const nowMs = context.world.nowMs();
  checkPatchHooks(context, update);
  const target = { namespace, sessionId };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideUpdate(context, call, { ...update, nowMs }, view),
  );
}

type Update = UpdateSessionInput & { readonly nowMs: number };

/** Effect on the window of a change without a policy. */
const NOTHING = { trims: [], runs: [], overLimit: false } as const;

function decideUpdate(
  context: ServiceContext,
  call: Call,
  update: Update,
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { session } = view;
  const { nowMs } = update;
  if (session === undefined) throw sessionNotFound(update.sessionId);
  if (!context.etags.allows(update.etag, session.fields.etagRevision)) throw etagMismatch();
  if (update.paths.length === 0) {
    return answerOnly({ context, call, nowMs }, update.encode({ session, ...NOTHING }));
  }
  const patched = patchSession(session, update, view, nowMs);
  const change = patched.hasNewPolicy ? applyNewPolicy(context, patched, view) : undefined;
  const after: Session =
    change === undefined
      ? patched.session
      : { ...session, fields: change.fields, head: change.head };
  const { trims, runs, overLimit } = change ?? NOTHING;
  const bytes = update.encode({ session: after, trims, runs, overLimit });
  const memoryJobs = mergeJobPlans(change?.given?.plan.memoryJobs, patched.memoryJobs);
  const plan = {
    ...(change === undefined ? {} : planOf(session, change)),
    ...(memoryJobs === undefined ? {} : { memoryJobs }),
    fields: after.fields,
    head: after.head,
  };
  const details = [...patched.events, ...(change?.events ?? [])];
  const saving = { result: bytes, session: after, plan, details, bytes };
  return saved({ context, call, nowMs }, view, saving);
}

/** The attributes of a session to change. */
export interface SessionPatch {
  /** One that is not set here and named by a path is cleared. */
  readonly input: SessionInput;
  readonly paths: readonly SessionPath[];
}

/** A session whose attributes have changed, before any stage runs. */
export interface PatchedSession {
  readonly session: Session;
  /** Nothing that the old policy kept true of the window holds under another one. */
  readonly hasNewPolicy: boolean;
  /** Changes of the tasks of the old policy. */
  readonly edited: TaskEdit;
  /** Changes of jobs that the old memory policy asked for; undefined for none. */
  readonly memoryJobs: MemoryJobPlan | undefined;
  /** First among the events of the change. */
  readonly events: readonly EventDetail[];
}

/** Changes the attributes of a session. Throws PROMOTION_POLICY_MISSING. */
export function patchSession(
  session: Session,
  { paths, input }: SessionPatch,
  view: SessionView,
  nowMs: number,
): PatchedSession {
  const { revision } = view;
  const old = session.fields;
  const fields = { ...changedFields(old, { paths, input }), etagRevision: revision };
  checkPromotion(fields);
  const hasNewPolicy = paths.includes("policy");
  const { policyState } = session.head;
  const policies = { old: old.policy, new: fields.policy };
  const edited = hasNewPolicy ? afterPolicy(view.tasks(), policies, nowMs) : NO_EDIT;
  return {
    session: {
      ...session,
      fields,
      head: {
        ...session.head,
        // The state of the stages belongs to the policy.
        policyState: hasNewPolicy ? underPolicy(policyState, fields.policy) : policyState,
        updateMs: nowMs,
        revision,
      },
    },
    hasNewPolicy,
    edited,
    memoryJobs: paths.includes("memory_policy") ? jobsUnder(fields.memoryPolicy, view) : undefined,
    events: [{ type: EVENT_TYPE.sessionUpdated, paths }, ...edited.events],
  };
}

/** Runs the stages of a new policy. */
function applyNewPolicy(
  context: ServiceContext,
  { session, edited }: PatchedSession,
  view: SessionView,
): WindowChange {
  const base = { ...windowBase(view, session, session.head.updateMs), ...planPart(edited) };
  return changeWindow(context, base, [{ occasions: ["append"], outcomes: [] }]);
}

/** Throws HOOK_NOT_CONFIGURED when a change brings a policy whose hooks the server lacks. */
export function checkPatchHooks(context: ServiceContext, { paths, input }: SessionPatch): void {
  if (paths.includes("policy")) checkHooks(context, input.policy);
  if (paths.includes("memory_policy")) checkMemoryHooks(context, input.memoryPolicy);
}

/** The fields after the update. */
function changedFields(fields: SessionFields, { paths, input }: SessionPatch): SessionFields {
  const given = { ...DEFAULT_SETTINGS, ...input };
  const changed = SETTINGS.filter((setting) => paths.includes(SETTING_PATHS[setting]));
  return { ...fields, ...Object.fromEntries(changed.map((setting) => [setting, given[setting]])) };
}
