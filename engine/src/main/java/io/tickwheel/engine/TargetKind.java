package io.tickwheel.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kind of target, such as HTTP: how a destination of this kind is written where people and programs write it, and how the target
 * itself is opened. Whoever adds a target implements this, and registers it in one place. Values are neutral: strings, longs,
 * {@code BigDecimal} for other numbers, booleans, lists, maps with strings as keys, and null; an implementation needs neither a
 * JSON library nor a server.
 *
 * <p>One instance serves a whole process, and tools that deliver nothing use it too. All methods but {@link #open} may be called
 * by any thread, several at once, and must neither block nor keep anything; so the constructor opens nothing. A destination that
 * {@link #read} or {@link #readSetting} refuses is refused with an {@link InvalidTargetException}; these two must throw no other.
 */
public interface TargetKind {

    /**
     * The name under which the engine knows the target, and which is stored with timers, so that it must never change: 1 to 32
     * lower-case letters, digits and hyphens. A setting that names a target begins with it.
     */
    String name();

    /**
     * The names of the fields that belong to this kind in the JSON object that is a target, such as {@code url} and {@code method}.
     * No two kinds have one in common. The first must be there in each target of this kind, and tells it from the others.
     */
    List<String> fields();

    /**
     * Reads a target that a caller wrote, and has {@link #write} wrote; all its fields are among {@link #fields}, and the first of
     * these is there.
     *
     * @return the {@link Destination#address}, which is stored: every later version must understand it
     * @throws InvalidTargetException when a field breaks a rule; all rules are checked here, at once, and not at the delivery
     */
    String read(TargetFields fields);

    /**
     * Writes an address as {@link #read} takes it, for an export; the fields are written in the order of the map.
     *
     * @return null when the address is none that {@code read} gives: the export then says what it is, and no import takes it
     */
    @Nullable
    Map<String, Object> write(String address);

    /**
     * Reads the target of a queue from a setting: what stands behind the name of the kind and a blank, such as {@code orders} of
     * {@code kafka orders}; empty when nothing does. To the first kind that a server knows, it gives the whole text of a setting
     * that begins with no other name.
     *
     * @return the {@link Destination#address}
     * @throws InvalidTargetException when the text breaks a rule
     */
    String readSetting(String text);

    /** What settings of this kind look like, for messages, such as {@code log}, or {@code kafka and a topic}. */
    String settingForm();

    /** The settings that {@link #open} takes, such as {@code bootstrapServers}. None by default. */
    default List<KindOption> options() {
        return List.of();
    }

    /**
     * The kind as a server with these settings has it: one that refuses at once what they do not allow. This kind itself by default.
     *
     * @param settings those of {@link #options} that are set, by their names, as {@link #open} gets them
     * @throws InvalidTargetException when one breaks a rule, with its name as the field
     */
    default TargetKind configured(Map<String, String> settings) {
        return this;
    }

    /**
     * Checks that a timer with a payload may go to an address that {@link #read} gave. Takes each by default.
     *
     * @throws InvalidTargetException when it may not
     */
    default void checkPayload(String address) {}

    /**
     * Opens the target: connects, starts threads. Called once for each start of a server, on a thread that may block, before the
     * store is open; nothing is delivered until then, so it should wait for no other system. Whoever calls this closes the target with {@link Target#close}.
     *
     * @throws InvalidTargetException when an option breaks a rule, with its name as the field; any exception ends the start
     */
    Target open(TargetOptions options);
}
