package io.tickwheel.benchmarks;

import io.tickwheel.benchmarks.messages.IngressProgram;
import io.tickwheel.benchmarks.messages.MessagesProgram;
import io.tickwheel.benchmarks.power.PowerCut;
import io.tickwheel.benchmarks.proof.LeaseRateProgram;
import io.tickwheel.benchmarks.proof.LeasesProof;
import io.tickwheel.benchmarks.proof.PauseProof;
import io.tickwheel.benchmarks.proof.RecurrenceProof;
import io.tickwheel.benchmarks.wheel.WheelPrograms;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/** Runs one load program, named by the first argument. */
public final class Benchmarks {

    private static final String USAGE = """
            usage: benchmarks/run PROGRAM [--option value ...]

              embedded   durable schedules through the embedded API, against RocksDB
                         --timers 1000000 --seconds 3 --callers 1,16,64 --window 8192 --rounds 5 --contenders both
              calendar   the file store alone, driven by one loop
                         --timers 1000000 --turn 64 --rounds 5
              http       schedules over HTTP one by one and in batches, and callbacks
                         --requests 100000 --timers 500000 --callbacks 100000 --connections 64 --pipeline 16
                         --batch 1000 --rounds 5 --warm-up-seconds 10
                         --parts single,pipelined,batch,callbacks --store file (or redis, with --redis-server PATH)
              cold       the first seconds of a server: schedules one by one, and a steady rate of callbacks
                         --requests 30000 --connections 64 --rate 5000 --seconds 6 --rounds 5 --server-options ""
              hostile    callbacks beside timers of the same queue whose target treats connections badly
                         --rate 1000 --hostile-rate 1000 --seconds 20 --warm-up-seconds 40 --rounds 3
                         --manners never-accepts,hangs,trickles,resets,endless-headers,endless-body,redirects-to-itself
              overload   a server that is offered several times what it can do; fails when an accepted timer is lost
                         --seconds 300 --times 3 --connections 256 --pipeline 64 --calm-rate 200
                         --warm-up-seconds 60 --server-options "-Xmx1g"
              lateness   callbacks at a steady rate: how late they arrive
                         --rate 5000 --seconds 30 --rounds 3
              idle       a server that has nothing to do for an hour
                         --timers 100000 --seconds 30 --settle 15 --rounds 3
              recovery   from start to ready after kill -9
                         --timers 0,100000,1000000 --rounds 5

              store      many durable timers with delays of all magnitudes, against RocksDB
                         --timers 20000000 --peer-timers 2000000 --warm-up-timers 500000 --least-seconds 1
                         --most-days 60 --producers 2 --window 8192 --rounds 3 --contenders tickwheel,keyed,blind
              deliver    timers due within seconds, to a handler in this program, acknowledged durably
                         --timers 1000000 --spread-ms 2000 --warm-up-timers 200000 --producers 2 --window 8192
                         --attempts 256 --rounds 3
              restart    from opening a store after a halt or a clean end to the first delivery and answer, in new JVMs
                         --timers 10000000 --overdue 1000 --ends killed,closed --fill-options "-Xmx1g"
                         --open-options "-Xmx1g" --rounds 3
              amplification  bytes written in the whole life of a timer, with a clock that is put forward
                         --timers 5000000 --days 2,365 --steps 3000 --producers 2 --window 8192 --rounds 1
              storm      very many timers in one half hour and in one millisecond, in a small heap, beside fresh ones
                         --timers 5000000 --at-once 5000000 --spread-seconds 60 --fresh-a-second 1000
                         --jvm-options "-Xmx512m" --rounds 1
              store-callers  callers that wait for each timer, and how long answers take at a steady rate
                         --callers 1,16,64 --seconds 3 --rate 100000 --paced-seconds 10 --rounds 5
                         --contenders tickwheel,rocksdb
              neighbours  what queues that do not get on do to the others: no target, targets that hang or are down, large payloads
                         --stuck-queues 1000 --overdue 10000 --hanging 16,17,200 --hanging-overdue 5000 --down 10000 --down-overdue 25
                         --fresh-a-second 200 --seconds 20 --burst 50000 --payloads 500 --payload-bytes 1048576
                         --backlog 240000 --same-queue 1000000 --answer-ms 20
                         --parts stuck,hanging,down,order,payloads,backlog,same-queue
                         --stores file,redis --jvm-options "-Xmx512m" --payload-options "-Xmx256m" --rounds 1
              flat       what a schedule costs beside few and very many pending timers
                         --pending 100000,1000000,10000000,50000000 --measured 1000000 --chunk 50000
                         --producers 2 --window 8192 --rounds 1
              cold-cancels  cancels of timers that are in no cache, and how long schedules take beside them; needs root
                         --timers 30000000 --seconds 10 --rate 1000 --cancel-rate 0 --in-flight 512 --producers 2 --window 8192
                         --rounds 1
              peers      the server beside RocketMQ, beanstalkd and PostgreSQL, those that are here
                         --connections 64 --warm-up 10000 --puts 50000 --timers 10000 --rounds 3
                         --peers tickwheel,rocketmq,beanstalkd,postgresql
              redis      the store on Redis beside Redisson's delayed queue and a sorted set per minute
                         --timers 500000 --window 8192 --batches 50,1000 --batches-in-flight 8 --warm-up-timers 50000
                         --due-timers 200000 --due-spread-ms 100 --load-rate 10000 --attempts-per-queue 256
                         --attempts-in-all 2048 --takers 8 --rate 5000 --seconds 30 --settle 10 --idle-seconds 60
                         --memory-timers 1000000 --memory-hours 1,48
                         --outage-timers 10000 --outage-spread-seconds 20 --down-seconds 5
                         --redis-server PATH (default: Redis 7.0, linked statically, without jemalloc) --rounds 3
                         --parts single,batched,replicated,delivery,lateness,idle,memory,outage
                         --contenders tickwheel,redisson,minute-sets,bare-scripts
              messages   timers due at once, to brokers of message queues on this machine
                         --brokers kafka,rabbitmq,redis-streams --timers 300000 --attempts 4096 --rounds 3
              ingress    messages with a delay, taken in from a broker and given to it again when they are due
                         --brokers kafka,rabbitmq --waiting 100000 --messages 10000 --rate 1000 --most-ms 60000
                         --rounds 3
              rolling    how late timers are while the nodes on one Redis are restarted in turns
                         --nodes 3 --rate 300 --ahead-ms 2000 --restarts 2 --calm-seconds 6 --jvm-options "-Xmx256m"
                         --rounds 1
              limits     how many attempts of one queue start in each second, over all nodes on one Redis; fails when too few or too many do
                         --nodes 3 --rate 1000 --seconds 20 --concurrency 0 --lasts-ms 0 --jvm-options "-Xmx256m"
                         --redis-server PATH
              lease-rate  timers leased and acknowledged over HTTP, and a server of which many consumers wait for nothing
                         --timers 100000 --batch 100 --consumers 4 --durabilities sync,none --polls 2000 --settle 15
                         --seconds 20 --parts rate,polls --rounds 3
              plans      many plans with a run a minute, on the memory calendar and a clock moved by hand
                         --plans 100000 --minutes 60 --rounds 1

            These hold promises against processes that are killed, and end with exit code 1 when one is broken:

              recurrence  plans of all kinds, while their servers are killed, stopped, or lose the master of Redis
                         --plans 3 --kills 10 --store file (or redis, and with it --failover) --seed 1
              pause      timers that come due in a paused queue whose server is killed, and its slow start
                         --timers 20000 --kills 2 --slow-start 50
              leases     consumers that are killed or stopped while they share a queue, and the server killed
                         --timers 20000 --seconds 20 --consumers 4 --server-kills 1 --fault-every-ms 1000 --ttl-ms 4000
                         --seed 1

            These take --data DIR (default: below benchmarks/target); those with a server take --server-options "-Xmx1g ...".

            """ + WheelPrograms.USAGE;

