// UpdateSession: changes what describes a session; a new policy takes effect in the same
// transaction.

import { etagMismatch, sessionNotFound } from "../domain/errors.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { DEFAULT_POLICY } from "../domain/policy.ts";
import type { Session, SessionFields } from "../domain/session.ts";
import type { SessionDecision, SessionPlan, SessionView } from "../storage/store.ts";
import type { Call, SessionInput, SessionPath, UpdateSessionInput } from "./api.ts";
import { changeSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { checkMemoryHooks, checkPromotion } from "./memories/check-hooks.ts";
import { jobsUnder, mergeJobPlans } from "./memories/plan-jobs.ts";
import { newEvents } from "./new-events.ts";
import { underPolicy } from "./policy-state.ts";
import { afterPolicy, NO_EDIT, planPart, type TaskEdit } from "./task-edits.ts";
import { checkHooks } from "./tasks/hand-over.ts";
import { changeWindow, planOf, type WindowChange } from "./window-change.ts";

/** Changes what describes a session. */
export async function updateSession(
  context: ServiceContext,
  call: Call,
  update: UpdateSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = update;
  const nowMs = context.world.nowMs();
  const newPolicy = update.paths.includes("policy");
  if (newPolicy) checkHooks(context, update.input.policy);
  if (update.paths.includes("memory_policy")) {
    checkMemoryHooks(context, update.input.memoryPolicy);
  }
  const target = { namespace, sessionId, needWindow: newPolicy };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideUpdate(context, call, { ...update, nowMs }, view),
  );
}

type Update = UpdateSessionInput & { readonly nowMs: number };

/** What a change that brings no policy does to the window. */
const NOTHING = { trims: [], runs: [], overLimit: false } as const;

function decideUpdate(
  context: ServiceContext,
  call: Call,
  update: Update,
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { session, revision } = view;
  const { nowMs } = update;
  if (session === undefined) throw sessionNotFound(update.sessionId);
  if (!context.etags.allows(update.etag, session.fields.etagRevision)) throw etagMismatch();
  if (update.paths.length === 0) {
    return { kind: "answer", result: update.encode({ session, ...NOTHING }) };
  }
  const fields = { ...changedFields(session.fields, update), etagRevision: revision };
  checkPromotion(fields);
  const stamped: Session = {
    ...session,
    fields,
    head: { ...session.head, updateMs: nowMs, revision },
  };
  const isNewPolicy = update.paths.includes("policy");
  const policies = { old: session.fields.policy, new: fields.policy };
  const edited = isNewPolicy ? afterPolicy(view.tasks(), policies, nowMs) : NO_EDIT;
  const change = isNewPolicy ? applyNewPolicy(context, stamped, view, edited) : undefined;
  const after: Session =
    change === undefined ? stamped : { ...session, fields: change.fields, head: change.head };
  const { trims, runs, overLimit } = change ?? NOTHING;
  const bytes = update.encode({ session: after, trims, runs, overLimit });
  const events = newEvents(
    context,
    { session: after, revision, nowMs, requestId: call.requestId },
    [
      { type: EVENT_TYPE.sessionUpdated, paths: update.paths },
      ...edited.events,
      ...(change?.events ?? []),
    ],
  );
  const gone = update.paths.includes("memory_policy")
    ? jobsUnder(fields.memoryPolicy, view)
    : undefined;
  const memoryJobs = mergeJobPlans(change?.given?.plan.memoryJobs, gone);
  const plan: SessionPlan = {
    ...(change === undefined ? {} : planOf(session, change)),
    ...(memoryJobs === undefined ? {} : { memoryJobs }),
    fields: after.fields,
    head: after.head,
    events,
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan };
}

/** Runs the stages of a new policy, and forgets what belonged to the old one. */
function applyNewPolicy(
  context: ServiceContext,
  session: Session,
  view: SessionView,
  edited: TaskEdit,
): WindowChange {
  const { head, fields } = session;
  const policyState = underPolicy(head.policyState, fields.policy);
  return changeWindow(
    context,
    {
      session: { ...session, head: { ...head, policyState } },
      window: view.window ?? [],
      stamp: { revision: head.revision, nowMs: head.updateMs },
      tasks: view.tasks,
      memory: { side: view },
      ...planPart(edited),
    },
    [{ occasions: ["append"], outcomes: [] }],
  );
}

/** The fields after the update. */
function changedFields(fields: SessionFields, update: Update): SessionFields {
  return update.paths.reduce((changed, path) => changeField(changed, path, update), fields);
}

function changeField(fields: SessionFields, path: SessionPath, update: Update): SessionFields {
  const input: SessionInput = update.input;
  switch (path) {
    case "user_id":
      return { ...fields, userId: input.userId ?? "" };
    case "agent_id":
      return { ...fields, agentId: input.agentId ?? "" };
    case "labels":
      return { ...fields, labels: input.labels ?? new Map() };
    case "metadata":
      return { ...fields, metadata: input.metadata ?? new Uint8Array(0) };
    case "policy":
      return { ...fields, policy: input.policy ?? DEFAULT_POLICY };
    case "ttl":
      return { ...fields, ttlMs: input.ttlMs ?? 0 };
    case "memory_policy":
      return { ...fields, memoryPolicy: input.memoryPolicy };
  }
}
