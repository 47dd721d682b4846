package io.tickwheel.server;

import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerView;

/** A timer and what is certain about it. */
record ShownTimer(TimerView timer, Durability durability) {}
