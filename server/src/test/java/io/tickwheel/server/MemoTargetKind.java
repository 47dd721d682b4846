package io.tickwheel.server;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A target as a module of its own would have it, which the server does not know: notes in boxes, {@code {"memo": {"box": "in",
 * "copies": 2}}}. The address is the number of copies, a slash and the box.
 */
public final class MemoTargetKind implements TargetKind {

    /** What was delivered, each as {@code copies/box: payload}. */
    final BlockingQueue<String> memos = new LinkedBlockingQueue<>();

    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger prepared = new AtomicInteger();

    @Override
    public String name() {
        return "memo";
    }

    @Override
    public List<String> fields() {
        return List.of("memo");
    }

    @Override
    public String read(TargetFields fields) {
        TargetFields memo = fields.object("memo", "box", "copies");
        String box = memo.text("box");
        if (box.isEmpty()) {
            throw memo.invalid("box", "invalid_box", "must not be empty");
        }
        if (box.equals("broken")) {
            throw new NoClassDefFoundError("planted");
        }
        return (memo.has("copies") ? memo.integer("copies", 1, 9) : 1) + "/" + box;
    }

    @Override
    public @Nullable Map<String, Object> write(String address) {
        int slash = address.indexOf('/');
        if (slash != 1) {
            return null;
        }
        Map<String, Object> memo = new LinkedHashMap<>();
        memo.put("box", address.substring(slash + 1));
        memo.put("copies", Long.parseLong(address.substring(0, slash)));
        return Map.of("memo", memo);
    }

    @Override
    public String readSetting(String text) {
        if (text.isEmpty()) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, "must have a box");
        }
        return "1/" + text;
    }

    @Override
    public String settingForm() {
        return "memo and a box";
    }

    @Override
    public List<KindOption> options() {
        return List.of(KindOption.of("ink", "colour", "blue"));
    }

    @Override
    public Target open(TargetOptions options) {
        String ink = options.settings().getOrDefault("ink", "blue");
        if (ink.equals("white")) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, "ink", "must not be white");
        }
        open.incrementAndGet();
        return new Target() {
            @Override
            public void deliver(Attempt attempt, Delivery delivery) {
                String address = attempt.destination() == null
                        ? "none"
                        : attempt.destination().address();
                memos.add(ink + " " + address + ": " + attempt.key());
                delivery.acknowledge();
            }

            @Override
            public void prepare() {
                prepared.incrementAndGet();
                throw new IllegalStateException("it needs nothing");
            }

            @Override
            public void close() {
                open.decrementAndGet();
            }
        };
    }
}
