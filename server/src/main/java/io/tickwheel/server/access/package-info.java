/** Who may do what: tokens, what they allow, and how often a wrong one may be tried. Knows the engine, which keeps the tokens, and nothing of HTTP. */
@NullMarked
package io.tickwheel.server.access;

import org.jspecify.annotations.NullMarked;
