import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readSet } from "./read-set.ts";
import { setDateMs } from "./set-dates.ts";

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe("setDateMs", () => {
  test("reads the dates of every set as UTC", () => {
    expect(setDateMs("1:56 pm on 8 May, 2023")).toBe(Date.UTC(2023, 4, 8, 13, 56));
    expect(setDateMs("12:05 am on 31 December, 2022")).toBe(Date.UTC(2022, 11, 31, 0, 5));
    expect(setDateMs("March-15-2024")).toBe(Date.UTC(2024, 2, 15));
    expect(setDateMs("2023-10-01 06:25")).toBe(Date.UTC(2023, 9, 1, 6, 25));
    expect(setDateMs("2023-10-01")).toBe(Date.UTC(2023, 9, 1));
    expect(setDateMs("2023/05/20 (Sat) 02:21")).toBe(Date.UTC(2023, 4, 20, 2, 21));
    expect(setDateMs("some day in May")).toBe(0);
    expect(setDateMs("Foo-15-2024")).toBe(0);
  });
});

describe("the project's own format", () => {
  const entries = [
    {
      id: "c1",
      turns: [
        {
          id: "1",
          sess: 1,
          date: "March-15-2024",
          speaker: "user",
          text: "A tea? ->-> 1,1",
          cap: "",
        },
        { id: "2", sess: 1, date: "March-15-2024", speaker: "assistant", text: "Yes." },
        { id: "3", sess: 2, date: "March-16-2024", speaker: "user", text: "Look", cap: "a cup" },
      ],
      qa: [
        { q: "Which drink?", cat: "facts", ev: [2, 0, 2, 9] },
        { q: "Lost?", cat: "facts", ev: [] },
        { q: "Swapped?", cat: 5, ev: [1] },
      ],
    },
  ];

  test("has roles, captions, clean texts, and evidence that is there", () => {
    const set = readSet("own", bytesOf(entries));
    expect(set.format).toBe("own");
    expect(set.leftOutCount).toBe(1);
    const [conversation] = set.conversations;
    expect(conversation?.turns).toEqual([
      { session: "1", timeMs: Date.UTC(2024, 2, 15), role: "user", author: "", text: "A tea?" },
      { session: "1", timeMs: Date.UTC(2024, 2, 15), role: "assistant", author: "", text: "Yes." },
      { session: "2", timeMs: Date.UTC(2024, 2, 16), role: "user", author: "", text: "Look a cup" },
    ]);
    expect(conversation?.questions).toEqual([
      {
        ...{ query: "Which drink?", category: "facts", isMain: true, evidence: [0, 2] },
        askedMs: undefined,
      },
      {
        ...{ query: "Swapped?", category: "5", isMain: false, evidence: [1] },
        askedMs: undefined,
      },
    ]);
  });

  test("may be packed", () => {
    expect(readSet("own", gzipSync(bytesOf(entries))).conversations).toHaveLength(1);
  });

  test("gives two people the parts of user and assistant, and more people that of users", () => {
    const of = (speakers: readonly string[]): string[] => {
      const turns = speakers.map((speaker) => ({ sess: 1, date: "", speaker, text: "x" }));
      const set = readSet("own", bytesOf([{ id: "c", turns, qa: [] }]));
      return (set.conversations[0]?.turns ?? []).map(({ role, author }) => `${role}:${author}`);
    };
    expect(of(["Ann", "Bo", "Ann"])).toEqual(["user:Ann", "assistant:Bo", "user:Ann"]);
    expect(of(["sms", "call", "note"])).toEqual(["user:sms", "user:call", "user:note"]);
  });
});

describe("LoCoMo", () => {
  test("reads sessions in order, and evidence with its misprints", () => {
    const set = readSet(
      "locomo10.json",
      bytesOf([
        {
          sample_id: "conv-1",
          conversation: {
            ...{ speaker_a: "Ann", speaker_b: "Bo" },
            ...{ session_10_date_time: "9:00 am on 2 June, 2023", session_11_date_time: "lost" },
            session_10: [{ speaker: "Bo", dia_id: "D10:1", text: "Late", blip_caption: "a dog" }],
            ...{ session_2_date_time: "9:00 am on 1 June, 2023" },
            session_2: [
              { speaker: "Ann", dia_id: "D2:1", text: "Early" },
              { speaker: "Bo", dia_id: "D2:2", text: "Yes" },
            ],
          },
          qa: [
            { question: "Who?", category: 1, evidence: ["D2:1; D10:01", "D:2:2", "D2:1"] },
            { question: "None?", category: 2, evidence: ["D", "D9:9"] },
            { question: "Swapped?", category: 5, evidence: ["D2:02"] },
          ],
        },
      ]),
    );
    expect(set.format).toBe("locomo");
    expect(set.leftOutCount).toBe(1);
    const [conversation] = set.conversations;
    expect(conversation?.turns.map(({ text, role, author }) => [text, role, author])).toEqual([
      ["Early", "user", "Ann"],
      ["Yes", "assistant", "Bo"],
      ["Late a dog", "assistant", "Bo"],
    ]);
    expect(conversation?.turns[2]?.timeMs).toBe(Date.UTC(2023, 5, 2, 9));
    const asked = conversation?.questions.map(({ evidence, isMain }) => [evidence, isMain]);
    expect(asked).toEqual([
      [[0, 1, 2], true],
      [[1], false],
    ]);
  });
});

describe("LongMemEval", () => {
  const entry = {
    ...{ question_id: "q1", question_type: "temporal-reasoning", question: "When?" },
    question_date: "2023/05/30 (Tue) 23:40",
    haystack_session_ids: ["s1", "answer_1"],
    haystack_dates: ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
    haystack_sessions: [
      [{ role: "user", content: "Hello" }],
      [
        { role: "user", content: "I moved", has_answer: true },
        { role: "assistant", content: "Nice", has_answer: false },
        { role: "user", content: "Yes", has_answer: false },
      ],
    ],
    answer_session_ids: ["answer_1"],
  };

  test("makes a conversation of each question", () => {
    const set = readSet("longmemeval_s.json", bytesOf([entry]));
    expect(set.format).toBe("longmemeval");
    const [conversation] = set.conversations;
    expect(conversation?.turns).toHaveLength(4);
    expect(conversation?.turns[1]).toEqual({
      ...{ session: "1-answer_1", timeMs: Date.UTC(2023, 4, 21, 10) },
      ...{ role: "user", author: "", text: "I moved" },
    });
    expect(conversation?.questions).toEqual([
      {
        ...{ query: "When?", category: "temporal-reasoning", isMain: true, evidence: [1] },
        askedMs: Date.UTC(2023, 4, 30, 23, 40),
      },
    ]);
  });

  test("falls back on the sessions of the answer, and leaves out what has none", () => {
    const sessions = entry.haystack_sessions.map((turns) =>
      turns.map(({ role, content }) => ({ role, content })),
    );
    const bare = { ...entry, haystack_sessions: sessions };
    const absent = { ...entry, question_id: "q1_abs" };
    const set = readSet("longmemeval_s.json", bytesOf([bare, absent]));
    expect(set.conversations[0]?.questions[0]?.evidence).toEqual([1, 3]);
    expect(set.conversations[1]?.questions).toEqual([]);
    expect(set.leftOutCount).toBe(1);
  });
});

test("refuses what is no set", () => {
  expect(() => readSet("x.json", bytesOf({}))).toThrow("x.json is not a list");
  expect(() => readSet("x.json", bytesOf([{ rows: [] }]))).toThrow("no format that is known");
});
