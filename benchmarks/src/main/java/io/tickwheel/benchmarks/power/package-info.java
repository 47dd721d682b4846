/**
 * The programs behind {@code testkit/power-cut}: load on a store whose file system is about to lose its power, with a ledger
 * outside of it, and the judgement of that ledger.
 */
@NullMarked
package io.tickwheel.benchmarks.power;

import org.jspecify.annotations.NullMarked;
