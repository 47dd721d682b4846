package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link SpawnCommand}.
 *
 * @param plan the timer whose claim has ended, as it stands now
 * @param run what became of the other one: {@code CREATED}, or {@code KEPT} when a live one stands under its key; null when none was wished
 */
public record Spawned(TimerView plan, @Nullable Scheduled run) {}
