package io.tickwheel.benchmarks.proof;

import java.time.Duration;

/** Plans that differ in what becomes of runs that are missed, or due while another goes on. */
enum PlanKind {
    RATE_ALL("\"every\":\"400ms\",\"misfire\":\"all\",\"overlap\":\"allow\"", 400, 0, false, false),
    RATE_ONCE("\"every\":\"500ms\",\"overlap\":\"allow\"", 500, 0, true, false),
    RATE_SKIP("\"every\":\"1s\",\"misfire\":\"skip\",\"overlap\":\"allow\"", 1_000, 0, true, false),
    CRON_ALL(
            "\"cron\":\"* * * * * *\",\"zone\":\"Europe/Berlin\",\"misfire\":\"all\",\"overlap\":\"allow\"",
            1_000,
            0,
            false,
            false),
    CRON_ONCE("\"cron\":\"* * * * * *\",\"zone\":\"UTC\"", 1_000, 0, true, true),
    WAITS("\"every\":\"700ms\",\"misfire\":\"all\",\"overlap\":\"queue\"", 700, 300, false, true),
    LEAVES_OUT("\"every\":\"300ms\"", 300, 450, true, true),
    DELAY("\"fixedDelay\":\"200ms\"", 0, 50, false, true);

    private final String schedule;
    private final long periodMs;
    private final long answerMs;
    private final boolean mayLeaveOut;
    private final boolean isOneAtATime;

    PlanKind(String schedule, long periodMs, long answerMs, boolean mayLeaveOut, boolean isOneAtATime) {
        this.schedule = schedule;
        this.periodMs = periodMs;
        this.answerMs = answerMs;
        this.mayLeaveOut = mayLeaveOut;
        this.isOneAtATime = isOneAtATime;
    }

    /** That of a key made by {@link #key}. */
    static PlanKind of(String key) {
        return valueOf(key.substring(0, key.indexOf('.')));
    }

    String key(int number) {
        return name() + "." + number;
    }

    String schedule() {
        return "{" + schedule + "}";
    }

    /** From one nominal time to the next; 0 of a fixed delay. */
    long periodMs() {
        return periodMs;
    }

    /** How long the receiver takes to answer. */
    Duration answersAfter() {
        return Duration.ofMillis(answerMs);
    }

    /** Whether there may be nominal times without a run. */
    boolean mayLeaveOut() {
        return mayLeaveOut;
    }

    /** Whether two of its runs must not go on at the same time. */
    boolean isOneAtATime() {
        return isOneAtATime;
    }
}
