// Asks a hook what becomes of memories that new ones contradict. This is done outside of the
// change: what the hook said counts only while the memories are as it saw them, and whatever goes
// wrong keeps both.

import { LIMITS } from "../../domain/limits.ts";
import type { Resolution, ResolveInput } from "../../domain/memories/extracted.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { contradictedBy, planRemember } from "../../domain/memories/remember.ts";
import type {
  NewMemory,
  Remembered,
  RememberRules,
  Resolved,
  Stamp,
} from "../../domain/memories/rules.ts";
import type { MemoryView } from "../../storage/store.ts";
import { checkLive, replayOf } from "../change.ts";
import { later } from "../tasks/later.ts";
import type { MemoryWork } from "./change-memories.ts";
import type { Resolver } from "./resolvers.ts";

/** How long one call waits for all answers. */
const ASK_MS = 5_000;
/** Calls of the hook at one time. */
const ASKED_TOGETHER = 8;

/** A hook, and how the memories will be decided on. */
interface Asking {
  readonly resolver: Resolver;
  readonly rules: RememberRules;
  readonly stampAt: (revision: number) => Stamp;
}

/** A new memory with what it contradicts. */
interface Question {
  readonly index: number;
  readonly news: NewMemory;
  /** Oldest first. */
  readonly known: readonly Memory[];
}

/** Gives the new memories with what the hook said of them, where it did. */
export async function askResolver(
  work: MemoryWork,
  asking: Asking,
  news: readonly NewMemory[],
): Promise<readonly NewMemory[]> {
  const questions = await contradictions(work, asking, news);
  if (questions.length === 0) return news;
  const answers = await ask(work, asking.resolver, questions);
  checkLive(work.call.signal);
  return news.map((one, index) => {
    const resolved = answers.get(index);
    return resolved === undefined ? one : { ...one, resolved };
  });
}

/** What is contradicted now. Nothing for a repeat of a call, which has its answer. */
async function contradictions(
  { parts, call, namespace, nowMs }: MemoryWork,
  { rules, stampAt }: Asking,
  news: readonly NewMemory[],
): Promise<readonly Question[]> {
  checkLive(call.signal);
  const { context } = parts;
  const { requestId } = call;
  const look = (view: MemoryView): readonly Question[] => {
    if (replayOf(context, call, view.reply) !== undefined) return [];
    const { memories, revision } = view;
    const plan = planRemember(memories, news, rules, stampAt(revision));
    return news.flatMap((one, index) => {
      if (!isPlaced(one, plan.results[index])) return [];
      const known = contradictedBy(memories, one, { rule: rules.conflict, nowMs });
      return known.length === 0 ? [] : [{ index, news: one, known }];
    });
  };
  return await context.store.changeMemories({ namespace, requestId }, (view) => ({
    kind: "answer",
    result: look(view),
  }));
}

/** Whether a memory is stored by itself: what is known already contradicts nothing. */
function isPlaced({ memoryId }: NewMemory, result: Remembered | undefined): boolean {
  if (result?.outcome === "created") return true;
  return result?.outcome === "updated" && memoryId !== "" && result.memory?.memoryId === memoryId;
}

/** Asks a few at a time until all are answered or the time is over. */
async function ask(
  { parts, call, namespace }: MemoryWork,
  resolver: Resolver,
  questions: readonly Question[],
): Promise<ReadonlyMap<number, Resolved>> {
  const answers = new Map<number, Resolved>();
  const late = new AbortController();
  const over = Promise.withResolvers<void>();
  const end = (): void => {
    late.abort();
    over.resolve();
  };
  const cancel = later(parts.context.world, end, ASK_MS);
  call.signal.addEventListener("abort", end, { once: true });
  const signal = late.signal;
  const waiting = [...questions];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      try {
        const resolution = await resolver({ namespace, signal }, inputOf(next));
        answers.set(next.index, resolvedOf(resolution, next.known));
      } catch {
        // The hook is counted as failed where it is called; here both memories are kept.
      }
    }
  };
  try {
    const all = Array.from({ length: ASKED_TOGETHER }, worker);
    await Promise.race([Promise.all(all), over.promise]);
    return new Map(answers);
  } finally {
    late.abort();
    cancel();
    call.signal.removeEventListener("abort", end);
  }
}

function inputOf({ news, known }: Question): ResolveInput {
  // The newest first, and no more than a hook gets.
  const asked = known.slice(-LIMITS.resolveKnown).reverse();
  return {
    text: news.content.text,
    known: asked.map(({ content }) => content.text),
    key: news.content.key,
  };
}

function resolvedOf(resolution: Resolution, known: readonly Memory[]): Resolved {
  const asked = new Map(known.map(({ memoryId, etagRevision }) => [memoryId, etagRevision]));
  const { action } = resolution;
  return action === "merge" ? { action, text: resolution.text, asked } : { action, asked };
}
