/** Certificates and keys in PEM files, for servers and for commands. Knows nothing of tokens and calls. */
@NullMarked
package io.tickwheel.server.tls;

import org.jspecify.annotations.NullMarked;
