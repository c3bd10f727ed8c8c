// Names and contents of the records that keep checkpoints.
//
// Below the path `root`, with the names of records after the slash:
//
// - `checkpoints`, thread, namespace / id: a checkpoint without the values of its channels
// - `blobs`, thread, namespace, channel / version: the value of a channel
// - `writes`, thread, namespace, checkpoint / task and index: a pending write

import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { RecordNameInput } from "@memory-sidecar/client";
import { MAX_KEY_BYTES, segment } from "@memory-sidecar/client/adapters";

/** Kinds of records of a thread, in the order of their deletion. */
export const KINDS = ["checkpoints", "writes", "blobs"] as const;

/** Place of a checkpoint. */
export interface Place {
  readonly thread: string;
  readonly ns: string;
}

/** Facts in the record of a checkpoint, beside the checkpoint and its metadata. */
export interface CheckpointFacts extends Place {
  readonly parent?: string | undefined;
}

/** Facts in the record of a pending write, beside its value. */
export interface WriteFacts {
  readonly taskPath: string;
  readonly taskId: string;
  readonly index: number;
  readonly channel: string;
}

/** Names the records of savers with the same root. */
export class Names {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** A path of records; without a namespace, that above all namespaces of a thread. */
  path(kind: (typeof KINDS)[number], ...names: readonly string[]): string[] {
    return [this.root, kind, ...names.map((name) => segment(name))];
  }

  checkpoint({ thread, ns }: Place, id: string): RecordNameInput {
    return { path: this.path("checkpoints", thread, ns), key: segment(id) };
  }

  blob({ thread, ns }: Place, channel: string, version: string | number): RecordNameInput {
    const path = this.path("blobs", thread, ns, channel);
    return { path, key: segment(String(version), MAX_KEY_BYTES) };
  }

  write({ thread, ns }: Place, id: string, taskId: string, index: number): RecordNameInput {
    const path = this.path("writes", thread, ns, id);
    return { path, key: segment(`${taskId}/${index}`, MAX_KEY_BYTES) };
  }
}

/** The place that a config names. Throws when it has no thread. */
export function placeOf(config: RunnableConfig): Place {
  const { thread_id: thread, checkpoint_ns: ns = "" } = config.configurable ?? {};
  if (thread === undefined || thread === null || thread === "") {
    throw new Error("the config has no thread_id in configurable, which names the conversation");
  }
  return { thread: String(thread), ns: String(ns) };
}

/** The config of a checkpoint. */
export function configOf({ thread, ns }: Place, id: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } };
}

/** A checkpoint without the values of its channels. */
export function withoutValues({ channel_values: _, ...rest }: Checkpoint) {
  return rest;
}
