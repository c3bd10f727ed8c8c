// RecordTurn: what was said in a turn goes into the log and into long-term memory, in one
// transaction. It is an append that ends its turn.

import { DEFAULT_MEMORY_POLICY } from "../../domain/memories/policy.ts";
import { ROLE, type Role } from "../../domain/window/types.ts";
import type { AppendResult, Call, MessageDraft } from "../api.ts";
import { appendMessages } from "../append.ts";
import type { ServiceContext } from "../context.ts";
import type { RecordTurnInput } from "../memory-api.ts";

/** Records a turn of a conversation. */
export async function recordTurn(
  context: ServiceContext,
  call: Call,
  input: RecordTurnInput,
): Promise<Uint8Array> {
  const { namespace, sessionId, userText, assistantText, turnMs, expectedLastSeq } = input;
  return await appendMessages(
    context,
    call,
    {
      ...{ namespace, sessionId },
      drafts: draftsOf(context, input),
      ...(expectedLastSeq === undefined ? {} : { expectedLastSeq }),
      createSession: false,
      turnEnd: true,
      toolOutcomes: [],
      encode: (result) => input.encode(recorded(result)),
    },
    {
      memoryPolicy: DEFAULT_MEMORY_POLICY,
      episode: { userText, assistantText, turnMs: turnMs ?? context.world.nowMs() },
    },
  );
}

function draftsOf({ codec }: ServiceContext, input: RecordTurnInput): readonly MessageDraft[] {
  const said: readonly (readonly [Role, string])[] = [
    [ROLE.user, input.userText],
    [ROLE.assistant, input.assistantText],
  ];
  return said
    .filter(([, text]) => text !== "")
    .map(([role, text]) => codec.draftOf({ role, text, sentMs: input.turnMs }));
}

function recorded(result: AppendResult): Parameters<RecordTurnInput["encode"]>[0] {
  const { messages, lastSeq, given, window, revision } = result;
  return {
    messageIds: messages.map(({ messageId }) => messageId),
    seqs: { first: lastSeq - messages.length + 1, last: lastSeq },
    episodeId: given?.episodeId ?? "",
    promotedIds: given?.promotedIds ?? [],
    evictedIds: given?.evictedIds ?? [],
    window,
    revision,
  };
}
