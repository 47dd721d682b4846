/**
 * What targets of message queues have in common: how a timer becomes a message, and how options are read. Knows no broker and does no I/O; the mapping is in
 * {@code docs/targets/messages.md}.
 */
@NullMarked
package io.tickwheel.target.message;

import org.jspecify.annotations.NullMarked;
