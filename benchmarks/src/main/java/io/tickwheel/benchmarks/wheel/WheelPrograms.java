package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.wheel.WheelProgram.Situation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The programs that measure the wheel, with the options they take. */
public final class WheelPrograms {

    /** For {@code --help}. */
    public static final String USAGE = """
              wheel-pair      replace a random timer: cancel one, schedule one, at a standing population
                              --timers 1000,100000,1000000,10000000 --threads 1,2 --two-threads-at 1000,1000000
                              --warm-up-ms 1000 --measured-ms 1200 --rounds 3 --gc auto|G1|Parallel
              wheel-paced     the same at a steady rate, which leaves the processors idle in between
                              --rate 200000 --timers 1000000 --warm-up-seconds 4 --seconds 5 --rounds 3
              wheel-fire      a million timers due within 10 ms
                              --timers 1000000 --spread-ms 10 --ahead-ms 2000 --warm-ups 2 --fires 3 --rounds 2
                              --orders random,sequential (in which the timers, as scheduled, come due)
              wheel-memory    bytes per pending timer; on JDK 25 also with compact headers
                              --timers 100000,1000000 --rounds 1
              wheel-idle      wake-ups and processor time with nothing to do
                              --timers 0,1000 --seconds 20 --rounds 2
              wheel-lateness  how late timers run at a steady rate, alone and beside a million others
                              --rate 20000 --seconds 5 --background 0,1000000 --rounds 2
              wheel-pauses    the longest single steps while a million timers fire within 8 s
                              --timers 1000000 --within-seconds 8 --rate 10000 --rounds 2
              wheel-probe     how late a timer of 1 ms is while a million others fire within 8 s, and how long its schedule call takes
                              --timers 1000000 --within-seconds 8 --orders random,sequential --rounds 2
              charts          draws what the wheel programs measured
                              --charts docs/charts --only TEXT
                              (a part of the names of the charts)
              jmh             the same pairs and the expiry of single-threaded wheels as JMH benchmarks, with JMH's options
                              -p contender=a,b,c -p timers=1000,1000000 -t 2

            The wheel programs fork a JVM for every figure. All take --contenders a,b,c, --java HOME (of the forks), --quick
            (a smoke run), and --results DIR for the figures as comma-separated values, which charts reads.
            """;

    private static final String FACILITIES =
            "floor,tickwheel,tickwheel-1,tickwheel-netty,netty,netty-64k,netty-default,kafka,stpe,fjp";
    private static final String HEAPS = "timer,delay-queue";
    private static final String DRIVEN = "hierarchical,hashed,long,long-tasks,agrona,agrona-map";
    private static final int MILLION = 1_000_000;
    private static final int COMPACT_HEADERS = 25;

    private final String name;
    private final Options options;
    private final boolean quick;
    private final ForkJvm jvm;
    private final Path results;

    private WheelPrograms(String name, Options options) throws IOException {
        this.name = name;
        this.options = options;
        quick = options.flag("quick");
        jvm = ForkJvm.at(options.text("java", System.getProperty("java.home")));
        results = results(options);
    }

    /** Returns the program of that name, if it is one of these. */
    public static Optional<LoadProgram> named(String name, Options options) throws IOException {
        if (name.equals("charts")) {
            return Optional.of(ChartsProgram.of(results(options), options));
        }
        return switch (name) {
            case "wheel-pair" -> Optional.of(new WheelPrograms(name, options).pair());
            case "wheel-paced" -> Optional.of(new WheelPrograms(name, options).paced());
            case "wheel-fire" -> Optional.of(new WheelPrograms(name, options).fire());
            case "wheel-memory" -> Optional.of(new WheelPrograms(name, options).memory());
            case "wheel-idle" -> Optional.of(new WheelPrograms(name, options).idle());
            case "wheel-lateness" -> Optional.of(new WheelPrograms(name, options).lateness());
            case "wheel-probe" -> Optional.of(new WheelPrograms(name, options).probe());
            case "wheel-pauses" -> Optional.of(new WheelPrograms(name, options).pauses());
            default -> Optional.empty();
        };
    }

