package io.tickwheel.server.config;

import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.TargetKinds;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The names that settings may have, in a file and in the environment; finds the one that was meant where one is misspelt. Immutable. */
public final class SettingNames {

    /** Names the server that commands call. It is theirs and no setting, and may stand beside settings. */
    public static final String SERVER = "TICKWHEEL_SERVER";

    /** Has the token that commands show, or names a file with it: theirs, as {@link #SERVER}. */
    public static final String TOKEN = "TICKWHEEL_TOKEN";

    public static final String TOKEN_FILE = "TICKWHEEL_TOKEN_FILE";

    /** Name files in PEM, for commands that call over TLS: whom to trust, what to show, and its key. */
    public static final String CA = "TICKWHEEL_CA";

    public static final String CERT = "TICKWHEEL_CERT";
    public static final String KEY = "TICKWHEEL_KEY";

    private static final Set<String> OF_COMMANDS = Set.of(SERVER, TOKEN, TOKEN_FILE, CA, CERT, KEY);
    private static final String ENVIRONMENT = "TICKWHEEL_";

    /** Kubernetes sets these in every pod beside a service that is called tickwheel. */
    private static final Pattern SERVICE_LINK = Pattern.compile("TICKWHEEL_(SERVICE|PORT)(_.*)?");

    private static final Pattern ELEMENT = Pattern.compile("((?:targets|sources)\\..+)\\[[0-9]+]");

    private static final int NEAR = 3;

    private final Map<String, Setting> known = new LinkedHashMap<>();
    private final List<Setting> onlyInFile;

    /**
     * Adds the options of the targets and sources to the server's own settings.
     *
     * @param onlyInFile patterns that stand for many names, such as {@code queues.NAME.target}, for messages
     */
    SettingNames(List<Setting> own, TargetKinds kinds, List<Setting> onlyInFile) {
        Stream.of(
                        own.stream(),
                        kinds.all().stream().flatMap(SettingNames::ofTarget),
                        kinds.sources().stream().flatMap(SettingNames::ofSource))
                .flatMap(settings -> settings)
                .forEach(setting -> known.put(setting.name(), setting));
        this.onlyInFile = onlyInFile;
    }

    /** The name of the setting that is an option of a target. */
    static String ofTarget(TargetKind kind, KindOption option) {
        return "targets." + kind.name() + "." + option.name();
    }

    private static Stream<Setting> ofTarget(TargetKind kind) {
        return kind.options().stream().map(option -> Setting.of(ofTarget(kind, option), option));
    }

    /** The name of the setting that is an option of a source. */
    static String ofSource(SourceKind kind, KindOption option) {
        return "sources." + kind.name() + "." + option.name();
    }

    private static Stream<Setting> ofSource(SourceKind kind) {
        return kind.options().stream().map(option -> Setting.of(ofSource(kind, option), option));
    }

    /** All but those of queues, in their order. */
    List<Setting> all() {
        return List.copyOf(known.values());
    }

    boolean isKnown(String name) {
        return known.containsKey(name);
    }

    /** Whether a name is what the YAML reader calls an element of a list, which an option of a target or source may be. */
    boolean isInListOfOption(String name) {
        Matcher element = ELEMENT.matcher(name);
        return element.matches() && isKnown(element.group(1));
    }

    /** The settings among the environment's variables, by the names that they have in the file. */
    Map<String, String> variables(Map<String, String> environment) {
        Map<String, String> names = new LinkedHashMap<>();
        known.keySet().forEach(key -> names.put(variable(key), key));
        Map<String, String> settings = new TreeMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT)
                    && !OF_COMMANDS.contains(name)
                    && !SERVICE_LINK.matcher(name).matches()) {
                String key = names.get(name);
                if (key == null) {
                    throw unknown("the environment", name, List.copyOf(names.keySet()));
                }
                settings.put(key, value);
            }
        });
        return settings;
    }

    /** The variable that has a setting. */
    static String variable(String key) {
        return ENVIRONMENT
                + key.replaceAll("([a-z])([A-Z])", "$1_$2")
                        .replace('.', '_')
                        .replace('-', '_')
                        .toUpperCase(Locale.ROOT);
    }

    /** Refuses a setting of a file. */
    StartException unknown(String file, String name) {
        return unknown(
                file,
                name,
                Stream.concat(known.keySet().stream(), onlyInFile.stream().map(Setting::name))
                        .toList());
    }

    private static StartException unknown(String where, String name, List<String> known) {
        String last = "." + name.substring(name.lastIndexOf('.') + 1);
        String near = known.stream()
                .filter(key -> distance(name, key) <= NEAR || key.endsWith(last))
                .min(Comparator.comparing((String key) -> !key.endsWith(last))
                        .thenComparingInt(key -> distance(name, key)))
                .map(key -> "did you mean " + key + "?")
                .orElse("must be one of " + String.join(", ", known));
        return new StartException("setting " + Excerpt.quoted(name) + " in " + where + " is not known, " + near);
    }

    /** How many letters must be changed, added or left out (Levenshtein). */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j - 1], row[j]));
            }
        }
        return row[b.length()];
    }
}
