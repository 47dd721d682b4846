/**
 * For the tests of programs that use Tickwheel: a clock that moves when it is told to ({@link io.tickwheel.testkit.ManualClock}), threads that
 * are carried out on the caller's one ({@link io.tickwheel.testkit.ManualThreads}), and a store in memory
 * ({@link io.tickwheel.testkit.MemoryTimerStore}). A test drives all of it from one thread. Nothing here needs a test library.
 */
@NullMarked
package io.tickwheel.testkit;

import org.jspecify.annotations.NullMarked;
