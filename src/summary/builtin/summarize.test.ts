// Facts that a summary keeps of made-up conversations.

import { describe, expect, test } from "vitest";
import type { ExtractLine } from "./lines.ts";
import { type ExtractOptions, summarizeLines } from "./summarize.ts";

const OPTIONS: ExtractOptions = {
  maxTokens: 512,
  priorTexts: [],
  replacesPrior: false,
  draft: "",
  savesTokens: true,
};

function linesOf(...texts: readonly string[]): ExtractLine[] {
  return texts.map((text, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    text,
    name: "",
    messageId: `m${index + 1}`,
    seq: index + 1,
  }));
}

const TALK = linesOf(
  "Hi there! My name is Anna Berg, I live in Bergen and I prefer trains to planes.",
  "Hello Anna! Nice to meet you. Sure, I would be happy to help you with that. How are you?",
  "I am fine, thanks. It has been raining here and I did not do very much in the last days.",
  "I see, that sounds relaxing! Sometimes it is good to do nothing much at all, isn't it?",
  "True. Now the trip: my budget is 1,250 euros, and I must be back on 21 June.",
  "Great! There are many things that one can do, and it depends on what you would like to see.",
  "We decided to go to Porto. The meeting with Professor Almeida is on 17 June at 14:30.",
  "Wonderful! Porto is lovely, and there is a lot to see and to do there for everyone.",
  "Yes, yes. I was thinking about what else there may be, but nothing comes to mind now.",
  "No problem at all! Let me know whenever something comes to mind, I am always here to help.",
);

