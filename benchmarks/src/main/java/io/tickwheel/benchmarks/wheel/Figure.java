package io.tickwheel.benchmarks.wheel;

/**
 * One figure of one round.
 *
 * @param program the program that measured it
 * @param jdk the feature release it was measured on
 * @param situation what the contenders were put in, for example a million timers
 * @param contender the label of the contender
 * @param measure what was measured, with its unit at the end
 * @param round counts from 1
 */
record Figure(String program, int jdk, String situation, String contender, String measure, int round, double value) {}
