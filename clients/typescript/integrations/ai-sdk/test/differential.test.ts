// The store beside the one in the guide of the SDK ("Chatbot Message Persistence"), which keeps
// the JSON of all messages of a chat: the same random operations, the same answers.

import type { UIMessage } from "ai";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { SidecarChatStore } from "../src/chats.ts";
import { answered, asked, MESSAGES } from "./messages.ts";

type Operation =
  | { readonly load: string }
  /** Deletes the chat, and all that was said in it. */
  | { readonly delete: string }
  /** Saves a chat with messages put in place of some, from an index on. */
  | {
      readonly save: string;
      readonly at: number;
      readonly removed: number;
      readonly added: readonly UIMessage[];
    };

const CHATS = ["a", "b/ü"];
let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

function drawMessage(random: Random): UIMessage {
  const number = random.int(0, 3);
  return random.pick([
    ...MESSAGES,
    asked(`${number}`),
    answered(number),
    answered(number, "a tree"),
  ]);
}

function draw(random: Random): Operation {
  const chatId = random.pick(CHATS);
  const name = random.weighted({ load: 4, turn: 4, edit: 3, delete: 0.4 });
  if (name === "load") return { load: chatId };
  if (name === "delete") return { delete: chatId };
  const added = Array.from({ length: random.int(0, 3) }, () => drawMessage(random));
  if (name === "turn") return { save: chatId, at: Number.MAX_SAFE_INTEGER, removed: 0, added };
  return { save: chatId, at: random.int(-6, 3), removed: random.int(0, 6), added };
}

/** The messages that an operation saves, by those that a chat has. */
function edited(chat: readonly UIMessage[], operation: Operation): UIMessage[] {
  if (!("save" in operation)) return [];
  return chat.toSpliced(operation.at, operation.removed, ...operation.added);
}

function pair() {
  const files = new Map<string, string>();
  const ours = new SidecarChatStore(setting.client());
  const read = (chatId: string): UIMessage[] => JSON.parse(files.get(chatId) ?? "[]");
  let messages: UIMessage[] = [];
  return {
    theirs: async (operation: Operation) => {
      if ("load" in operation) return JSON.stringify(read(operation.load));
      if ("delete" in operation) return void files.delete(operation.delete);
      messages = edited(read(operation.save), operation);
      files.set(operation.save, JSON.stringify(messages));
      return undefined;
    },
    ours: async (operation: Operation) => {
      if ("load" in operation) return JSON.stringify(await ours.loadChat(operation.load));
      if ("delete" in operation) return await ours.deleteChat(operation.delete);
      // An edit may erase what has left the window; the store of the guide knows no window.
      const replace = operation.at !== Number.MAX_SAFE_INTEGER;
      return await ours.saveChat({ chatId: operation.save, messages, replace });
    },
  };
}

test("answers as the store of the guide does", async () => {
  await compare<Operation>({
    name: ["Vercel AI SDK (TypeScript)", "chat store"],
    operations: 2_000,
    draw,
    pair,
  });
}, 300_000);
