package io.memorysidecar.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.memorysidecar.testing.Page;
import io.memorysidecar.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page runs with the packages that it names, and with what their POMs bring along. */
class SpringAiPageTest {
  @Test
  void runs() {
    try (TestServer server = TestServer.start()) {
      assertEquals(
          List.of(
              "Storks at the roof. [trip]", "true true true", "The stork is on the roof."),
          Page.run("spring-ai.md", server));
    }
  }
}
