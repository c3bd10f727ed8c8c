// Everything that the package offers.

export { SidecarSessionStore, type TranscriptAttributes } from "./store.ts";
