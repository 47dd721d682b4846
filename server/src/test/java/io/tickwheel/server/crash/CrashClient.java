package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerRequest.Cancel;
import io.tickwheel.server.crash.LedgerRequest.Look;
import io.tickwheel.server.crash.LedgerRequest.Put;
import io.tickwheel.server.crash.LedgerRequest.Wish;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One client with keys of its own: makes timers at a steady rate, one by one and in batches, and cancels a third of them and
 * replaces a third, half of these close to the due time. After a restart it looks at some keys. {@link LedgerReplay} says
 * what it must not do.
 */
final class CrashClient implements Runnable {

    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = 20 * MS;
    /** After a request without an answer: the killer shuts the gate meanwhile, else all others would just fail as well. */
    private static final long SHOCK_NANOS = 50 * MS;

    private static final int RECENT = 30;
    private static final int MAX_BATCH = 100;

    private final int number;
    private final CrashSettings settings;
    private final CrashLifetimes lifetimes;
    private final CrashHttp http;
    private final Ledger ledger;
    private final SplittableRandom random;
    private final List<Key> keys = new ArrayList<>();
    private final Deque<Key> recent = new ArrayDeque<>();
    private final PriorityQueue<Plan> plans = new PriorityQueue<>((a, b) -> Long.signum(a.atNanos - b.atNanos));
    private long nextNewNanos = System.nanoTime();
    private int lookedIn = 1;
    private boolean shocked;
    private volatile boolean finishing;

    CrashClient(int number, CrashSettings settings, CrashLifetimes lifetimes, CrashHttp http, Ledger ledger) {
        this.number = number;
        this.settings = settings;
        this.lifetimes = lifetimes;
        this.http = http;
        this.ledger = ledger;
        this.random = new SplittableRandom(settings.seed() + number);
    }

