/**
 * How many timers a second reach the brokers of message queues, each a real one in a process of its own. It knows the kinds of targets by their public
 * form only.
 */
@NullMarked
package io.tickwheel.benchmarks.messages;

import org.jspecify.annotations.NullMarked;
