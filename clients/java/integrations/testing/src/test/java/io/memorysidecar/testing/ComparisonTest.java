package io.memorysidecar.testing;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The comparison finds differences of answers and of errors. */
class ComparisonTest {
  private static void compare(Function<Integer, Object> theirs, Function<Integer, Object> ours) {
    new Comparison<>(
            "LangChain4j (Java)",
            "embedding store",
            1000,
            random -> random.nextInt(10),
            () -> new Comparison.Pair<>(theirs, ours))
        .run();
  }

  private static Function<Integer, Object> throwing(RuntimeException error) {
    return number -> {
      if (number == 7) throw error;
      return number;
    };
  }

  private static void assertDiffers(Function<Integer, Object> ours, String shown) {
    var theirs = throwing(new IllegalArgumentException("id"));
    var error = assertThrows(AssertionError.class, () -> compare(theirs, ours));
    assertTrue(error.getMessage().contains("[7]"), error.getMessage());
    assertTrue(error.getMessage().contains(shown), error.getMessage());
  }

  @Test
  void takesErrorsOfOneKindAsTheSame() {
    compare(
        throwing(new IllegalArgumentException("id")), throwing(new IllegalArgumentException("id")));
  }

  @Test
  void tellsErrorsApart() {
    assertDiffers(throwing(new IllegalStateException("id")), "IllegalStateException");
    assertDiffers(throwing(new IllegalArgumentException("text")), "text");
    assertDiffers(number -> number, "ours:   7");
  }
}
