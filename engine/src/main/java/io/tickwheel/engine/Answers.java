package io.tickwheel.engine;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Changed;
import io.tickwheel.store.StoreException;

/** Answers that nobody waits for. */
final class Answers {

    static final Answer<Changed> IGNORED = new Answer<>() {

        @Override
        public void accept(Changed result) {}

        @Override
        public void fail(StoreException reason) {}
    };

    private Answers() {}
}
