package io.tickwheel.server.wire;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kinds of targets that a server knows, and those of sources; asks the target whose turn it is. Immutable. */
public final class TargetKinds {

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

    private final Map<String, TargetKind> ofNames = new LinkedHashMap<>();
    private final Map<String, TargetKind> ofFields = new HashMap<>();
    private final TargetKind first;
    private final Map<String, SourceKind> sources = new LinkedHashMap<>();

    private TargetKinds(List<TargetKind> kinds, List<SourceKind> sources) {
        for (TargetKind kind : kinds) {
            if (!NAME.matcher(kind.name()).matches() || ofNames.putIfAbsent(kind.name(), kind) != null) {
                throw new IllegalArgumentException("target kind " + Excerpt.quoted(kind.name())
                        + ", must have a name of its own, of 1 to 32 lower-case letters, digits and '-'");
            }
            for (String field : kind.fields()) {
                if (ofFields.putIfAbsent(field, kind) != null) {
                    throw new IllegalArgumentException(
                            "target kind " + kind.name() + " has the field " + field + " of another kind");
                }
            }
        }
        this.first = kinds.get(0);
        for (SourceKind source : sources) {
            if (!NAME.matcher(source.name()).matches() || this.sources.putIfAbsent(source.name(), source) != null) {
                throw new IllegalArgumentException("source kind " + Excerpt.quoted(source.name())
                        + ", must have a name of its own, of 1 to 32 lower-case letters, digits and '-'");
            }
        }
    }

    /**
     * Makes the kinds of a server.
     *
     * @param kinds at least one; the first has the settings that begin with no name of a kind
     * @throws IllegalArgumentException when two have a name or a field in common
     */
    public static TargetKinds of(List<TargetKind> kinds) {
        return new TargetKinds(kinds, List.of());
    }

    /** As {@link #of(List)}, with kinds of sources beside them, no two of which have a name in common. */
    public static TargetKinds of(List<TargetKind> kinds, List<SourceKind> sources) {
        return new TargetKinds(kinds, sources);
    }

    /**
     * The kinds as a server with some settings has them.
     *
     * @param options by the name of the kind, then by that of the option
     * @throws InvalidTargetException when one breaks a rule, with the name of its setting as the field
     */
    public TargetKinds configured(Map<String, Map<String, String>> options) {
        List<TargetKind> configured = ofNames.values().stream()
                .map(kind -> configured(kind, options.getOrDefault(kind.name(), Map.of())))
                .toList();
        return new TargetKinds(configured, List.copyOf(sources.values()));
    }

    private static TargetKind configured(TargetKind kind, Map<String, String> options) {
        try {
            return kind.configured(options);
        } catch (InvalidTargetException e) {
            throw new InvalidTargetException(
                    e.code(), "targets." + kind.name() + "." + e.field(), String.valueOf(e.getMessage()));
        }
    }

    /** All of them, in their order. */
    public List<TargetKind> all() {
        return List.copyOf(ofNames.values());
    }

    /** The kinds of sources, in their order. */
    public List<SourceKind> sources() {
        return List.copyOf(sources.values());
    }

    /** Whether a target may have a field of this name. */
    boolean hasField(String name) {
        return ofFields.containsKey(name);
    }

    /** The fields that tell the kinds from each other, each with {@code word} before the last: {@code url and log}. */
    String choice(String word) {
        List<String> fields =
                ofNames.values().stream().map(kind -> kind.fields().get(0)).toList();
        int last = fields.size() - 1;
        return last == 0
                ? fields.get(0)
                : String.join(", ", fields.subList(0, last)) + " " + word + " " + fields.get(last);
    }

    /**
     * Reads a target whose fields are all known.
     *
     * @throws InvalidTargetException when it is of no kind or of several, or breaks a rule of its kind
     */
    Destination read(TargetFields fields) {
        TargetKind kind = null;
        for (String name : fields.names()) {
            TargetKind owner = Objects.requireNonNull(ofFields.get(name));
            if (kind != null && kind != owner) {
                throw ambiguous();
            }
            kind = owner;
        }
        if (kind == null || !fields.has(kind.fields().get(0))) {
            throw ambiguous();
        }
        return new Destination(kind.name(), kind.read(fields));
    }

    private InvalidTargetException ambiguous() {
        return new InvalidTargetException(
                ProblemCode.TARGET_AMBIGUOUS.code(), "must have exactly one of " + choice("and"));
    }

    /**
     * Reads the target of a queue from a setting: the name of a kind and, after a blank, what that kind makes of it; or else what
     * the first kind makes of all of it.
     *
     * @throws InvalidTargetException when the text breaks a rule
     */
    public Destination readSetting(String text) {
        int blank = text.indexOf(' ');
        TargetKind named = ofNames.get(blank < 0 ? text : text.substring(0, blank));
        if (named == null || named == first) {
            return new Destination(first.name(), first.readSetting(text));
        }
        return new Destination(named.name(), named.readSetting(blank < 0 ? "" : text.substring(blank + 1)));
    }

    /** What the settings of all kinds look like, for messages. */
    public String settingForms() {
        return Stream.concat(ofNames.values().stream().skip(1), Stream.of(first))
                .map(TargetKind::settingForm)
                .collect(Collectors.joining(", "));
    }

    /** The fields of a target as a body has them; null when no kind here can write them. */
    public @Nullable Map<String, Object> write(Destination destination) {
        TargetKind kind = ofNames.get(destination.target());
        return kind == null ? null : kind.write(destination.address());
    }

    /**
     * Checks that a timer with a payload may go to a destination that was read here.
     *
     * @throws InvalidTargetException when it may not
     */
    void checkPayload(Destination destination) {
        Objects.requireNonNull(ofNames.get(destination.target())).checkPayload(destination.address());
    }
}
