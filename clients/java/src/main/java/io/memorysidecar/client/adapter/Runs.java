package io.memorysidecar.client.adapter;

import io.memorysidecar.v1.SeqRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The seqs of a list in its order, as runs of rising seqs: {@code 1,5-40}. An empty text is an empty
 * list.
 */
final class Runs {
  /** More runs are stored as one, by appending the messages of the list again. */
  private static final int MAX_RUNS = 500;

  /** A session has 16,384 bytes of metadata, which are not for the list alone. */
  private static final int MAX_CHARS = 8_000;

  private Runs() {}

  /** Writes seqs; gives null when they are too scattered to be kept. */
  static String write(List<Long> seqs) {
    StringBuilder text = new StringBuilder();
    int runs = 0;
    for (int at = 0; at < seqs.size(); ) {
      int end = at;
      while (end + 1 < seqs.size() && seqs.get(end + 1) == seqs.get(end) + 1) end++;
      if (at > 0) text.append(',');
      text.append(seqs.get(at));
      if (end > at) text.append('-').append(seqs.get(end));
      runs++;
      at = end + 1;
    }
    return runs > MAX_RUNS || text.length() > MAX_CHARS ? null : text.toString();
  }

  /** Reads what {@link #write} wrote. */
  static List<SeqRange> read(String text) {
    List<SeqRange> runs = new ArrayList<>();
    if (text.isEmpty()) return runs;
    for (String run : text.split(",")) {
      String[] ends = run.split("-");
      runs.add(
          SeqRange.newBuilder()
              .setFirstSeq(Long.parseLong(ends[0]))
              .setLastSeq(Long.parseLong(ends[ends.length - 1]))
              .build());
    }
    return runs;
  }
}
