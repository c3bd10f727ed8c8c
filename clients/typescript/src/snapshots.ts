// The methods of the client for snapshots.

import { CALL_OPTIONS, type CallOptions, given } from "./call.ts";
import { onlyOptions } from "./choice.ts";
import type { Session } from "./gen/memorysidecar/v1/session.ts";
import { SessionServiceService as Sessions } from "./gen/memorysidecar/v1/session_service.ts";
import type { SnapshotChunk } from "./gen/memorysidecar/v1/snapshot.ts";
import { HistoryMethods } from "./histories.ts";
import { IMPORT_OPTIONS, type ImportOptions } from "./options.ts";
import * as parts from "./snapshot-parts.ts";

/** Options of an export. */
export interface ExportOptions extends CallOptions {
  /** The format. Default `native`: everything the server knows of the session. */
  readonly format?: parts.FormatName | undefined;
}

const EXPORT_OPTIONS = { ...CALL_OPTIONS, format: true } as const;

/** Export and import. */
export class SnapshotMethods extends HistoryMethods {
  /**
   * Gives a snapshot of a session in chunks, all of one moment, which `importSession` takes. The
   * call begins with the first chunk, and its time is for all of them. It is repeated only before
   * the first chunk came.
   */
  async *exportSession(
    sessionId: string,
    opts: ExportOptions = {},
  ): AsyncGenerator<SnapshotChunk, void, undefined> {
    onlyOptions("exportSession", opts, EXPORT_OPTIONS);
    const format = opts.format ?? "native";
    const request = { ...this.session(sessionId, opts), format };
    for await (const { chunk } of this.stream(Sessions.exportSession, request, opts)) {
      yield given(chunk);
    }
  }

  /** Gives the window of a session as the JSON document of another system. */
  async exportDocument(
    sessionId: string,
    format: Exclude<parts.FormatName, "native">,
    opts: CallOptions = {},
  ): Promise<Buffer> {
    onlyOptions("exportDocument", opts, CALL_OPTIONS);
    const pieces: Uint8Array[] = [];
    for await (const { document } of this.exportSession(sessionId, { ...opts, format })) {
      pieces.push(document);
    }
    return Buffer.concat(pieces);
  }

  /**
   * Makes a session from the chunks of an export or from the document of another system. Sends
   * each chunk as it is, and a document in pieces of 1 MiB; the time is for each request. When the
   * server was restarted meanwhile, a snapshot that can be read anew is sent again.
   */
  async importSession(snapshot: parts.SnapshotInput, opts: ImportOptions = {}): Promise<Session> {
    onlyOptions("importSession", opts, IMPORT_OPTIONS);
    const { sessionId = "", format = "native", replace = false } = opts;
    const first = {
      ...this.change(opts),
      sessionId,
      format,
      replace,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await parts.upload(snapshot, first, (request) =>
          this.call(Sessions.importSession, request, opts),
        );
        return given(answer.session);
      } catch (error) {
        if (!parts.isForgotten(error) || attempt >= this.caller.retry.maxAttempts) throw error;
        if (!parts.isRepeatable(snapshot)) throw error;
      }
    }
  }
}
