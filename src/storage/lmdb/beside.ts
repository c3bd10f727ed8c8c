// What changes of a session see and do beside the session: memories, jobs on them, and documents.

import type { SessionRef } from "../../domain/session.ts";
import type { SessionPlan, SessionView } from "../store.ts";
import type { Core } from "./core.ts";
import {
  type DocumentSteps,
  documentSteps,
  documentsView,
  saveDocuments,
} from "./document-changes.ts";
import { type MemorySteps, memorySteps, saveMemories } from "./memory-changes.ts";
import { type JobSteps, jobSteps, readJobsRow, saveJobs } from "./memory-jobs.ts";
import { PendingMemories } from "./memory-lookup.ts";
import { readsOf } from "./memory-reads.ts";

/** What a decision got to see. */
export interface Looks {
  /** It looked at something that the state of the session does not tell of. */
  beside: boolean;
  /** The memories that it got to see. */
  memories?: PendingMemories;
}

/** What decide gets to see beside its session. */
export function viewBeside(
  core: Core,
  ref: SessionRef,
  exists: boolean,
  looks: Looks,
): Pick<SessionView, "memories" | "memoryJobs" | "documents"> {
  const looked = (): void => {
    looks.beside = true;
  };
  looks.memories = new PendingMemories(core, ref.namespace, looked);
  return {
    memories: readsOf(looks.memories),
    memoryJobs: () => {
      looked();
      return exists ? (readJobsRow(core, ref, "pending")?.jobs ?? []) : [];
    },
    documents: (change) => {
      looked();
      return documentsView(core, change).view;
    },
  };
}

/** What a plan does beside its session, read and checked, so that nothing of it can fail. */
export interface BesideSteps {
  readonly memories: MemorySteps | undefined;
  readonly jobs: JobSteps | undefined;
  readonly documents: DocumentSteps | undefined;
}

/** Reads what a plan needs beside its session, and checks it. Throws an Error of a fault. */
export function besideSteps(
  core: Core,
  ref: SessionRef,
  plan: SessionPlan,
  looks: Looks,
): BesideSteps {
  const { documents, events, memories, memoryJobs, resetLog } = plan;
  const nowMs = events[0]?.createMs ?? 0;
  const base = looks.memories;
  return {
    memories: memories && base && memorySteps(base, ref.namespace, { ...memories, nowMs }),
    jobs: jobSteps(core, ref, memoryJobs, resetLog === true),
    documents:
      documents &&
      documentSteps(core, documents, documentsView(core, documents).base, {
        ...documents.plan,
        events,
      }),
  };
}

/** Applies what a plan does beside its session. */
export function saveBeside(
  core: Core,
  of: SessionRef & { readonly sessionNo: number },
  { documents, jobs, memories }: BesideSteps,
): void {
  saveJobs(core, of, jobs);
  if (memories !== undefined) {
    saveMemories(core, memories);
  }
  if (documents !== undefined) {
    saveDocuments(core, documents);
  }
}
