/** Who did what, as lines of files. Knows nothing of HTTP, and is told no payload and no secret. */
@NullMarked
package io.tickwheel.server.audit;

import org.jspecify.annotations.NullMarked;
