/**
 * Programs that hold promises of queues, plans and leases against real processes, which are killed and stopped, with a ledger outside. They must not
 * know the engine: all they see is what comes over HTTP.
 */
@NullMarked
package io.tickwheel.benchmarks.proof;

import org.jspecify.annotations.NullMarked;
