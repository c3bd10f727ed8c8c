// Reads a set of conversations: see ../README.md for its format.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { MessageFields } from "../../clients/typescript/src/index.ts";

/** One conversation of a set, ready to be appended. */
export interface SetConversation {
  readonly id: string;
  readonly messages: readonly MessageFields[];
  /** Turns whose date could not be read; they have no sent time. */
  readonly undated: number;
}

interface Turn {
  readonly id?: unknown;
  readonly sess?: unknown;
  readonly date?: unknown;
  readonly speaker?: unknown;
  readonly text?: unknown;
  readonly cap?: unknown;
}

const GZIP_MAGIC = [0x1f, 0x8b];

/** Says whether a file is gzip data, by its first bytes. */
export function isGzip(path: string): boolean {
  const bytes = readFileSync(path);
  return GZIP_MAGIC.every((byte, index) => bytes[index] === byte);
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

function month(name: string | undefined): number {
  return MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase());
}

/**
 * Reads the dates that sets use, as UTC: `March-15-2024`, `1:56 pm on 8 May, 2023`, `2023-10-01
 * 06:25` and ISO 8601. Gives undefined for anything else.
 */
export function parseDate(text: string): Date | undefined {
  const spoken = /^(\d{1,2}):(\d{2}) *([ap]m) on (\d{1,2}) ([a-z]+),? (\d{4})$/i.exec(text);
  if (spoken) {
    const [, hour, minute, half, day, name, year] = spoken;
    const hours = (Number(hour) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
    return valid(Date.UTC(Number(year), month(name), Number(day), hours, Number(minute)), name);
  }
  const named = /^([a-z]+)-(\d{1,2})-(\d{4})$/i.exec(text);
  if (named) {
    const [, name, day, year] = named;
    return valid(Date.UTC(Number(year), month(name), Number(day)), name);
  }
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?Z?$/.exec(text);
  return iso ? valid(Date.parse(`${iso[1]}T${iso[2] ?? "00:00"}Z`)) : undefined;
}

function valid(ms: number, monthName = "jan"): Date | undefined {
  return Number.isNaN(ms) || month(monthName) < 0 ? undefined : new Date(ms);
}

/** Gives speakers their roles: the first other speaker is the user, the second the assistant. */
function roles(turns: readonly Turn[]): (speaker: string) => "user" | "assistant" {
  const others = [...new Set(turns.map((turn) => String(turn.speaker ?? "")))].filter(
    (speaker) => speaker !== "user" && speaker !== "assistant",
  );
  const assistant = others[1];
  return (speaker) => (speaker === "assistant" || speaker === assistant ? "assistant" : "user");
}

function toConversation(id: string, turns: readonly Turn[]): SetConversation {
  const roleOf = roles(turns);
  const ids = new Set(turns.map((turn) => String(turn.id ?? "")));
  const haveIds = ids.size === turns.length && !ids.has("");
  let undated = 0;
  const messages = turns.map((turn): MessageFields => {
    const speaker = String(turn.speaker ?? "");
    const caption = String(turn.cap ?? "");
    const sentTime = parseDate(String(turn.date ?? ""));
    if (sentTime === undefined) undated++;
    return {
      messageId: haveIds ? String(turn.id) : "",
      role: roleOf(speaker),
      name: speaker === "user" || speaker === "assistant" ? "" : speaker,
      ...(caption === ""
        ? { text: String(turn.text ?? "") }
        : { parts: [{ text: String(turn.text ?? "") }, { text: `[image: ${caption}]` }] }),
      labels: { sess: String(turn.sess ?? "") },
      sentTime,
    };
  });
  return { id, messages, undated };
}

/** Reads a set. Throws when the file is not one. */
export function readSet(path: string): readonly SetConversation[] {
  const value: unknown = JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));
  if (!Array.isArray(value)) throw new Error(`${path} is not a set of conversations`);
  return value.map((entry: { id?: unknown; turns?: unknown }, index) => {
    if (!Array.isArray(entry?.turns)) throw new Error(`conversation ${index + 1} has no turns`);
    return toConversation(String(entry.id ?? index + 1), entry.turns);
  });
}
