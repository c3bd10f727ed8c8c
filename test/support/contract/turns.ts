// Turns of a conversation as requests: one append that ends the turn.

import { type Message, Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import { message } from "./samples.ts";

/** Messages of a turn; an empty text makes no message. */
export interface TurnFields {
  readonly sessionId: string;
  readonly userText?: string;
  readonly assistantText?: string;
  readonly turnTime?: NonNullable<Message["sentTime"]>;
  readonly expectedLastSeq?: bigint;
  readonly requestId?: string;
}

/** The request that appends a turn and stores its memories, with or without a memory policy. */
export function turnOf({ userText = "", assistantText = "", turnTime, ...rest }: TurnFields) {
  const said = [
    { role: Role.USER, text: userText },
    { role: Role.ASSISTANT, text: assistantText },
  ];
  const messages = said
    .filter(({ text }) => text !== "")
    .map((fields) => message(turnTime === undefined ? fields : { ...fields, sentTime: turnTime }));
  return { ...rest, messages, turnEnd: true };
}