describe("summarizeLines", () => {
  test("keeps decisions, names, numbers and dates at a fifth of the tokens", () => {
    const bytes = TALK.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const { text } = summarizeLines(TALK, { ...OPTIONS, maxTokens: Math.ceil(bytes / 12) });
    for (const kept of ["Anna Berg", "Bergen", "1,250 euros", "21 June", "decided", "Porto"]) {
      expect(text).toContain(kept);
    }
    for (const kept of ["Professor Almeida", "17 June", "14:30"]) expect(text).toContain(kept);
    expect(text).not.toContain("happy to help");
  });

  test("names the message of every sentence", () => {
    const { sentences } = summarizeLines(TALK, OPTIONS);
    expect(sentences).toContainEqual({
      text: "We decided to go to Porto.",
      messageId: "m7",
      seq: 7,
    });
  });

  test("gives the same bytes for the same lines", () => {
    const once = summarizeLines(TALK, OPTIONS);
    for (let i = 0; i < 5; i++)
      expect(summarizeLines(structuredClone(TALK), OPTIONS)).toEqual(once);
  });

  test("writes who said what, with the name and the date when there are some", () => {
    const lines: ExtractLine[] = [
      {
        role: "user",
        name: "Kai",
        date: "3 May",
        text: "The key is under the mat.",
        messageId: "a",
        seq: 1,
      },
      {
        role: "user",
        name: "Kai",
        date: "3 May",
        text: "The alarm code is 4711.",
        messageId: "b",
        seq: 2,
      },
      {
        role: "user",
        name: "Mo",
        date: "4 May",
        text: "Feed my parrot Rico twice.",
        messageId: "c",
        seq: 3,
      },
      {
        role: "tool",
        name: "",
        text: "Weather cloudy everywhere. ".repeat(9),
        messageId: "d",
        seq: 4,
      },
    ];
    expect(summarizeLines(lines, OPTIONS).text).toContain(
      "[3 May] Kai: The key is under the mat. The alarm code is 4711.\n" +
        "[4 May] Mo: Feed my parrot Rico twice.",
    );
  });

  test("puts the question before a short answer", () => {
    const filler = "I see, and so it was with all of them, though it could have been more. ".repeat(
      3,
    );
    const { text } = summarizeLines(
      linesOf(filler, "Which color should the bicycle have?", "Turquoise.", "Noted.", filler),
      { ...OPTIONS, maxTokens: 24 },
    );
    expect(text).toContain("Assistant: Which color should the bicycle have?\nUser: Turquoise.");
  });

  test("keeps sentences that differ in a figure only, the later where there is no room", () => {
    const lines = linesOf(
      "The deadline for the quarterly budget report is March 14.",
      "That leaves two weeks for gathering all the material from every department.",
      "The deadline for the quarterly budget report is March 21.",
    );
    const { text } = summarizeLines(lines, OPTIONS);
    expect(text).toContain("March 14");
    expect(text).toContain("March 21");
    const { text: short } = summarizeLines(lines, { ...OPTIONS, maxTokens: 24 });
    expect(short).toContain("March 21");
    expect(short).not.toContain("March 14");
  });

  test("keeps more than one of many dates", () => {
    const texts = Array.from({ length: 7 }, (_, i) => {
      return `Ana decided to meet Dr. Mora at 10:30 on ${i + 1} May. Fine weather, as on any day.`;
    });
    const lines = texts.map((text, i): ExtractLine => {
      return { role: "user", name: "", text, messageId: `m${i}`, seq: i + 1 };
    });
    const { sentences } = summarizeLines(lines, OPTIONS);
    const dates = sentences.filter(({ text }) => text.includes("Dr. Mora"));
    expect(dates.length).toBeGreaterThanOrEqual(4);
  });

  test("carries on a summary that it takes the place of, with its speakers", () => {
    const prior =
      "[2 May] User: My sister Ida lives in Lund.\nAssistant: The train leaves at 9:15.";
    const { text, sentences } = summarizeLines(linesOf("I booked seat 61 for Ida."), {
      ...OPTIONS,
      priorTexts: [prior],
      replacesPrior: true,
    });
    expect(text).toBe(`${prior}\nUser: I booked seat 61 for Ida.`);
    expect(sentences[0]).toEqual({ text: "My sister Ida lives in Lund.", messageId: "", seq: 0 });
  });

  test("does not hold what a tool said to be dearer than what a user says later", () => {
    const prior = "Tool: (44 rows) at 10:15, status green\nAssistant: Rain fell for 3 hours.";
    const { text } = summarizeLines(linesOf("We decided to move to Oslo in May."), {
      ...OPTIONS,
      ...{ maxTokens: 12, priorTexts: [prior], replacesPrior: true, savesTokens: false },
    });
    expect(text).toBe("User: We decided to move to Oslo in May.");
  });

  test("keeps short messages whole, with their speakers, where no tokens are to be saved", () => {
    const added = { ...OPTIONS, savesTokens: false };
    const asked = "I filed SEC-4411. How do I end the idle ones without hurting the api user?";
    expect(summarizeLines(linesOf(asked), added).text).toBe(`User: ${asked}`);
    const long = "The rollout is on Thursday 26 November, from 19:00 to 21:00 UTC, on all hosts.";
    expect(summarizeLines(linesOf(long), added).text).toBe(`User: ${long}`);
    expect(summarizeLines(linesOf("ok"), added).text).toBe("User: ok");
    expect(summarizeLines(linesOf("walnut ".repeat(20)), { ...added, maxTokens: 4 }).text).toBe(
      "User: walnut…",
    );
  });

  test("names the one speaker of a text when there are more in play", () => {
    const { text } = summarizeLines(linesOf("My boat is called Frida.", "I see, and so it is."), {
      ...OPTIONS,
      maxTokens: 8,
    });
    expect(text).toBe("User: My boat is called Frida.");
  });

  const CODE = "```sql\nDELETE FROM carts\nWHERE paid = false\n  AND age > 90;\n```";

  test("quotes code whole or not at all, also when it is summarized again", () => {
    const lines = linesOf(
      `Then run this:\n\n${CODE}\n\nThis leaves the paid ones alone.`,
      "Thanks!",
    );
    const whole = "`DELETE FROM carts WHERE paid = false AND age > 90;`";
    for (let maxTokens = 8; maxTokens < 60; maxTokens++) {
      const options = { ...OPTIONS, maxTokens, savesTokens: false };
      const { text } = summarizeLines(lines, options);
      if (text.includes("DELETE")) expect(text).toContain(whole);
      if (text.includes("run this:")) expect(text).toContain(`run this: ${whole}`);
      const again = summarizeLines(linesOf("Fine."), {
        ...options,
        ...{ maxTokens: Math.ceil(maxTokens / 2), priorTexts: [text], replacesPrior: true },
      }).text;
      if (again.includes("DELETE")) expect(again).toContain(whole);
    }
    const all = summarizeLines(lines, { ...OPTIONS, savesTokens: false }).text;
    expect(all).toContain(`User: Then run this: ${whole} This leaves the paid ones alone.`);
  });

  test("marks a part of code, which it quotes only where there is nothing else", () => {
    const long = `DELETE FROM carts\nWHERE paid = false\n${"  AND age <> 90\n".repeat(30)};`;
    const { text } = summarizeLines(linesOf(long), { ...OPTIONS, savesTokens: false });
    expect(text).toMatch(/^User: .* …$/);
  });

  test("quotes a row with its header, and a short lead-in with what follows", () => {
    const table = "The loads are:\n\nhost | load\n-----+-----\nalpha | 71\nbeta | 93\n(2 rows)";
    for (let maxTokens = 3; maxTokens < 40; maxTokens++) {
      const lines = linesOf(table, "Then the order is:\n1. Call Ida.\n2. Restart beta.");
      const { text } = summarizeLines(lines, { ...OPTIONS, maxTokens, savesTokens: false });
      if (/71|93/.test(text)) expect(text).toContain("host | load");
      if (text.includes("The loads are:")) expect(text).toMatch(/71|93/);
      if (text.includes("the order is:")) expect(text).toContain("Call Ida.");
    }
  });

  test("forgets nothing when a placed summary takes in one message after another", () => {
    const facts = [
      "The invoice number is 4411 and Tomas signs it.",
      "Our flight to Lisbon leaves at 07:45 from gate B12.",
      "Maria is allergic to peanuts, so no satay.",
      "The budget for hotels is 900 euros.",
      "Deploy on Thursday 26 November, never on Friday.",
      "The spare key is with Mrs. Olsen, floor 3.",
    ];
    let placed: ExtractLine[] = [];
    for (const text of facts) {
      const said = linesOf(text, "Well then, that is good to know, and I will surely think of it.");
      const made = summarizeLines([...placed, ...said], OPTIONS).text;
      placed = [{ role: "summary", text: made, name: "", messageId: "s", seq: 0 }];
    }
    const [{ text } = { text: "" }] = placed;
    for (const kept of ["4411", "B12", "peanuts", "900", "26 November", "Olsen"]) {
      expect(text).toContain(kept);
    }
  });

  test("makes of placed summaries alone a text of half their length", () => {
    const placed = TALK.map((line): ExtractLine => ({ ...line, role: "summary" }));
    const { text } = summarizeLines(placed, OPTIONS);
    const bytes = TALK.reduce((sum, line) => sum + Buffer.byteLength(line.text), 0);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes / 2);
  });

  test("says less of what a text before it says already", () => {
    const lines = linesOf(
      "Our parrot Rico eats walnuts.",
      "Which other birds live there?",
      "Our canary Pip eats millet.",
    );
    const pick = (priorTexts: readonly string[]) =>
      summarizeLines(lines, { ...OPTIONS, priorTexts, maxTokens: 9 }).text;
    expect(pick(["The canary Pip eats millet."])).toContain("Rico");
    expect(pick(["The parrot Rico eats walnuts."])).toContain("Pip");
  });

  test("takes the sentences of a draft as well", () => {
    const { text } = summarizeLines(linesOf("The boat is called Frida.", "I see. ".repeat(30)), {
      ...OPTIONS,
      draft: "User: The harbor is in Malmö.",
    });
    expect(text).toBe("User: The harbor is in Malmö. The boat is called Frida.");
  });

  test("is shorter than what it stands for", () => {
    const bytes = TALK.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const { text } = summarizeLines(TALK, { ...OPTIONS, maxTokens: 16_384 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes / 2);
  });

  test("cuts a sentence when there is no room for a whole one", () => {
    const { text, sentences } = summarizeLines(linesOf(`${"walnut ".repeat(20)}`), {
      ...OPTIONS,
      maxTokens: 4,
    });
    expect(text).toBe("walnut walnut…");
    expect(sentences).toEqual([{ text: "walnut walnut", messageId: "m1", seq: 1 }]);
  });

  test("would rather cut what matters than keep what does not", () => {
    const lines = linesOf("My name is Anna Berg and I live in Bergen since 2019. It rains.");
    expect(summarizeLines(lines, OPTIONS).text).toMatch(/^My name is Anna Berg/);
  });

  test.each([[""], ["..."], [" \n "]])("has nothing to say of %j", (text) => {
    expect(summarizeLines(linesOf(text), OPTIONS)).toEqual({ text: "", sentences: [] });
  });

  test.each(["ok", "👍", "是", "It is what it is."])(
    "keeps %j when there is nothing else",
    (text) => {
      expect(summarizeLines(linesOf(text), OPTIONS).sentences).toHaveLength(1);
    },
  );
});
