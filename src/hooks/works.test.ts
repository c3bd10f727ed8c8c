import { expect, test } from "vitest";
import { message } from "../../test/support/contract/samples.ts";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { ExtractInput } from "../gen/memorysidecar/v1/task.ts";
import { withQuarters } from "../kit/token-quarters.ts";
import { extractInputBytes } from "./works.ts";

test("what is extracted from holds the messages in their public form", () => {
  const said = message({ messageId: "m", text: "a fig", tokenCount: 1 });
  const stored = withQuarters(Message.encode(said).finish(), 1.25);
  const bytes = extractInputBytes({
    ...{ text: "", transcript: "user: a fig", targets: ["facts"], instructions: "", known: [] },
    ...{ messages: [stored], lines: [] },
  });
  const input = ExtractInput.decode(bytes);
  expect(input.messages).toEqual([said]);
  // Nothing stands beside what the contract knows.
  expect(bytes).toHaveLength(ExtractInput.encode(input).finish().length);
});
