package io.memorysidecar.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memorysidecar.v1.ListSessionsRequest;
import io.memorysidecar.v1.Session;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers of tests that run at the same time. */
class TestServerTest {
  @Test
  void keepsItsAddressAndItsStoreOverARestart() {
    try (TestServer server = TestServer.start()) {
      String address = server.address();
      server.client().ensureSession(Session.newBuilder().setSessionId("kept").build());
      server.kill();
      server.restart();
      assertEquals(address, server.address());
      var sessions = server.client().listSessions(ListSessionsRequest.getDefaultInstance());
      assertEquals(1, sessions.stream().count());
    }
  }

  @Test
  void takesNoServerOfAnotherTestForItsOwn(@TempDir Path folder) {
    try (TestServer other = TestServer.start()) {
      var server = new TestServer(folder, other.port());
      var error = assertThrows(IllegalStateException.class, server::restart);
      assertTrue(error.getMessage().contains("EADDRINUSE"), error.getMessage());
    }
  }
}
