package io.tickwheel.server.cli;

/** How a command ended, and what it wrote. */
public record Ended(int code, String output, String error) {}
