// Runs the tasks of hooks that the server calls itself. Sleeps until a change makes or releases a
// task, until the next one is due, or for half a minute.

import type { ServiceContext } from "../../core/context.ts";
import { goneHook, type HookNews, HookState, isPassing } from "../../hooks/hook-state.ts";
import { canSummarize } from "../../hooks/port.ts";
import { later, waitAtMost } from "../../kit/world.ts";
import type { DueTask } from "../../store/store.ts";
import { serverWorkerOf, taskKeyOf } from "../rules/task.ts";
import { giveBack, isServerLease, type TakenTask, takeTask } from "../take-task.ts";
import { callHook, serverLeaseMs } from "./call-hook.ts";
import { endLease } from "./lease-watch.ts";

const TICK_MS = 30_000;
/** Concurrent calls of all hooks together. */
const CALLS_MAX = 64;
/** Time for which a task that could not be taken is skipped, to give the next one its turn. */
const SKIP_MS = 30_000;
/** The same for a task that another call has just taken or changed. */
const BRIEF_SKIP_MS = 1_000;
const SKIPPED_MAX = 1_000;
/** Time that a shutdown waits for work in progress. */
const STOP_MS = 5_000;

/** Dependencies of a runner. */
export interface RunnerParts {
  readonly context: ServiceContext;
  /** Hooks with a function to call are run; others are left to workers. */
  readonly states: ReadonlyMap<string, HookState>;
  /** Called for faults, without content. */
  readonly onError: (error: unknown) => void;
  /** Called for hooks that are gone while they have tasks. */
  readonly onHookNews?: (news: HookNews) => void;
}

/** The runner of one hook. */
interface Lane {
  readonly state: HookState;
  isPumping: boolean;
  /** A change arrived during pumping. */
  isAsked: boolean;
  /** The slots of all hooks together were taken. */
  isStarved: boolean;
  /** The namespace that had the last turn. */
  afterNamespace: string;
  /** End of the rest of tasks that are skipped, by number. */
  readonly skipped: Map<string, number>;
  cancelTimer: () => void;
}

