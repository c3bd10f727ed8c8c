// Everything that the package offers.

export { type ChatAttributes, type LoadChatOptions, SidecarChatStore } from "./chats.ts";
export { type MemoryMiddlewareOptions, memoryMiddleware } from "./middleware.ts";
export { memoryTools } from "./tools.ts";
