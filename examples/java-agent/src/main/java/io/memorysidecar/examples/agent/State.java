package io.memorysidecar.examples.agent;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import java.util.function.UnaryOperator;

/** State that outlives the process; the conversation itself is on the server. */
final class State {
  /**
   * The state at one time.
   *
   * @param turn the first turn that is not done
   * @param resumeToken where the watch resumes; empty before its first answer
   * @param revision the revision of the last event before that place
   * @param index the place of that event in its revision
   */
  record Data(int turn, String resumeToken, long revision, int index) {
    boolean isBefore(long otherRevision, int otherIndex) {
      return otherRevision > revision || (otherRevision == revision && otherIndex > index);
    }

    Data withTurn(int next) {
      return new Data(next, resumeToken, revision, index);
    }

    Data withToken(String token) {
      return new Data(turn, token, revision, index);
    }
  }

  private final Path file;
  private Data data;

  private State(Path file, Data data) {
    this.file = file;
    this.data = data;
  }

  static State load(Path file) throws IOException {
    Properties stored = new Properties();
    if (Files.exists(file)) {
      try (Reader reader = Files.newBufferedReader(file)) {
        stored.load(reader);
      }
    }
    return new State(file, new Data(
        Integer.parseInt(stored.getProperty("turn", "1")),
        stored.getProperty("resumeToken", ""),
        Long.parseLong(stored.getProperty("revision", "0")),
        Integer.parseInt(stored.getProperty("index", "0"))));
  }

  synchronized Data get() {
    return data;
  }

  /** Stores the change before it returns: a move replaces the file whole. */
  synchronized void change(UnaryOperator<Data> apply) throws IOException {
    data = apply.apply(data);
    Properties stored = new Properties();
    stored.setProperty("turn", String.valueOf(data.turn()));
    stored.setProperty("resumeToken", data.resumeToken());
    stored.setProperty("revision", String.valueOf(data.revision()));
    stored.setProperty("index", String.valueOf(data.index()));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (Writer writer = Files.newBufferedWriter(fresh)) {
      stored.store(writer, null);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
