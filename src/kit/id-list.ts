// Ids in answers: lists of them have a limit in number and one in bytes, since an id can be long.

import { LIMITS } from "./limits.ts";

/** Bytes of an id beside its own: a tag and a length of at most two bytes. */
const FRAME_BYTES = 3;

/** Bytes of an answer that a list of ids may still use. */
export interface IdRoom {
  count: number;
  bytes: number;
}

/** The room that one answer has for ids of a kind. */
export function idRoom(count: number): IdRoom {
  return { count, bytes: LIMITS.answerIdBytes };
}

/** Takes ids from the first one on as long as there is room for them. */
export function takeIds(ids: Iterable<string>, room: IdRoom): string[] {
  const taken: string[] = [];
  for (const id of ids) {
    const bytes = Buffer.byteLength(id) + FRAME_BYTES;
    if (room.count < 1 || room.bytes < bytes) break;
    room.count -= 1;
    room.bytes -= bytes;
    taken.push(id);
  }
  return taken;
}

/** Takes ids from the last one back as long as there is room; gives them in their order. */
export function takeNewestIds(ids: readonly string[], room: IdRoom): string[] {
  return takeIds(ids.toReversed(), room).reverse();
}
