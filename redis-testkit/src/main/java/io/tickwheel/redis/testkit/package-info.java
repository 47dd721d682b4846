/**
 * Real Redis servers for tests, never published: processes alone, with replicas and sentinels, or as a cluster, that can be killed, stopped
 * and cut off. Each belongs to the test that started it, which closes it; none outlives the JVM. Nothing here knows Tickwheel.
 */
@NullMarked
package io.tickwheel.redis.testkit;

import org.jspecify.annotations.NullMarked;
