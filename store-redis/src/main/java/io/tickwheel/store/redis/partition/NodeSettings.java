package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import java.time.Duration;

/**
 * What a node was told about its work.
 *
 * @param durability of a command that does not ask for another level
 * @param lease for how long a partition or a claim is held without a word
 * @param timeout how long a command is tried
 * @param finishedRemembered how many finished timers are remembered, over all partitions
 */
public record NodeSettings(Durability durability, Duration lease, Duration timeout, int finishedRemembered) {}
