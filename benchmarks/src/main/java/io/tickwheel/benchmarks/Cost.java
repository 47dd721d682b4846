package io.tickwheel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** What this process has spent, ended threads included: time, time on processors, and bytes written to disk. */
record Cost(long nanos, long cpuNanos, long bytesWritten) {

    static Cost now() throws IOException {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Cost(System.nanoTime(), system.getProcessCpuTime(), ProcessIo.bytesWritten());
    }

    static Cost since(Cost earlier) throws IOException {
        return now().minus(earlier);
    }

    Cost plus(Cost other) {
        return new Cost(nanos + other.nanos, cpuNanos + other.cpuNanos, bytesWritten + other.bytesWritten);
    }

    private Cost minus(Cost earlier) {
        return new Cost(nanos - earlier.nanos, cpuNanos - earlier.cpuNanos, bytesWritten - earlier.bytesWritten);
    }

    double perSecond(long count) {
        return count * 1e9 / nanos;
    }
}
