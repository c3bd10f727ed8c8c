// What hooks get and give for long-term memory, between the domain and the wire: for hooks of the
// kind `grpc`, and for workers. What comes is given as it is, for the domain to check.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { ExtractInput } from "../domain/memories/extracted.ts";
import type { ExtractionTarget } from "../domain/memories/policy.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import { ExtractionTarget as WireTarget } from "../gen/memorysidecar/v1/memory.ts";
import {
  type ExtractOutput,
  ResolveAction,
  type ResolveOutput,
  ExtractInput as WireExtractInput,
} from "../gen/memorysidecar/v1/task.ts";
import { publicMessage } from "../lib/token-quarters.ts";

const TARGETS = {
  facts: WireTarget.FACTS,
  entities: WireTarget.ENTITIES,
  relations: WireTarget.RELATIONS,
} as const satisfies Readonly<Record<ExtractionTarget, WireTarget>>;

// Written by hand: messages are spliced in without being decoded.
const MESSAGES_TAG = (1 << 3) | 2;

/** The wire form of what is to be looked at. */
export function extractInputBytes(input: ExtractInput): Uint8Array {
  const writer = new BinaryWriter();
  for (const message of input.messages) writer.uint32(MESSAGES_TAG).bytes(publicMessage(message));
  return WireExtractInput.encode(
    {
      messages: [],
      text: input.text,
      transcript: input.transcript,
      targets: input.targets.map((target) => TARGETS[target]),
      instructions: input.instructions,
      known: [...input.known],
    },
    writer,
  ).finish();
}

/** What was found, in the form that checkExtracted reads. */
export function rawExtracted(output: ExtractOutput): unknown {
  return {
    model: output.model,
    facts: output.facts.map(({ isPreference, validFromTime, messageIds, ...fact }) => ({
      ...fact,
      is_preference: isPreference,
      valid_from_time: validFromTime === undefined ? undefined : isoOf(validFromTime),
      message_ids: messageIds,
    })),
    entities: output.entities.map(({ messageIds, ...entity }) => ({
      ...entity,
      message_ids: messageIds,
    })),
    relations: output.relations.map(({ messageIds, objectValue, ...relation }) => ({
      ...relation,
      object: objectValue,
      message_ids: messageIds,
    })),
  };
}

/** A time as text; undefined for one that no calendar has. */
function isoOf({ seconds, nanos }: Timestamp): string | undefined {
  const time = new Date(Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const ACTIONS: { readonly [action in ResolveAction]?: string } = {
  [ResolveAction.KEEP_BOTH]: "keep_both",
  [ResolveAction.SUPERSEDE]: "supersede",
  [ResolveAction.MERGE]: "merge",
  [ResolveAction.DROP]: "drop",
};

/** What becomes of memories, in the form that checkResolution reads. */
export function rawResolution({ action, text }: ResolveOutput): unknown {
  return { action: ACTIONS[action], text };
}
