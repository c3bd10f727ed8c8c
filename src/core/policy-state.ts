// State of policies from one change to the next. Every function gives back the very state it
// got when nothing of it is different, so that sessions whose policy needs none of it pay nothing.

import { LIMITS } from "../kit/limits.ts";
import { EMPTY_POLICY_STATE, type PolicyState, type StageMark } from "../session/rules/session.ts";
import type { Policy, PolicyStage, StageOn } from "../window/policy/policy.ts";
import type { StageRun, ToolOutcome, Totals } from "../window/rules/types.ts";
import { countsNew, namedTools } from "./window-view.ts";

/** Stages that ran in a change. */
export interface RanStages {
  readonly policy: Policy;
  /** The occasions whose stages ran. */
  readonly occasions: readonly StageOn[];
  readonly runs: readonly StageRun[];
  readonly lastSeq: number;
  /** The stored window as it was left, inserts included. */
  readonly window: Totals;
}

/** Signals of an append. */
export interface StateInput {
  readonly modelInputTokens: number | undefined;
  readonly outcomes: readonly ToolOutcome[];
}

/** Whether a tool trigger of the stage considers more than this append. */
function looksBack(stage: PolicyStage): boolean {
  return stage.on !== "append";
}

/** The state with what an append brings, before any stage runs. */
export function withInput(state: PolicyState, policy: Policy, input: StateInput): PolicyState {
  let next = state;
  const { modelInputTokens } = input;
  if (modelInputTokens !== undefined && modelInputTokens !== state.modelInputTokens) {
    next = { ...next, modelInputTokens };
  }
  if (input.outcomes.length === 0) return next;
  const names = namedTools(policy, looksBack);
  const added = input.outcomes.filter(({ tool }) => names?.has(tool));
  if (added.length === 0) return next;
  return { ...next, outcomes: [...next.outcomes, ...added].slice(-LIMITS.toolOutcomes) };
}

/** The state after a turn end: the next turn starts without outcomes. */
export function withoutOutcomes(state: PolicyState): PolicyState {
  return state.outcomes.length === 0 ? state : { ...state, outcomes: [] };
}

/** The state after a turn became an episode: the next one starts behind it. */
export function withTurnEnd(state: PolicyState, turnEndSeq: number): PolicyState {
  return state.turnEndSeq === turnEndSeq ? state : { ...state, turnEndSeq };
}

/** The state after stages ran: marks of those that acted, and which are over their limit. */
export function withRuns(state: PolicyState, ran: RanStages): PolicyState {
  // A view changes nothing, so it has nothing to remember.
  const stages = ran.policy.stages.filter(
    (stage) => stage.effect === "store" && ran.occasions.includes(stage.on),
  );
  if (stages.length === 0) return state;
  const marks = marksAfter(state.marks, stages, ran);
  const overLimit = overLimitAfter(state.overLimit, stages, ran.runs);
  if (marks === state.marks && overLimit === state.overLimit) return state;
  return { ...state, marks, overLimit };
}

function marksAfter(
  marks: readonly StageMark[],
  stages: readonly PolicyStage[],
  ran: RanStages,
): readonly StageMark[] {
  if (ran.runs.length === 0) return marks;
  const { lastSeq } = ran;
  const { messageCount, tokenCount } = ran.window;
  let next = marks;
  for (const { name: stage } of stages.filter(countsNew)) {
    if (!ran.runs.some((run) => run.stage === stage)) continue;
    if (next.some((mark) => mark.stage === stage && mark.seq === lastSeq)) continue;
    const mark = { stage, seq: lastSeq, window: { messageCount, tokenCount } };
    next = [...next.filter((old) => old.stage !== stage), mark];
  }
  return next;
}

function overLimitAfter(
  overLimit: readonly string[],
  stages: readonly PolicyStage[],
  runs: readonly StageRun[],
): readonly string[] {
  const isOver = (name: string): boolean => runs.some((run) => run.stage === name && run.overLimit);
  let next = overLimit;
  for (const { name } of stages) {
    if (isOver(name) === next.includes(name)) continue;
    next = isOver(name) ? [...next, name] : next.filter((other) => other !== name);
  }
  return next;
}

/** The state under another policy: what belongs to stages or tools it does not have is dropped. */
export function underPolicy(state: PolicyState, policy: Policy): PolicyState {
  if (state === EMPTY_POLICY_STATE) return state;
  const stages = new Map(policy.stages.map((stage) => [stage.name, stage]));
  const tools = namedTools(policy, looksBack);
  return {
    modelInputTokens: state.modelInputTokens,
    outcomes: state.outcomes.filter(({ tool }) => tools?.has(tool)),
    marks: state.marks.filter(({ stage }) => {
      const kept = stages.get(stage);
      return kept !== undefined && countsNew(kept);
    }),
    overLimit: state.overLimit.filter((stage) => stages.has(stage)),
    turnEndSeq: state.turnEndSeq,
  };
}
