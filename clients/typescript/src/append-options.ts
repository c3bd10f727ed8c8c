// Options of an append: what it asks of its session, and what it answers with.

import { type CallOptions, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import type { FormName } from "./forms.ts";
import { CONTEXT_PARTS, type ContextOptions } from "./memory-options.ts";
import type { SessionFields } from "./message.ts";
import type { SeqInput, ToolOutcomeInput, WindowOptions } from "./options.ts";
import type { RecordOperationInput } from "./record-inputs.ts";

/** Options of an append. */
export interface AppendOptions extends MutationOptions {
  /** The append happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
  /** Creates the session with the defaults if it does not exist. Default false. */
  readonly createSession?: boolean | undefined;
  /** The agent's turn ends with these messages, of which there may be none. Default false. */
  readonly turnEnd?: boolean | undefined;
  /** Tokens of the model's input, as the model reported. Default: as in an earlier append. */
  readonly modelInputTokens?: number | undefined;
  /** Outcomes of tools whose messages are not appended. */
  readonly toolOutcomes?: readonly ToolOutcomeInput[] | undefined;
  /**
   * Treatment of messages whose ids the session has. The answer says what became of each.
   * Default "fail".
   */
  readonly onExisting?: "fail" | "skip" | "update" | undefined;
  /** Operations on records, up to 256, done with the append in one transaction. Default: none. */
  readonly recordOperations?: readonly RecordOperationInput[] | undefined;
  /**
   * The fields of the session that `createSession` creates, but its summary. An etag among them
   * must be that of the session.
   */
  readonly session?: SessionFields | undefined;
  /**
   * Names the fields of `session` to change in one that exists, in the same transaction; empty for
   * all that are set. Default: changes none.
   */
  readonly sessionUpdateMask?: readonly string[] | undefined;
  /**
   * Answers with `window`, as `window()` gives it. When it could not be made, the messages are
   * stored, and `windowError` says why. Default false.
   */
  readonly window?: boolean | WindowReplyOptions | undefined;
  /**
   * Answers with `context`, as `assembleContext()` gives it. When it could not be made, the
   * messages are stored, and `contextError` says why. Default false.
   */
  readonly context?: boolean | ContextReplyOptions | undefined;
}

export const APPEND_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, form: true, expectedLastSeq: true, createSession: true },
  ...{ turnEnd: true, modelInputTokens: true, toolOutcomes: true, onExisting: true },
  ...{ recordOperations: true, session: true, sessionUpdateMask: true },
  ...{ window: true, context: true },
} as const;

/** Options of the window that an append answers with. */
export interface WindowReplyOptions extends Pick<WindowOptions, "policy" | "newest" | "readOnly"> {
  /** Gives the messages in the form of a model API: read them with `renderedIn`. */
  readonly form?: FormName | undefined;
}

export const WINDOW_REPLY_OPTIONS = {
  ...{ policy: true, newest: true, readOnly: true, form: true },
} as const;

/** Options of the context that an append answers with. */
export interface ContextReplyOptions extends Omit<ContextOptions, keyof CallOptions | "sessionId"> {
  /** Gives the whole prompt in the form of a model API: read it with `renderedIn`. */
  readonly form?: FormName | undefined;
}

export const CONTEXT_REPLY_OPTIONS = { ...CONTEXT_PARTS, form: true } as const;

/** Options of an append of messages in the form of a model API. */
export interface FormAppendOptions extends AppendOptions {
  readonly form: FormName;
}
