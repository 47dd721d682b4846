package io.tickwheel.benchmarks;

/** One load program, with its options taken. */
interface LoadProgram {
    void run(DataDirectory data) throws Exception;
}