    private WheelProgram pair() {
        List<WheelContender> contenders = contenders(FACILITIES + "," + DRIVEN);
        List<WheelContender> threaded =
                contenders.stream().filter(contender -> !contender.isDriven()).toList();
        List<Integer> sizes = options.numbers("timers", quick ? "1000,100000" : "1000,100000,1000000,10000000");
        List<Integer> sizesOfTwo = options.numbers("two-threads-at", quick ? "1000" : "1000,1000000");
        List<Integer> threads = options.numbers("threads", "1,2");
        String warmUp = options.text("warm-up-ms", quick ? "300" : "1000");
        String measured = options.text("measured-ms", quick ? "300" : "1200");
        String collector = options.text("gc", "auto");
        List<Situation> situations = new ArrayList<>();
        for (int count : threads) {
            for (int timers : count == 1 ? sizes : sizesOfTwo) {
                situations.add(new Situation(
                        count(timers) + " timers, " + count + (count == 1 ? " thread" : " threads"),
                        List.of(
                                "--timers",
                                Integer.toString(timers),
                                "--threads",
                                Integer.toString(count),
                                "--warm-up-ms",
                                warmUp,
                                "--measured-ms",
                                measured),
                        List.of(
                                collector(collector, timers),
                                timers > MILLION ? "-Xms8g" : "-Xms4g",
                                timers > MILLION ? "-Xmx8g" : "-Xmx4g"),
                        count == 1 ? contenders : threaded));
            }
        }
        return program("""
                A random timer of a standing population is cancelled and a new one scheduled in its place; delays 1 s to 1 h.
                Wall: of the threads that do it. CPU: of the whole process, its collector and timer thread included.
                What is alone has no thread of its own and no lock; it advances whenever its millisecond has changed.
                Floor: a node, a look at the clock, one compare-and-set; what the contenders cost above it is their own.
                """, situations, 3, false);
    }

    private WheelProgram paced() {
        List<WheelContender> contenders = contenders("floor,tickwheel,tickwheel-netty,netty,netty-64k,stpe");
        int rate = options.number("rate", quick ? 50_000 : 200_000);
        int timers = options.number("timers", quick ? 100_000 : MILLION);
        String warmUp = options.text("warm-up-seconds", quick ? "1" : "4");
        String seconds = options.text("seconds", quick ? "1" : "5");
        Situation situation = new Situation(
                count(rate) + " pairs/s beside " + count(timers) + " timers",
                List.of(
                        "--rate",
                        Integer.toString(rate),
                        "--timers",
                        Integer.toString(timers),
                        "--warm-up-seconds",
                        warmUp,
                        "--seconds",
                        seconds),
                List.of("-XX:+UseParallelGC", "-Xms4g", "-Xmx4g", "-Xmn2g"),
                contenders);
        return program("""
                One thread replaces timers of a standing population at a steady rate, those of 100 us together, and sleeps in between.
                Delays are 1 s to 1 h. CPU is that of the whole process, the sleeps of the thread included, which the floor has too.
                """, List.of(situation), 3, false);
    }

    private WheelProgram fire() {
        List<WheelContender> contenders = contenders(
                "tickwheel,netty,netty-64k,netty-default,kafka,stpe,fjp," + HEAPS + ",hierarchical,hashed,long");
        String timers = options.text("timers", quick ? "100000" : "1000000");
        String spread = options.text("spread-ms", "10");
        String ahead = options.text("ahead-ms", quick ? "1000" : "2000");
        String warmUps = options.text("warm-ups", quick ? "1" : "2");
        String fires = options.text("fires", quick ? "1" : "3");
        List<Situation> situations = new ArrayList<>();
        for (String order : options.list("orders", "random,sequential")) {
            situations.add(new Situation(
                    count(Integer.parseInt(timers)) + " timers due within " + spread + " ms, " + order,
                    List.of(
                            "--timers",
                            timers,
                            "--spread-ms",
                            spread,
                            "--ahead-ms",
                            ahead,
                            "--warm-ups",
                            warmUps,
                            "--fires",
                            fires,
                            "--order",
                            order),
                    List.of("-XX:+UseParallelGC", "-Xms4g", "-Xmx4g", "-Xmn2g"),
                    contenders));
        }
        return program("""
                All timers are scheduled before the first is due, and share a task that counts. From the first to the last run;
                CPU of the whole process. Medians of warm turns in one JVM. What is alone is advanced over all of them at once.
                Agrona is left out: its slots are scanned for a free place, which takes O(n^2) when all are due at a moment.
                Order: whether timers that were scheduled one after the other come due so, or at random within the time.
                """, situations, 2, false);
    }

    private WheelProgram memory() {
        List<WheelContender> contenders = contenders(FACILITIES + "," + HEAPS + "," + DRIVEN);
        List<Situation> situations = new ArrayList<>();
        for (String timers : options.list("timers", quick ? "100000" : "100000,1000000")) {
            String label = count(Integer.parseInt(timers)) + " timers";
            List<String> arguments = List.of("--timers", timers);
            List<String> classic = List.of("-XX:+UseSerialGC", "-XX:-UseTLAB", "-Xms2g", "-Xmx2g");
            situations.add(new Situation(label + ", classic headers", arguments, classic, contenders));
            if (jvm.feature() >= COMPACT_HEADERS) {
                List<String> compact = new ArrayList<>(classic);
                compact.add("-XX:+UseCompactObjectHeaders");
                situations.add(new Situation(label + ", compact headers", arguments, compact, contenders));
            }
        }
        return program("""
                How much the heap grows for a pending timer, between two full collections, the facility itself included. The task
                is shared; the array of handles is taken off. Kafka's and java.util.Timer's tasks are objects of their own, as these ask for.
                """, situations, 1, false);
    }

