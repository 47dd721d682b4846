/** Load programs: each prints what it ran on, what it did and a table of medians. They assert nothing about time. */
@NullMarked
package io.tickwheel.benchmarks;

import org.jspecify.annotations.NullMarked;
