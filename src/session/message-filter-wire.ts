// Filter of the messages of a log, from the wire to a test of stored messages.

import { Message, type MessageFilter } from "../gen/memorysidecar/v1/message.ts";
import { fromTimestamp } from "../grpc/time.ts";
import { fromConditions } from "../recall/filter-wire.ts";
import { flattenMetadata } from "../recall/indexed-wire.ts";
import { hasLabels, passesAll } from "../recall/rules/item-tests.ts";

type Test = (message: Message) => boolean;

/** Makes the test of what only the message itself tells; undefined when nothing of it is asked. */
export function messageTest(
  filter: MessageFilter | undefined,
): ((bytes: Uint8Array) => boolean) | undefined {
  const tests = filter === undefined ? [] : testsOf(filter);
  if (tests.length === 0) return undefined;
  return (bytes) => {
    const message = Message.decode(bytes);
    return tests.every((test) => test(message));
  };
}

function testsOf({ timeFrom, timeBefore, labels, ...filter }: MessageFilter): Test[] {
  const tests: Test[] = [];
  if (timeFrom !== undefined) {
    const fromMs = fromTimestamp(timeFrom);
    tests.push((message) => timeOf(message) >= fromMs);
  }
  if (timeBefore !== undefined) {
    const beforeMs = fromTimestamp(timeBefore);
    tests.push((message) => timeOf(message) < beforeMs);
  }
  if (labels.size > 0) tests.push((message) => hasLabels(message.labels, labels));
  if (filter.metadata.length > 0) {
    const conditions = fromConditions(filter.metadata);
    tests.push(({ labels: own, metadata }) =>
      passesAll({ labels: own, metadata: flattenMetadata(metadata) }, conditions),
    );
  }
  if (filter.names.length > 0) {
    const names = new Set(filter.names);
    tests.push(({ name }) => names.has(name));
  }
  if (filter.calledTools.length > 0) {
    const tools = new Set(filter.calledTools);
    tests.push((message) => calledTools(message).some((tool) => tools.has(tool)));
  }
  return tests;
}

/** When a message was sent, or else stored. */
function timeOf({ sentTime, createTime }: Message): number {
  const time = sentTime ?? createTime;
  return time === undefined ? 0 : fromTimestamp(time);
}

function calledTools({ toolCalls, parts }: Message): string[] {
  const inParts = parts.flatMap(({ part }) => (part?.$case === "toolCall" ? [part.value] : []));
  return [...toolCalls, ...inParts].map(({ name }) => name);
}
