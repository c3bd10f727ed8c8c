// The replies of an append: what its caller would ask for next, read after the write is durable and
// put into its answer. The answer that a request id remembers is without them.

import { checkAssembleContext } from "../context/checks.ts";
import { assembleContext } from "../context/rpc.ts";
import type { RpcContext, Tell } from "../edge/rpc.ts";
import { ErrorReason } from "../gen/memorysidecar/v1/error_reason.ts";
import { type AppendMessagesRequest, ReplyError } from "../gen/memorysidecar/v1/session_service.ts";
import { replyTooLarge } from "../grpc/error-status.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { RESPONSE_BYTES_MAX, spliceField } from "../grpc/splice.ts";
import type { Violations } from "../grpc/violations.ts";
import type { Call } from "../kit/call.ts";
import { checkPolicyChoice } from "./policy-checks.ts";
import { getWindow } from "./rpc.ts";

/** Room for the errors of replies, with the frames of all. */
const ERRORS_BYTES = 16_384;

/** The fields of AppendMessagesResponse that hold a reply, or why there is none. */
const WINDOW = { field: 13, errorField: 15 };
const CONTEXT = { field: 14, errorField: 16 };

/** Checks the replies that an append asks for. */
export function checkReplies(
  { windowReply, contextReply }: AppendMessagesRequest,
  v: Violations,
): void {
  if (windowReply !== undefined) {
    v.enter("window_reply");
    checkPolicyChoice(v, windowReply.policy);
    v.leave();
  }
  if (contextReply === undefined) return;
  v.enter("context_reply");
  const description = "must be empty: it is that of the request";
  if (contextReply.namespace !== "") v.add("namespace", description);
  if (contextReply.sessionId !== "") v.add("session_id", description);
  checkAssembleContext(contextReply, v);
  v.leave();
}

/** Whether an append is to be answered with more than what it did. */
export function asksForReply({ windowReply, contextReply }: AppendMessagesRequest): boolean {
  return windowReply !== undefined || contextReply !== undefined;
}

/** Adds the replies that an append asks for to its answer. Never fails: the write is done. */
export async function withReplies(
  context: RpcContext,
  call: Call,
  { request, answer, tell }: { request: AppendMessagesRequest; answer: Uint8Array; tell: Tell },
): Promise<Uint8Array> {
  const { namespace, sessionId, windowReply, contextReply } = request;
  // The request id is that of the write.
  const reading = { ...call, requestId: "" };
  const add = async (
    into: Uint8Array,
    { field, errorField }: typeof WINDOW,
    read: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> => {
    try {
      const reply = await read();
      const limit = RESPONSE_BYTES_MAX - ERRORS_BYTES;
      if (into.length + reply.length > limit) throw replyTooLarge(RESPONSE_BYTES_MAX);
      return spliceField(field, [reply], into);
    } catch (error) {
      return spliceField(errorField, [replyError(tell, error)], into);
    }
  };
  let whole = answer;
  if (windowReply !== undefined) {
    const asked = { namespace, sessionId, ...windowReply, asOfSeq: undefined };
    whole = await add(whole, WINDOW, () => getWindow.handle(context, reading, asked, tell));
  }
  if (contextReply !== undefined) {
    const asked = { ...contextReply, namespace, sessionId };
    whole = await add(whole, CONTEXT, () => assembleContext.handle(context, reading, asked, tell));
  }
  return whole;
}

function replyError(tell: Tell, error: unknown): Uint8Array {
  const { code, reason, details, facts } = tell(error);
  return encodeWire(ReplyError, {
    code,
    reason: ErrorReason[reason],
    message: details,
    metadata: new Map(facts),
  });
}
