package io.tickwheel.store.file;

import org.jspecify.annotations.Nullable;

/** The place of one timer in one {@link TimerList}. */
final class TimerLink {

    final StoredTimer timer;

    @Nullable
    TimerLink previous;

    @Nullable
    TimerLink next;

    @Nullable
    TimerList list;

    TimerLink(StoredTimer timer) {
        this.timer = timer;
    }
}
