/**
 * The settings of a server: where they are read, from a file and the environment, and the immutable values that they become. What
 * breaks a rule ends the start, with a {@link io.tickwheel.server.config.StartException} that names the setting, the value and the
 * rule. Used before a server runs, on the thread that starts it; knows no server, no HTTP and no command line.
 */
@NullMarked
package io.tickwheel.server.config;

import org.jspecify.annotations.NullMarked;