/** Runs tasks from `start` to `stop`. */
export class TaskRunner {
  readonly #parts: RunnerParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** The tokens of the leases that this runner holds. */
  readonly #held = new Set<string>();
  readonly #stopListening: () => void;
  /** The hooks that changes named before the start; undefined afterwards. */
  #early: Set<string> | undefined = new Set();
  #running = 0;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    for (const [name, state] of parts.states) {
      if (state.hook.summarize !== undefined) this.#lanes.set(name, newLane(state));
    }
    this.#stopListening = parts.context.store.onCommit(({ taskHooks }) => this.#wake(taskHooks));
  }

  /** Starts to run tasks. `left` names the hooks that have some, including hooks that are gone. */
  start(left: readonly string[] = []): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#wake(new Set([...early, ...left, ...this.#lanes.keys()]));
  }

  /** Whether this runner holds a lease. */
  holds(token: string): boolean {
    return this.#held.has(token);
  }

  /** Whether calls are running or tasks are being searched. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Aborts calls and returns their tasks. Waits at most five seconds. */
  async stop(): Promise<void> {
    this.#stopListening();
    this.#stop.abort();
    for (const lane of this.#lanes.values()) lane.cancelTimer();
    await waitAtMost(this.#parts.context.world, STOP_MS, this.#settled());
  }

  async #settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #wake(hooks: Iterable<string>): void {
    for (const hook of hooks) {
      const lane = this.#lanes.get(hook) ?? this.#laneOfGone(hook);
      if (this.#early !== undefined) this.#early.add(hook);
      else if (lane !== undefined) this.#pump(lane);
    }
  }

  /** A lane for the tasks of a hook that the server does not have: they fail. */
  #laneOfGone(name: string): Lane | undefined {
    const { context, onHookNews } = this.#parts;
    const { hooks, world } = context;
    if (canSummarize(hooks, name)) return undefined;
    const lane = newLane(new HookState(goneHook(name), world, onHookNews));
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Fills the free slots of a hook; if that is in progress, fills them once more after it. */
  #pump(lane: Lane): void {
    lane.isAsked = true;
    if (lane.isPumping || this.#stop.signal.aborted) return;
    lane.isPumping = true;
    this.#track(this.#pumpAll(lane));
  }

  async #pumpAll(lane: Lane): Promise<void> {
    lane.cancelTimer();
    let nextMs = TICK_MS;
    while (lane.isAsked && !this.#stop.signal.aborted) {
      lane.isAsked = false;
      try {
        const lookedMs = await this.#fill(lane);
        nextMs = await this.#restMs(lane, lookedMs);
      } catch (error) {
        if (!isPassing(error)) this.#parts.onError(error);
        nextMs = TICK_MS;
      }
    }
    lane.isPumping = false;
    if (this.#stop.signal.aborted) return;
    lane.cancelTimer = later(this.#parts.context.world, () => this.#pump(lane), nextMs);
  }

  /**
   * Longest time until the next check of a hook without changes. `lookedMs` is the time at which no
   * task was due; undefined when a call must end first, which wakes the hook.
   */
  async #restMs({ state, skipped }: Lane, lookedMs: number | undefined): Promise<number> {
    const { store, world } = this.#parts.context;
    const nextMs =
      lookedMs === undefined
        ? state.nextCallMs()
        : await store.nextDueMs(state.hook.name, lookedMs);
    const nowMs = world.nowMs();
    const left = nextMs === undefined || nextMs === 0 ? TICK_MS : nextMs - nowMs;
    const skipMs = lookedMs === undefined ? TICK_MS : Math.min(...skipped.values()) - nowMs;
    return Math.min(TICK_MS, Math.max(1, Math.min(left, skipMs)));
  }

  /**
   * Takes tasks, one of each namespace in turn, until no call may go out or no task is due. Returns
   * the time at which none was due.
   */
  async #fill(lane: Lane): Promise<number | undefined> {
    while (!this.#stop.signal.aborted) {
      const pass = lane.state.pass();
      const free = Math.min(
        pass === "trial" ? 1 : lane.state.hook.settings.concurrency - lane.state.running,
        CALLS_MAX - this.#running,
      );
      lane.isStarved = CALLS_MAX <= this.#running;
      if (pass === "wait" || free <= 0) return undefined;
      const nowMs = this.#parts.context.world.nowMs();
      const due = await this.#due(lane, free, nowMs);
      if (due.length === 0) return nowMs;
      for (const one of due) {
        if (this.#stop.signal.aborted || lane.state.pass() === "wait") break;
        lane.afterNamespace = one.namespace;
        await this.#take(lane, one);
      }
    }
    return undefined;
  }

  async #due(lane: Lane, count: number, nowMs: number): Promise<readonly DueTask[]> {
    const { store } = this.#parts.context;
    for (const [key, untilMs] of lane.skipped) {
      if (untilMs <= nowMs) lane.skipped.delete(key);
    }
    const skipped = lane.skipped.size;
    if (skipped >= SKIPPED_MAX) return [];
    const due = await store.dueTasks({
      hook: lane.state.hook.name,
      afterNamespace: lane.afterNamespace,
      nowMs,
      limit: count + skipped,
      perNamespace: 1 + skipped,
    });
    const seen = new Set<string>();
    const turns = due.filter((task) => {
      if (lane.skipped.has(taskKeyOf(task)) || seen.has(task.namespace)) return false;
      seen.add(task.namespace);
      return true;
    });
    return turns.slice(0, count);
  }

  async #take(lane: Lane, due: DueTask): Promise<void> {
    const { context, onError } = this.#parts;
    const { hook } = lane.state;
    const skip = (ms: number): void => {
      lane.skipped.set(taskKeyOf(due), context.world.nowMs() + ms);
    };
    try {
      const leaseMs = serverLeaseMs(hook.settings.timeoutMs);
      const worker = serverWorkerOf(context.store.instanceId);
      const taken = await takeTask(context, due, { hook, worker, leaseMs });
      if (taken.kind === "none") skip(BRIEF_SKIP_MS);
      else if (taken.kind === "ended") await this.#end(lane, taken.task);
      else if (taken.kind === "taken") await this.#run(lane, taken.task);
    } catch (error) {
      if (isPassing(error)) throw error;
      skip(SKIP_MS);
      onError(error);
    }
  }

  /** Releases a task left by a crash, or fails one that was held for too long. */
  async #end({ state }: Lane, task: TakenTask): Promise<void> {
    const { context } = this.#parts;
    if (isServerLease(task) && !this.#held.has(task.lease.token)) {
      await giveBack(context, task, false);
      return;
    }
    await endLease(context, task);
    state.failed("timeout");
  }

  /** Starts the call without waiting for it. */
  async #run(lane: Lane, task: TakenTask): Promise<void> {
    const { context, onError } = this.#parts;
    const { state } = lane;
    const pass = state.pass();
    if (pass === "wait" || this.#stop.signal.aborted) {
      await giveBack(context, task, true);
      return;
    }
    this.#running += 1;
    this.#held.add(task.lease.token);
    const run = { context, state, stop: this.#stop.signal, onError };
    const done = callHook(run, task, pass).catch(onError);
    this.#track(
      done.then(() => {
        this.#running -= 1;
        this.#held.delete(task.lease.token);
        this.#pump(lane);
        for (const other of this.#lanes.values()) if (other.isStarved) this.#pump(other);
      }),
    );
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.then(() => this.#underWay.delete(work));
  }
}

function newLane(state: HookState): Lane {
  return {
    state,
    isPumping: false,
    isAsked: false,
    isStarved: false,
    afterNamespace: "",
    skipped: new Map(),
    cancelTimer: () => {},
  };
}
