package io.memorysidecar.testing;

import java.util.Locale;
import java.util.Random;

/** Vectors for tests of searches. */
public final class Vectors {
  private static final int SIZE = 64;

  private Vectors() {}

  /** A vector with this cosine to that of cosine 1, in a direction that the seed decides. */
  public static float[] at(double cosine, long seed) {
    var random = new Random(seed);
    double[] away = random.doubles(SIZE - 1, -1, 1).toArray();
    double length = 0;
    for (double value : away) length += value * value;
    double scale = Math.sqrt((1 - cosine * cosine) / length);
    float[] vector = new float[SIZE];
    vector[0] = (float) cosine;
    for (int at = 1; at < SIZE; at++) vector[at] = (float) (away[at - 1] * scale);
    return vector;
  }

  /** A vector of the letters of a text: texts with the same letters are near each other. */
  public static float[] ofLetters(String text) {
    float[] vector = new float[27];
    vector[26] = 0.5f;
    for (char letter : text.toLowerCase(Locale.ROOT).toCharArray()) {
      if (letter >= 'a' && letter <= 'z') vector[letter - 'a']++;
    }
    return vector;
  }
}
