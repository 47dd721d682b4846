/**
 * Timers in a directory: {@link FileTimerStore} is the store that an engine opens, {@link StoreDirectory} what can be done to
 * its directory otherwise, and the records are what the latter gives. This package is all that other modules may use; what lies
 * in the packages below is the store's own, and knows of this package no more than its values.
 */
@NullMarked
package io.tickwheel.store.file;

import org.jspecify.annotations.NullMarked;