    private WheelProgram idle() {
        List<WheelContender> contenders = contenders("tickwheel,netty,netty-default,kafka,stpe,fjp," + HEAPS);
        String seconds = options.text("seconds", quick ? "2" : "20");
        List<Situation> situations = new ArrayList<>();
        for (int timers : options.numbers("timers", "0,1000")) {
            situations.add(new Situation(
                    timers == 0 ? "no timer" : count(timers) + " timers due in an hour",
                    List.of("--timers", Integer.toString(timers), "--seconds", seconds),
                    List.of("-XX:+UseSerialGC", "-Xmx256m"),
                    contenders));
        }
        return program("""
                A facility that has fired one timer before is watched while nothing is due. Wake-ups and CPU are those of the
                threads that it started; beside them the CPU of the whole process. All contenders wait side by side, as they
                hardly disturb each other.
                """, situations, 2, true);
    }

    private WheelProgram lateness() {
        List<WheelContender> contenders = contenders("tickwheel,netty,netty-64k,netty-default,kafka,stpe,fjp," + HEAPS);
        String rate = options.text("rate", quick ? "5000" : "20000");
        String seconds = options.text("seconds", quick ? "1" : "5");
        List<Situation> situations = new ArrayList<>();
        for (int background : options.numbers("background", quick ? "0" : "0,1000000")) {
            String beside = background == 0 ? "alone" : "beside " + count(background) + " others";
            situations.add(new Situation(
                    count(Integer.parseInt(rate)) + " timers/s, " + beside,
                    List.of("--rate", rate, "--seconds", seconds, "--background", Integer.toString(background)),
                    List.of("-XX:+UseParallelGC", "-Xms4g", "-Xmx4g", "-Xmn2g"),
                    contenders));
        }
        return program("""
                Delays are 1 ms to 1 s in whole milliseconds. Late: from the time the schedule call began plus the delay, to the
                first line of the task. The others are due in one to two hours. A tick of 100 ms is not made for this: Netty's
                default is shown as what one gets without options.
                """, situations, 2, false);
    }

    private WheelProgram pauses() {
        List<WheelContender> contenders = contenders("floor,tickwheel,netty,netty-64k,kafka,stpe,fjp,timer," + DRIVEN);
        String timers = options.text("timers", quick ? "100000" : "1000000");
        String within = options.text("within-seconds", quick ? "2" : "8");
        String rate = options.text("rate", "10000");
        Situation situation = new Situation(
                count(Integer.parseInt(timers)) + " timers due within " + within + " s",
                List.of("--timers", timers, "--within-seconds", within, "--rate", rate),
                List.of("-XX:+UseParallelGC", "-Xms3g", "-Xmx3g", "-Xmn2g", "-XX:+AlwaysPreTouch"),
                contenders);
        return program("""
                The longest single calls: while timers are scheduled as fast as it goes, then at a steady rate while they fire;
                and of the advance, in slices of up to 1,000 timers, where it can be seen from outside. Collections are part of
                what they fall into: their sum is shown, and meant to be 0. The floor shows what the machine does to a thread.
                """, List.of(situation), 2, false);
    }

    private WheelProgram probe() {
        List<WheelContender> contenders = contenders("tickwheel,netty,netty-64k,kafka,stpe");
        String timers = options.text("timers", quick ? "100000" : "1000000");
        String within = options.text("within-seconds", quick ? "2" : "8");
        List<Situation> situations = new ArrayList<>();
        for (String order : options.list("orders", "random,sequential")) {
            situations.add(new Situation(
                    count(Integer.parseInt(timers)) + " timers due within " + within + " s, " + order,
                    List.of("--timers", timers, "--within-seconds", within, "--order", order),
                    List.of("-XX:+UseParallelGC", "-Xms3g", "-Xmx3g", "-Xmn2g", "-XX:+AlwaysPreTouch"),
                    contenders));
        }
        return program("""
                Every millisecond one thread schedules a probe, which is due a millisecond later, while the others come due. Late: from
                the time the schedule call began plus the millisecond, to the first line of the task.
                Order: whether timers that were scheduled one after the other come due so, or at random within the time.
                """, situations, 2, false);
    }

    private WheelProgram program(String about, List<Situation> situations, int rounds, boolean allAtOnce) {
        return new WheelProgram(
                name, about, situations, options.number("rounds", quick ? 1 : rounds), allAtOnce, jvm, results);
    }

    private List<WheelContender> contenders(String otherwise) {
        return options.list("contenders", otherwise).stream()
                .map(WheelContender::named)
                .filter(contender -> contender.firstJdk() <= jvm.feature())
                .toList();
    }

    private static Path results(Options options) {
        return Path.of(
                options.text("results", System.getProperty("tickwheel.benchmarks.results", "benchmark-results")));
    }

    /** G1 makes stores of young references into old objects dear, which hides what is measured in large populations. */
    private static String collector(String asked, int timers) {
        String collector = asked.equals("auto") ? (timers >= MILLION ? "Parallel" : "G1") : asked;
        return "-XX:+Use" + collector + "GC";
    }

    private static String count(int number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
