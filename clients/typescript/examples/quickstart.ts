// The shortest useful program: keep a conversation, get the window for the model.
//
//   node clients/typescript/examples/quickstart.ts [ADDRESS]
//
// In a program of your own import from "@memory-sidecar/client".

import { connect } from "../src/index.ts";

const client = connect(process.argv[2] ?? "127.0.0.1:50151");
const { sessionId } = await client.createSession({ userId: "ada" });
await client.append(sessionId, [
  { role: "system", text: "You are a friendly botanist." },
  "Which trees flower in March?",
]);
const window = await client.window(sessionId);
for (const message of window.messages) console.log(`${message.seq} ${message.text}`);
await client.append(sessionId, { role: "assistant", text: "Hazel, alder and some willows." });
client.close();
