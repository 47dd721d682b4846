package io.tickwheel.server.config;

import io.smallrye.config.source.yaml.YamlConfigSource;
import io.tickwheel.server.wire.Excerpt;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * A configuration file as YAML: one document, which is a mapping, in which each name is there once and has a value.
 *
 * <p>SmallRye, which takes the settings out of it, passes over everything else in silence: a file that was emptied by mistake
 * would start a server with the defaults, in the wrong directory. So the file is parsed here first. A file without settings must
 * say so, with an empty mapping.
 */
final class YamlFile {

    private static final int MAX_DEPTH = 16;
    private static final int PRIORITY = 100;

    /** How the parser says that it took a value for an alias of another. */
    private static final Pattern ALIAS = Pattern.compile("while scanning an alias|found undefined alias");

    /** One that sets nothing. */
    static final YamlFile EMPTY = new YamlFile("no file", new YamlConfigSource("file", "{}", PRIORITY), Map.of());

    private final String place;
    private final YamlConfigSource source;
    private final Map<String, Integer> lines;

    private YamlFile(String place, YamlConfigSource source, Map<String, Integer> lines) {
        this.place = place;
        this.source = source;
        this.lines = lines;
    }

    /** @throws StartException when the file cannot be read, or is no such YAML */
    static YamlFile read(Path file) {
        String text = text(file);
        try {
            check(file, documents(text));
            Map<String, Integer> lines = new HashMap<>();
            number(new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text)), "", lines);
            return new YamlFile(file.toString(), new YamlConfigSource("file", text, PRIORITY), lines);
        } catch (StartException e) {
            throw e;
        } catch (RuntimeException e) {
            String oneLine =
                    String.valueOf(e.getMessage()).replaceAll("\\s+", " ").strip();
            String hint = ALIAS.matcher(oneLine).find() ? "; a value that begins with * must be in quotes" : "";
            throw new StartException(file + " is not valid YAML: " + Excerpt.sentence(oneLine) + hint, e);
        }
    }

    /** The names of the settings in it, and those of the elements of lists. */
    Set<String> names() {
        return source.getPropertyNames();
    }

    YamlConfigSource source() {
        return source;
    }

    /** Where it is, for messages. */
    String place() {
        return place;
    }

    /** Where a setting is: the file and, unless it stands there in a roundabout way, the line. */
    String place(String name) {
        Integer line = lines.get(name);
        return line == null ? place : place + ":" + line;
    }

    /** Finds the lines of the settings, and calls these as SmallRye does. */
    private static void number(Node node, String prefix, Map<String, Integer> lines) {
        if (node instanceof MappingNode mapping) {
            for (NodeTuple entry : mapping.getValue()) {
                if (entry.getKeyNode() instanceof ScalarNode key) {
                    String word = key.getValue();
                    String name = prefix + (word.indexOf('.') < 0 ? word : "\"" + word + "\"");
                    lines.put(name, key.getStartMark().getLine() + 1);
                    number(entry.getValueNode(), name + ".", lines);
                }
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new StartException("cannot read " + file + ": there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new StartException("cannot read " + file + ": permission denied", e);
        } catch (CharacterCodingException e) {
            throw new StartException("cannot read " + file + ": it is not UTF-8", e);
        } catch (IOException e) {
            throw new StartException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** SmallRye lets the last of two equal keys win, and merges documents. */
    private static List<@Nullable Object> documents(String text) {
        LoaderOptions strict = new LoaderOptions();
        strict.setAllowDuplicateKeys(false);
        List<@Nullable Object> documents = new ArrayList<>();
        new Yaml(new SafeConstructor(strict)).loadAll(text).forEach(documents::add);
        return documents;
    }

    private static void check(Path file, List<@Nullable Object> documents) {
        if (documents.size() > 1) {
            throw new StartException(file + " has " + documents.size() + " YAML documents, must have one");
        }
        Object root = documents.isEmpty() ? null : documents.get(0);
        if (root == null) {
            throw new StartException(file + " has no settings, must have some; to start with the defaults, write {}");
        }
        if (!(root instanceof Map<?, ?> settings)) {
            throw new StartException(file + " is " + (root instanceof Collection ? "a list" : "a single value")
                    + ", must have settings with their names, such as server: {port: 7373}");
        }
        checkValues(file, "", settings, 1);
    }

    /** What has no value is dropped by SmallRye before its name could be checked. */
    private static void checkValues(Path file, String prefix, Map<?, ?> settings, int depth) {
        if (depth > MAX_DEPTH) {
            throw new StartException(file + " is nested more than " + MAX_DEPTH + " levels deep, must be less");
        }
        for (Map.Entry<?, ?> setting : settings.entrySet()) {
            String name = prefix + setting.getKey();
            Object value = setting.getValue();
            boolean empty = value == null
                    || (value instanceof Map<?, ?> map && map.isEmpty())
                    || (value instanceof Collection<?> list && list.isEmpty());
            if (empty) {
                throw new StartException("setting " + Excerpt.quoted(name) + " in " + file
                        + " has no value, must have one or be left out");
            }
            if (value instanceof Map<?, ?> inner) {
                checkValues(file, name + ".", inner, depth + 1);
            }
        }
    }
}
