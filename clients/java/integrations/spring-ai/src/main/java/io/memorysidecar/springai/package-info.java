/**
 * Memory Sidecar for Spring AI: a repository for chat memories, and a chat memory whose window the
 * server keeps. Each takes a client that it never closes.
 */
package io.memorysidecar.springai;
