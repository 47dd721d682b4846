/**
 * Runs a server as a process, kills it again and again while clients schedule, replace and cancel, and judges by a ledger of all
 * requests, answers and deliveries whether it kept its promises.
 */
@NullMarked
package io.tickwheel.server.crash;

import org.jspecify.annotations.NullMarked;
