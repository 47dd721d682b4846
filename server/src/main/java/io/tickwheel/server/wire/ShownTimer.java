package io.tickwheel.server.wire;

import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerView;

/** A timer and what is certain about it. */
public record ShownTimer(TimerView timer, Durability durability) {}
