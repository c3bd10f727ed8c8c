import type { DocumentFormat, ExportedWindow } from "../../service/snapshot-api.ts";
export async function* writeDocument(
  _format: DocumentFormat,
  _window: ExportedWindow,
): AsyncGenerator<Uint8Array> {}
