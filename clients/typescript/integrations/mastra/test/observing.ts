// Random operations on observational memory.

import type { MemoryStorage, ObservationalMemoryRecord } from "@mastra/core/storage";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { EPOCH, shown } from "./shown.ts";

/** An operation on the memory of an owner. */
export interface Observation {
  readonly name: string;
  readonly threadId: string | null;
  readonly resourceId: string;
  readonly number: number;
  readonly isOn: boolean;
  readonly text: string;
  readonly time: Date;
}

type Work = (
  memory: MemoryStorage,
  record: ObservationalMemoryRecord,
  operation: Observation,
) => Promise<unknown>;

/** Operations on the newest record of an owner. */
const WORKS: Readonly<Record<string, Work>> = {
  active: (memory, { id }, { number, text, time, isOn }) =>
    memory.updateActiveObservations({
      ...{ id, observations: text, tokenCount: number, lastObservedAt: time },
      ...(isOn ? { observedMessageIds: ["m1", "m2"] } : {}),
    }),
  buffered: (memory, { id }, { number, text, time, isOn }) =>
    memory.updateBufferedObservations({
      id,
      chunk: {
        ...{ cycleId: `c${number}`, observations: text, tokenCount: number, lastObservedAt: time },
        ...{ messageIds: ["m1"], messageTokens: number * 10 },
        ...(isOn ? { currentTask: "looking" } : {}),
      },
      ...(isOn ? { lastBufferedAtTime: time } : {}),
    }),
  swap: (memory, { id }, { number, isOn }) =>
    memory.swapBufferedToActive({
      ...{ id, activationRatio: number / 10, messageTokensThreshold: 50 },
      ...{ currentPendingTokens: number * 20, forceMaxActivation: isOn },
    }),
  reflection: (memory, currentRecord, { number, text }) =>
    memory.createReflectionGeneration({ currentRecord, reflection: text, tokenCount: number }),
  bufferedReflection: (memory, { id }, { number, text }) =>
    memory.updateBufferedReflection({
      ...{ id, reflection: text, tokenCount: number, inputTokenCount: number },
      reflectedObservationLineCount: 1,
    }),
  swapReflection: (memory, currentRecord, { number }) =>
    memory.swapBufferedReflectionToActive({ currentRecord, tokenCount: number }),
  reflecting: (memory, { id }, { isOn }) => memory.setReflectingFlag(id, isOn),
  observing: (memory, { id }, { isOn }) => memory.setObservingFlag(id, isOn),
  buffering: (memory, { id }, { isOn, number }) =>
    memory.setBufferingObservationFlag(id, isOn, isOn ? number : undefined),
  bufferingReflection: (memory, { id }, { isOn }) => memory.setBufferingReflectionFlag(id, isOn),
  pending: (memory, { id }, { number }) => memory.setPendingMessageTokens(id, number),
  config: (memory, { id }, { number, text }) =>
    memory.updateObservationalMemoryConfig({ id, config: { deep: { [text]: number } } }),
  insert: (memory, record, { number, threadId, resourceId }) =>
    memory.insertObservationalMemoryRecord({
      ...{ ...record, id: crypto.randomUUID(), generationCount: number },
      ...{ threadId, resourceId },
    }),
};

export function drawObservation(random: Random): Observation {
  const others = Object.fromEntries(Object.keys(WORKS).map((name) => [name, 2]));
  return {
    name: random.weighted({ initialize: 9, history: 4, clear: 0.5, unknown: 0.5, ...others }),
    ...{ threadId: random.pick([null, "a", "b"]), resourceId: random.pick(["ana", "bob"]) },
    ...{ number: random.int(0, 9), isOn: random.chance(0.5) },
    text: random.pick(["- Ana has storks.", "- One.\n- Two.", ""]),
    time: new Date(EPOCH + random.int(0, 9) * 1_000),
  };
}

/** Does an operation; gives its answer and the newest record after it. */
export async function observe(memory: MemoryStorage, operation: Observation): Promise<unknown> {
  const { isOn, name, number, resourceId, threadId } = operation;
  if (name === "initialize") {
    const scope = threadId === null ? "resource" : "thread";
    const input = { threadId, resourceId, scope, config: { deep: { at: 1 } } } as const;
    return shown(await memory.initializeObservationalMemory(input));
  }
  if (name === "clear") return shown(await memory.clearObservationalMemory(threadId, resourceId));
  if (name === "unknown") return await memory.setReflectingFlag("none", isOn);
  if (name === "history") {
    const limit = isOn ? number : undefined;
    const options = { offset: number % 3, ...(isOn ? { from: new Date(EPOCH) } : {}) };
    const given = await memory.getObservationalMemoryHistory(threadId, resourceId, limit, options);
    return shown(given);
  }
  const record = await memory.getObservationalMemory(threadId, resourceId);
  if (record === null) return null;
  const answer = shown(await WORKS[name]?.(memory, structuredClone(record), operation));
  return [answer, shown(await memory.getObservationalMemory(threadId, resourceId))];
}
