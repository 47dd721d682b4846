package io.tickwheel.store.file.query;

import io.tickwheel.store.Answer;

/** Takes answers that were found out, and gives them once the log is accepted up to an LSN. */
public interface AnswerSink {

    <T> void add(long lsn, Answer<T> answer, T result);
}