    /** Makes no new timers any more; {@link #run} returns when all plans are carried out. */
    void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        while (!finishing || !plans.isEmpty()) {
            int lifetime = lifetimes.enter();
            try {
                turn(lifetime);
            } finally {
                lifetimes.leave();
            }
            LockSupport.parkNanos(pauseNanos());
        }
    }

    /** Looks at the keys used last and as many others; only while {@link #run} does not. */
    void lookAround(int lifetime, int others) {
        Set<Key> chosen = new LinkedHashSet<>(recent);
        for (int i = 0; i < others && !keys.isEmpty(); i++) {
            chosen.add(keys.get(random.nextInt(keys.size())));
        }
        for (Key key : chosen) {
            if (!shocked) {
                ask(key, new Look(), lifetime);
            }
        }
    }

    private void turn(int lifetime) {
        long now = System.nanoTime();
        Plan plan = plans.peek();
        if (lookedIn != lifetime) {
            lookedIn = lifetime;
            lookAround(lifetime, RECENT);
        } else if (plan != null && plan.atNanos - now <= 0) {
            carryOut(plans.remove(), lifetime);
        } else if (!finishing && nextNewNanos - now <= 0) {
            int made = random.nextInt(20) == 0 ? makeBatch(lifetime) : makeOne(lifetime);
            long intervalNanos = TimeUnit.SECONDS.toNanos(settings.clients()) / settings.timersPerSecond();
            nextNewNanos = Math.max(nextNewNanos, now - 100 * MS) + made * intervalNanos;
        }
    }

    private long pauseNanos() {
        if (shocked) {
            shocked = false;
            return SHOCK_NANOS;
        }
        long now = System.nanoTime();
        Plan plan = plans.peek();
        long waitNanos = finishing ? LONGEST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, nextNewNanos - now);
        return plan == null ? waitNanos : Math.min(waitNanos, plan.atNanos - now);
    }

    private int makeOne(int lifetime) {
        Key key = random.nextInt(10) == 0 ? anyKeyNotInDoubt(lifetime) : newKey();
        ask(key, key.put(randomDelayMs()), lifetime);
        return 1;
    }

    private int makeBatch(int lifetime) {
        Set<Key> chosen = new LinkedHashSet<>();
        List<Wish> wishes = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Key known = anyKeyNotInDoubt(lifetime);
            if (chosen.add(known)) {
                wishes.add(new Cancel());
            }
        }
        int made = random.nextInt(1, MAX_BATCH + 1);
        for (int i = 0; i < made; i++) {
            Key key = newKey();
            chosen.add(key);
            wishes.add(key.put(randomDelayMs()));
        }
        List<Key> asked = List.copyOf(chosen);
        LedgerMoment start = LedgerMoment.now();
        List<LedgerAnswer> answers =
                http.ask(asked.stream().map(key -> key.name).toList(), wishes);
        LedgerMoment end = LedgerMoment.now();
        for (int i = 0; i < asked.size(); i++) {
            LedgerAnswer answer = answers.get(i);
            answered(asked.get(i), new LedgerRequest(asked.get(i).name, wishes.get(i), lifetime, start, end, answer));
        }
        return made;
    }

    private void carryOut(Plan plan, int lifetime) {
        if (plan.key.inDoubtIn == lifetime) {
            if (!finishing) {
                plans.add(new Plan(System.nanoTime() + LONGEST_PAUSE_NANOS, plan.key, plan.what));
            }
            return;
        }
        switch (plan.what) {
            case PUT -> ask(plan.key, plan.key.put(randomDelayMs()), lifetime);
            case CANCEL -> ask(plan.key, new Cancel(), lifetime);
            case LOOK -> ask(plan.key, new Look(), lifetime);
        }
    }

    private void ask(Key key, Wish wish, int lifetime) {
        if (key.inDoubtIn == lifetime) {
            return;
        }
        LedgerMoment start = LedgerMoment.now();
        LedgerAnswer answer = http.ask(key.name, wish);
        answered(key, new LedgerRequest(key.name, wish, lifetime, start, LedgerMoment.now(), answer));
    }

    private void answered(Key key, LedgerRequest request) {
        ledger.record(request);
        shocked |= request.answer() instanceof LedgerAnswer.Unknown;
        if (request.wish() instanceof Look) {
            return;
        }
        recent.remove(key);
        recent.add(key);
        if (recent.size() > RECENT) {
            recent.remove();
        }
        if (request.answer() instanceof LedgerAnswer.Unknown) {
            key.inDoubtIn = request.lifetime();
        }
        if (!finishing) {
            planNext(key, request);
        }
    }

    private void planNext(Key key, LedgerRequest request) {
        long now = request.end().nanos();
        if (request.answer() instanceof LedgerAnswer.Unknown) {
            What[] all = What.values();
            plans.add(new Plan(now, key, all[random.nextInt(all.length)]));
        } else if (request.wish() instanceof Put put && random.nextInt(3) > 0) {
            boolean closeToDue = random.nextBoolean();
            long afterMs = closeToDue ? put.delayMs() + random.nextInt(-30, 61) : random.nextLong(put.delayMs() + 1);
            plans.add(new Plan(now + afterMs * MS, key, random.nextBoolean() ? What.PUT : What.CANCEL));
        } else if (request.wish() instanceof Cancel && random.nextInt(4) == 0) {
            What[] all = What.values();
            plans.add(new Plan(now + random.nextInt(200) * MS, key, all[random.nextInt(all.length)]));
        }
    }

    private long randomDelayMs() {
        return random.nextInt(10) == 0 ? random.nextInt(20) : random.nextInt(settings.maxDelayMs() + 1);
    }

    private Key newKey() {
        Key key = new Key("c" + number + "-" + keys.size());
        keys.add(key);
        return key;
    }

    private Key anyKeyNotInDoubt(int lifetime) {
        Key key = keys.isEmpty() ? newKey() : keys.get(random.nextInt(keys.size()));
        return key.inDoubtIn == lifetime ? newKey() : key;
    }

    private static final class Key {
        private final String name;
        private int puts;
        /** The lifetime in which a request got no answer: until it is over, that request may still take effect. */
        private int inDoubtIn;

        Key(String name) {
            this.name = name;
        }

        Put put(long delayMs) {
            return new Put(name + "." + puts++, delayMs);
        }
    }

    private enum What {
        PUT,
        CANCEL,
        LOOK
    }

    private record Plan(long atNanos, Key key, What what) {}
}
