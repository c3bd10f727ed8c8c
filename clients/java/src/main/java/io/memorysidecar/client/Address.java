package io.memorysidecar.client;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a server: a host with a port, or the path of a Unix socket. */
record Address(String host, int port, Path socket) {
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[^\\s:/\\[\\]]+):(\\d{1,5})");
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[(::1|0:0:0:0:0:0:0:1)\\]");

  static Address parse(String text) {
    if (text.startsWith("unix:")) return ofSocket(text.substring("unix:".length()));
    if (text.matches("\\.{0,2}/.*")) return ofSocket(text);
    Matcher found = HOST_AND_PORT.matcher(text);
    int port = found.matches() ? Integer.parseInt(found.group(2)) : 0;
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "the address must be host:port, unix:/path or a path, not \"" + text + "\"");
    }
    return new Address(found.group(1), port, null);
  }

  private static Address ofSocket(String path) {
    return new Address("localhost", 0, Path.of(path).toAbsolutePath());
  }

  boolean isLocal() {
    return socket != null || LOOPBACK.matcher(host).matches();
  }
}