    private static final String DEEPER = "   ";

    private Benchmarks() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0 || arguments[0].equals("--help")) {
            System.out.print(USAGE);
            return;
        }
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(usageOf(arguments[0]));
            return;
        }
        if (arguments[0].equals("jmh")) {
            org.openjdk.jmh.Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
            return;
        }
        if (arguments[0].equals("power-cut")) {
            System.exit(PowerCut.run(Arrays.asList(arguments).subList(1, arguments.length)));
        }
        LoadProgram program;
        DataDirectory data;
        try {
            Options options = new Options(Arrays.asList(arguments).subList(1, arguments.length));
            program = program(arguments[0], options);
            data = DataDirectory.of(options);
            options.refuseUnused();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "; try --help");
            System.exit(2);
            return;
        }
        System.out.println("benchmarks/run " + String.join(" ", arguments));
        System.out.println(Machine.describe(data));
        System.out.println();
        OtherLoad others = OtherLoad.watch();
        try {
            program.run(data);
        } catch (BrokenPromiseException e) {
            System.out.println("BROKEN: " + e.getMessage());
            System.out.println(others.report());
            System.exit(1);
        }
        System.out.println(others.report());
    }

    /** The part of the usage that tells of one program: its line and the deeper ones below it. */
    private static String usageOf(String name) {
        StringBuilder usage = new StringBuilder();
        boolean within = false;
        for (String line : USAGE.lines().toList()) {
            if (!line.startsWith(DEEPER)) {
                within = line.startsWith("  " + name + " ");
            }
            if (within) {
                usage.append(line).append('\n');
            }
        }
        return usage.isEmpty() ? USAGE : usage.toString();
    }

    private static LoadProgram program(String name, Options options) throws IOException {
        Optional<LoadProgram> ofTheWheel = WheelPrograms.named(name, options);
        if (ofTheWheel.isPresent()) {
            return ofTheWheel.get();
        }
        return switch (name) {
            case "embedded" -> EmbeddedProgram.of(options);
            case "calendar" -> CalendarProgram.of(options);
            case "http" -> HttpProgram.of(options);
            case "cold" -> ColdProgram.of(options);
            case "hostile" -> HostileProgram.of(options);
            case "overload" -> OverloadProgram.of(options);
            case "lateness" -> LatenessProgram.of(options);
            case "idle" -> IdleProgram.of(options);
            case "recovery" -> RecoveryProgram.of(options);
            case "store" -> StoreProgram.of(options);
            case "deliver" -> DeliverProgram.of(options);
            case "restart" -> RestartProgram.of(options);
            case "amplification" -> AmplificationProgram.of(options);
            case "storm" -> StormProgram.of(options);
            case "store-callers" -> StoreCallersProgram.of(options);
            case "neighbours" -> NeighboursProgram.of(options);
            case "flat" -> FlatProgram.of(options);
            case "cold-cancels" -> ColdCancelsProgram.of(options);
            case "peers" -> PeersProgram.of(options);
            case "redis" -> RedisProgram.of(options);
            case "messages" -> MessagesProgram.of(options);
            case "ingress" -> IngressProgram.of(options);
            case "rolling" -> RollingProgram.of(options);
            case "limits" -> LimitsProgram.of(options);
            case "recurrence" -> RecurrenceProof.of(options);
            case "pause" -> PauseProof.of(options);
            case "leases" -> LeasesProof.of(options);
            case "lease-rate" -> LeaseRateProgram.of(options);
            case "plans" -> PlansProgram.of(options);
            default -> throw new IllegalArgumentException("no program " + name);
        };
    }
}
