// Policies and messages in wire form for the contract tests of policy effects.

import { type Message, Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import {
  type Policy,
  type PolicyChoice,
  type PolicyStage,
  StageEffect,
  StageOn,
  type Trigger,
} from "../../../src/gen/memorysidecar/v1/policy.ts";
import type { TestServer } from "./client.ts";
import { dropOldest, keepStage, message, policy, protections, session } from "./samples.ts";

/** A trigger. */
export function trigger(condition: NonNullable<Trigger["condition"]>): Trigger {
  return { condition };
}

/** A stage that keeps the newest messages, at least one. */
export function keepNewest(maxMessages: number, fields: Partial<PolicyStage> = {}): PolicyStage {
  const select = { $case: "dropOldest", value: dropOldest({ maxMessages }) } as const;
  return keepStage({ select, ...fields });
}

/** A stage on turn end that keeps the newest message. */
export function onTurnEnd(...anyOf: readonly Trigger[]): PolicyStage {
  return keepNewest(1, { name: "end", on: StageOn.TURN_END, anyOf: [...anyOf] });
}

/** A stage on read that changes the stored window. */
export function storesOnRead(maxMessages: number, ...anyOf: readonly Trigger[]): PolicyStage {
  return keepNewest(maxMessages, {
    name: "read",
    on: StageOn.READ,
    effect: StageEffect.STORE,
    anyOf: [...anyOf],
  });
}

/** A policy that protects nothing but the newest message. */
export function bare(stages: readonly PolicyStage[], fields: Partial<Policy> = {}): Policy {
  return policy({
    stages: [...stages],
    protections: protections({ releaseLastUser: true }),
    ...fields,
  });
}

/** User messages of one token each, with ids m1, m2 and so on. */
export function users(count: number, first = 1): Message[] {
  return Array.from({ length: count }, (_, i) =>
    message({ messageId: `m${first + i}`, text: `t${first + i}` }),
  );
}

/** A tool result. */
export function result(toolCallId: string, fields: Partial<Message> = {}): Message {
  return message({ role: Role.TOOL, toolCallId, text: "done", ...fields });
}

/** Creates sessions with a policy, under unique ids. */
export function sessionMaker(server: () => TestServer) {
  let count = 0;
  return async (of: Policy | PolicyChoice, messages: readonly Message[] = []): Promise<string> => {
    const sessionId = `policy-${count++}`;
    await server().client.call("createSession", { session: session({ sessionId, policy: of }) });
    if (messages.length > 0) {
      await server().client.call("appendMessages", { sessionId, messages: [...messages] });
    }
    return sessionId;
  };
}

/** The ids of the messages of the window. */
export async function windowIds(server: TestServer, sessionId: string): Promise<string[]> {
  const { messages } = await server.client.call("getWindow", { sessionId });
  return messages.map(({ messageId }) => messageId);
}

/** The events of a session from a revision on. */
export async function eventsOf(server: TestServer, sessionId: string, from = 0n) {
  const { events } = await server.client.call("listEvents", { pageSize: 1_000 });
  return events.filter((event) => event.sessionId === sessionId && event.revision >= from);
}
