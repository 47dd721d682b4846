/**
 * The {@code tickwheel} command and its subcommands, each a class that reads its arguments, does its work on the thread that
 * called it, and prints. A server is started through a function that {@code Main} hands in; nothing here knows the server, the HTTP
 * edge or an event loop.
 */
@NullMarked
package io.tickwheel.server.cli;

import org.jspecify.annotations.NullMarked;
