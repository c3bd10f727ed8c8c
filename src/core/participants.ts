// Participants in a change of a session besides the session itself. The use cases below them know
// only these interfaces; src/services.ts registers who implements them. A participant is pure: it
// decides from what it is given, and may be asked again for the same change.

import type { EventDetail } from "../events/rules/event.ts";
import type { Hooks } from "../hooks/port.ts";
import type { Session } from "../session/rules/session.ts";
import type {
  MemoryPlan,
  SessionPlan,
  SessionView,
  Store,
  StoredEntry,
  StoredMessage,
  TaskPlan,
} from "../store/store.ts";
import type { Task } from "../tasks/rules/task.ts";
import type { KnownWindow } from "../window/rules/trim.ts";
import type { DetailOf, StageRun, Trim } from "../window/rules/types.ts";
import type { Codec } from "./codec.ts";

/** The participants. Their parts stand in the plan and among the events in this order. */
export interface Participants {
  readonly summary: SummaryParticipant;
  readonly memory: MemoryParticipant;
}

/** Asks hooks for what stages want summarized. */
export interface SummaryParticipant {
  windowChanged(tools: ParticipantTools, change: ChangedWindow): SummaryPart;
}

/** Gives what leaves a session to long-term memory. */
export interface MemoryParticipant {
  /** Undefined for nothing. */
  windowChanged(tools: ParticipantTools, change: ChangedWindow): MemoryPart | undefined;
  /** For a session that is emptied or deleted: its texts can be learnt again. */
  sessionEmptied(session: Session): MemoryPlan;
}

/** Tools of participants. */
export interface ParticipantTools {
  readonly store: Pick<Store, "historyId">;
  readonly codec: Codec;
  readonly hooks: Hooks;
}

/** A change of a window whose stages have run. */
export interface ChangedWindow {
  readonly base: WindowBase;
  /** The session after the stages. */
  readonly after: Pick<Session, "fields" | "head">;
  /** The window with its inserts, before the stages. */
  readonly before: readonly StoredEntry[];
  /** Everything that left the window, first what the change itself took out. */
  readonly trims: readonly Trim<StoredEntry>[];
  /** Effect of the session's own policy; undefined when it did not run. */
  readonly own:
    | { readonly trims: readonly Trim<StoredEntry>[]; readonly runs: readonly StageRun[] }
    | undefined;
}

/** A session after a change, before any stage runs. */
export interface WindowBase {
  /**
   * The session as the change leaves it: the fields with their inserts, and a head whose
   * `lastSeq`, `log`, `windowRanges` and `policyState` are those after the change. Its `window`,
   * `updateMs` and `revision` are not looked at.
   */
  readonly session: Session;
  /** The messages of the log that are in the window, by rising seq; must agree with the ranges. */
  readonly window: readonly StoredEntry[];
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  /** The tasks of the session as stored; asked for only when stages have messages summarized. */
  readonly tasks: () => readonly Task[];
  /** Changes of tasks that the change itself makes. */
  readonly taskPlan?: TaskPlan;
  /** Known facts of window and inserts together. */
  readonly known?: KnownWindow;
  /** Messages that the change itself removed; first in the answer and among the events. */
  readonly trims?: readonly Trim<StoredEntry>[];
  /** Gives what leaves the window to long-term memory, as the session says. Default: nothing. */
  readonly memory?: MemoryBase;
  /** The session's details, read once for the whole change. Default: a reader of its own. */
  readonly detailOf?: DetailOf<StoredEntry>;
}

/** A change that may give something to long-term memory. */
export interface MemoryBase {
  readonly side: MemorySide;
  readonly turn?: TurnPart;
}

/** Memories as a decision reads them. */
export type MemorySide = Pick<SessionView, "memories" | "memoryJobs">;

/** Input from an append or a turn, beside the trims. */
export interface TurnPart {
  /** The appended messages, by rising seq. */
  readonly appended: readonly StoredMessage[];
  readonly isEnd: boolean;
  /** Undefined when the turn makes no episode, or does not end. */
  readonly episode: EpisodeInput | undefined;
}

/** Text of a turn. */
export interface EpisodeInput {
  readonly userText: string;
  readonly assistantText: string;
  /** When it was. */
  readonly turnMs: number;
  /** Those of its messages. */
  readonly messageIds: readonly string[];
}

/** Requests to hooks. */
export interface SummaryPart {
  /** With what the change itself does to tasks; undefined for nothing. */
  readonly tasks: TaskPlan | undefined;
  readonly events: readonly EventDetail[];
  /** By stage: the id of the task that summarizes for it. */
  readonly taskIds: ReadonlyMap<string, string>;
}

/** Input of long-term memory. */
export interface MemoryPart {
  readonly plan: Pick<SessionPlan, "memories" | "memoryJobs">;
  readonly events: readonly EventDetail[];
  /** Empty when no episode was made. */
  readonly episodeId: string;
  readonly promotedIds: readonly string[];
  readonly evictedIds: readonly string[];
}
