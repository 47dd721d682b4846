/** Files that nobody but their owner may read, and files that are there as a whole or not at all. Knows nothing of what is in them. */
@NullMarked
package io.tickwheel.server.files;

import org.jspecify.annotations.NullMarked;
