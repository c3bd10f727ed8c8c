package io.memorysidecar.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import java.util.List;
import java.util.Locale;

/** An embedding model for tests: texts with the same letters are near each other. */
final class WordModel implements EmbeddingModel {
  static final WordModel INSTANCE = new WordModel();

  private WordModel() {}

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    return Response.from(segments.stream().map(one -> Embedding.from(vector(one.text()))).toList());
  }

  private static float[] vector(String text) {
    float[] vector = new float[27];
    vector[26] = 0.5f;
    for (char letter : text.toLowerCase(Locale.ROOT).toCharArray()) {
      if (letter >= 'a' && letter <= 'z') vector[letter - 'a']++;
    }
    return vector;
  }
}
