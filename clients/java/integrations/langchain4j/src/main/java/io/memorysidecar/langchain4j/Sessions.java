package io.memorysidecar.langchain4j;

import io.memorysidecar.v1.Session;
import java.util.function.Function;

/** Sessions of memory ids. */
final class Sessions {
  private Sessions() {}

  static Session attributes(Function<Object, Session> attributes, Object memoryId) {
    Session session = attributes.apply(memoryId);
    return session.getSessionId().isEmpty()
        ? session.toBuilder().setSessionId(String.valueOf(memoryId)).build()
        : session;
  }
}
