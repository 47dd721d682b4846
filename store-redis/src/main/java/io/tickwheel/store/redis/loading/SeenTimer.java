package io.tickwheel.store.redis.loading;

/** A pending timer that a call has seen. */
public record SeenTimer(byte[] member, long dueAtMs, int contentBytes) {}
