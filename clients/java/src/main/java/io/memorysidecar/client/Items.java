package io.memorysidecar.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The items of a list. Page after page is fetched while they are read. */
public interface Items<T> extends Iterable<T> {
  /** The items as a stream. */
  default Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /**
   * Makes the items of any list of the contract:
   *
   * <pre>{@code
   * Items.of(client.tasks()::listTasks, ListTasksRequest.getDefaultInstance(), ListTasksResponse::getTasksList)
   * }</pre>
   */
  static <Q extends Message, A extends Message, T> Items<T> of(
      Function<Q, A> list, Q request, Function<A, List<T>> items) {
    return () -> new PageIterator<>(list, request, items);
  }

  /** Goes through the pages of one list. */
  final class PageIterator<Q extends Message, A extends Message, T> implements Iterator<T> {
    private final Function<Q, A> list;
    private final Function<A, List<T>> items;
    private Q request;
    private Iterator<T> page = Collections.emptyIterator();

    private PageIterator(Function<Q, A> list, Q request, Function<A, List<T>> items) {
      this.list = list;
      this.request = request;
      this.items = items;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && request != null) fetch();
      return page.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) throw new NoSuchElementException();
      return page.next();
    }

    @SuppressWarnings("unchecked")
    private void fetch() {
      A answer = list.apply(request);
      page = items.apply(answer).iterator();
      Object token = answer.getField(field(answer, "next_page_token"));
      request =
          token.equals("")
              ? null
              : (Q) request.toBuilder().setField(field(request, "page_token"), token).build();
    }

    private static FieldDescriptor field(Message message, String name) {
      return message.getDescriptorForType().findFieldByName(name);
    }
  }
}
