// The formats of other systems.
//
// What becomes of what, and what is lost:
//
// - Fields of a message that the tables below do not name, and every way of writing one that is not
//   the usual one, are left over: they are kept in the message's metadata under the name of the
//   format, or, when they are large, as a provider payload, and come back with an export in that
//   format. After a change of the message only unknown fields do.
// - Numbers are doubles, as JSON has them; the order of keys and the form of numbers are not kept.
// - Text that is no Unicode (lone surrogates) is replaced.
// - A document holds the window. What left it, seqs, labels, token counts, writers and the past of
//   the window are in native snapshots only. Inserts of the window are written as messages.
// - Messages of a session that came from elsewhere are written as the format can: parts it has no
//   form for as text, provider payloads not at all.
//
// selectools  max_messages, max_tokens -> the preset of that name; summary; messages. Tool calls
//             without id get one (`call-0`); content_parts and image_base64 -> parts. A head that
//             is unsafe leaves the window and stays in the log.
// lauren      messages, summary. Blocks of text, images, results -> parts; tool_use -> tool calls;
//             blocks of other types (thinking) -> provider payload `lauren`.
// definable   entries by created_at -> messages, sent_time; role summary -> placed summary;
//             user_id -> user. Lost: what an entry of role summary says beside text, id and time;
//             its time below a millisecond.
// marsys      messages; additional_state -> metadata of the session; structured_data; tool calls
//             and agent calls of others than the assistant stay fields. Lost: timestamp, and what
//             the document says beside these.

import type { SnapshotFormat } from "../event.ts";
import { definable } from "./definable.ts";
import { lauren } from "./lauren.ts";
import { marsys } from "./marsys.ts";
import type { Format } from "./plain.ts";
import { selectools } from "./selectools.ts";

/** The formats by name. */
export const FORMATS: Readonly<Record<Exclude<SnapshotFormat, "native">, Format>> = {
  selectools,
  lauren,
  definable,
  marsys,
};
