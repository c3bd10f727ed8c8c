// What the use cases of long-term memory work with.

import type { Memory } from "../../domain/memories/memory.ts";
import type { FlatMetadata } from "../../domain/recall/filter.ts";
import type { ServiceContext } from "../context.ts";
import type { Pace } from "../recall/pace.ts";
import type { HookStates } from "../tasks/hook-state.ts";
import type { Resolvers } from "./resolvers.ts";

/** Reads and writes what memories are in wire form. Implemented by the transport. */
export interface MemoryCodec {
  /** The public form of a memory. */
  encodeMemory(memory: Memory): Uint8Array;
  /** The metadata of a memory as filters look at it. */
  flatMetadata(bytes: Uint8Array): FlatMetadata;
}

/** Made once by createMemories. */
export interface MemoryParts {
  readonly context: ServiceContext;
  readonly codec: MemoryCodec;
  /** Long scans take one piece in each turn of the event loop. */
  readonly pace: Pace;
  readonly states: HookStates;
  readonly resolvers: Resolvers;
}
