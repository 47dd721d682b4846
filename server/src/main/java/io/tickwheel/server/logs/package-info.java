/** How the log of the process looks: what of Logback is set by settings. Used before a server runs; knows no server and no HTTP. */
@NullMarked
package io.tickwheel.server.logs;

import org.jspecify.annotations.NullMarked;
