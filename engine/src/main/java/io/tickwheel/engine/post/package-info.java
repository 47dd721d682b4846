/**
 * What nodes say to each other about leases: letters, and the post that carries them. The loop writes and reads; threads of the store
 * bring what has come. Does not know what a letter brings about.
 */
@NullMarked
package io.tickwheel.engine.post;

import org.jspecify.annotations.NullMarked;
