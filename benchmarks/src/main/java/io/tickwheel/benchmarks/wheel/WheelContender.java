package io.tickwheel.benchmarks.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What can be measured: a facility with its own thread, or a wheel that its caller drives.
 *
 * @param name for the command line
 * @param label for tables and charts
 * @param firstJdk the first feature release of the JDK that has it
 */
record WheelContender(
        String name,
        String label,
        int firstJdk,
        @Nullable Supplier<TimerFacility> facility,
        @Nullable IntFunction<DrivenWheel> wheel) {

    private static final int ANY_JDK = 17;

    static final String FLOOR = "floor";

    private static final Set<String> OURS =
            Set.of("tickwheel", "tickwheel-1", "tickwheel-netty", "hierarchical", "hashed", "long", "long-tasks");

    static final List<WheelContender> ALL = List.of(
            facility(FLOOR, "floor", FloorFacility::new),
            facility("tickwheel", "Tickwheel WheelTimer", TickwheelFacility::byDefault),
            facility("tickwheel-1", "Tickwheel WheelTimer, 1 stripe", () -> TickwheelFacility.ofStripes(1)),
            facility("tickwheel-netty", "Tickwheel NettyWheelTimer", NettyFacility::ofTickwheel),
            facility("netty", "Netty 1 ms, 512 slots", () -> NettyFacility.hashed(1, 512)),
            facility("netty-64k", "Netty 1 ms, 65,536 slots", () -> NettyFacility.hashed(1, 1 << 16)),
            facility("netty-default", "Netty default (100 ms)", NettyFacility::byDefault),
            facility("kafka", "Kafka SystemTimer", KafkaFacility::asKafkaDoes),
            facility("stpe", "ScheduledThreadPoolExecutor", ExecutorFacility::threadPool),
            new WheelContender("fjp", "ForkJoinPool", 25, ExecutorFacility::forkJoinPool, null),
            facility("timer", "java.util.Timer", JdkTimerFacility::new),
            facility("delay-queue", "DelayQueue", DelayQueueFacility::new),
            driven("hierarchical", "HierarchicalWheel, alone", slots -> WheelOfTasks.hierarchical(slots, () -> {})),
            driven("hashed", "HashedWheel, alone", slots -> WheelOfTasks.hashed(slots, () -> {})),
            driven("long", "LongWheel, alone", WheelOfHandles::raw),
            driven(
                    "long-tasks",
                    "LongWheel, alone, array of tasks",
                    slots -> WheelOfHandles.withTasks(slots, () -> {})),
            driven("agrona", "Agrona, alone", AgronaWheel::raw),
            driven("agrona-map", "Agrona, alone, map to tasks", slots -> AgronaWheel.withTasks(slots, () -> {})));

    static WheelContender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contender " + name + ", only "
                        + ALL.stream().map(WheelContender::name).toList()));
    }

    /** Ours are made of Tickwheel's classes. */
    BarChart.Kind kind() {
        if (name.equals(FLOOR)) {
            return BarChart.Kind.FLOOR;
        }
        return OURS.contains(name) ? BarChart.Kind.OURS : BarChart.Kind.PEER;
    }

    boolean isDriven() {
        return wheel != null;
    }

    TimerFacility start() {
        if (facility == null) {
            throw new IllegalArgumentException(name + " has no thread of its own");
        }
        return facility.get();
    }

    DrivenWheel wheel(int slots) {
        if (wheel == null) {
            throw new IllegalArgumentException(name + " is not driven by its caller");
        }
        return wheel.apply(slots);
    }

    /** Timers that are never due while a program looks: {@code count} for each of {@code threads}. */
    List<TimerSlots> slots(int threads, int count) {
        if (isDriven()) {
            if (threads != 1) {
                throw new IllegalArgumentException(name + " has one thread, cannot take " + threads);
            }
            return List.of(new ClockedSlots(wheel(count)));
        }
        TimerFacility facility = start();
        Runnable task = () -> {};
        List<TimerSlots> slots = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            slots.add(new FacilitySlots(facility, task, count));
        }
        return slots;
    }

    private static WheelContender facility(String name, String label, Supplier<TimerFacility> facility) {
        return new WheelContender(name, label, ANY_JDK, facility, null);
    }

    private static WheelContender driven(String name, String label, IntFunction<DrivenWheel> wheel) {
        return new WheelContender(name, label, ANY_JDK, null, wheel);
    }
}
