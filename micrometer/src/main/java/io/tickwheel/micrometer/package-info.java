/** Counts, times and gauges of an engine in a registry of Micrometer; their names and meanings are in {@code docs/metrics.md}. */
@NullMarked
package io.tickwheel.micrometer;

import org.jspecify.annotations.NullMarked;
