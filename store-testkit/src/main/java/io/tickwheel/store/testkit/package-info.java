/**
 * What every store is tested with, never published: {@link io.tickwheel.store.testkit.CalendarContract}, which each calendar extends by a
 * test, and {@link io.tickwheel.store.testkit.SimulatedDisk}, a file system in memory that crashes and fails on command. A disk belongs to
 * one test and most of it to one thread at a time. Nothing here knows the engine or any one store.
 */
@NullMarked
package io.tickwheel.store.testkit;

import org.jspecify.annotations.NullMarked;
