// Ports through which use cases read and write the wire forms of messages without knowing them.

import type { Codec } from "../core/codec.ts";
import { encodeEvent, readEventErases, readEventSeqs } from "../events/wire.ts";
import { encodeRecordDocument, encodeSummaryDocument } from "../recall/documents/wire.ts";
import { readDetail, readSpeech } from "../session/detail-wire.ts";
import {
  appendText,
  encodeMade,
  readFacts,
  readTrust,
  shortenMessage,
} from "../session/facts-wire.ts";
import {
  changesOf,
  decodeMessage,
  draftOf,
  encodeMessage,
  mergeMessage,
} from "../session/message-wire.ts";

/** The wire forms that the service stores. */
export const CODEC: Codec = {
  encodeMessage,
  draftOf,
  readFacts,
  readDetail,
  readSpeech,
  shortenMessage,
  readTrust,
  appendText,
  encodeSummaryDocument,
  encodeRecordDocument,
  encodeMade,
  decodeMessage,
  changesOf,
  mergeMessage,
  encodeEvent,
  readEventSeqs,
  readEventErases,
};
