package io.tickwheel.benchmarks;

/** One load program, with its options taken. */
public interface LoadProgram {
    void run(DataDirectory data) throws Exception;
}
