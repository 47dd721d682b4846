/** Spans of OpenTelemetry for the attempts of an engine; what they say is in {@code docs/tracing.md}. */
@NullMarked
package io.tickwheel.opentelemetry;

import org.jspecify.annotations.NullMarked;
