// Everything that the package offers.

export { SidecarSession, type SidecarSessionOptions } from "./session.ts";
