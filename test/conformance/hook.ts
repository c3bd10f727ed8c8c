// The hook of the runner: a gRPC server that the sidecar calls as it calls any other, and that asks
// the model of the case which a call is for. A case has a namespace of its own.

import { status } from "@grpc/grpc-js";
import {
  answerBytes,
  answerOutput,
  failWith,
  type GrpcAct,
  startScriptedGrpcHook,
} from "../support/hooks/scripted-grpc.ts";
import { type CaseChat, startCaseChat } from "./chat.ts";
import { NO_MODEL, type Stub } from "./stub.ts";

/** Name of the hook in policies of cases. */
export const HOOK = "scripted";

/** The hook, with the models of the cases. */
export interface CaseHooks extends AsyncDisposable {
  /** The hook's entry in a server's hooks file. */
  readonly file: object;
  /** The model that finds and scores. */
  readonly chat: CaseChat;
  /** Lets a model answer all calls for a namespace. */
  script(namespace: string, model: Stub): void;
  /** Keeps the answers for a namespace back until they are released. */
  hold(namespace: string): void;
  release(namespace: string): void;
  /** Whether an answer is kept back. */
  isHolding(namespace: string): boolean;
}

/** Bytes that are no message: the type of their first field does not exist. */
const UNREADABLE = answerBytes(Buffer.from([0x07]));
/** A failure that no retry can mend. */
const FAILED = failWith(status.INVALID_ARGUMENT, "the model of the case fails");

/** Starts the hook. */
export async function startCaseHooks(): Promise<CaseHooks> {
  const models = new Map<string, Stub>();
  const held = new Map<string, (() => void)[]>();
  const act: GrpcAct = (reply, call) => {
    const { namespace, input } = call.request;
    const model = models.get(namespace) ?? NO_MODEL;
    const answer = input === undefined ? "failed" : model.answer(input);
    const send = (): void => {
      if (answer === "failed") FAILED(reply, call);
      else if (answer === "unreadable") UNREADABLE(reply, call);
      else answerOutput(answer)(reply, call);
    };
    const waiting = held.get(namespace);
    if (waiting === undefined) send();
    else waiting.push(send);
  };
  const server = await startScriptedGrpcHook([act]);
  const chat = await startCaseChat();
  // One attempt: what a model of a case says is what it says.
  const summarizer = { kind: "grpc", target: server.target, max_attempts: 1 };
  return {
    file: { hooks: { [HOOK]: summarizer, ...chat.hooks } },
    chat,
    script: (namespace, model) => {
      models.set(namespace, model);
    },
    hold: (namespace) => {
      held.set(namespace, held.get(namespace) ?? []);
    },
    release: (namespace) => {
      const waiting = held.get(namespace) ?? [];
      held.delete(namespace);
      for (const send of waiting) send();
    },
    isHolding: (namespace) => (held.get(namespace) ?? []).length > 0,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}
