package io.tickwheel.engine;

/**
 * A bulk run as it stood at one moment, whichever node does its work. Immutable and thread-safe.
 *
 * @param id names it
 * @param request what was asked for
 * @param progress how far it had come; on a store that nodes share, as its node has written it last, about a second ago
 */
public record BulkView(String id, BulkRequest request, BulkProgress progress) {}
