package io.tickwheel.store.file;

import io.tickwheel.store.TimerView;

/**
 * A timer as it stands in a store that nobody has open: live, and then pending, or dead.
 *
 * @param view what it is
 * @param content what it delivers, as it was scheduled
 */
public record StoredTimer(TimerView view, byte[] content) {}
