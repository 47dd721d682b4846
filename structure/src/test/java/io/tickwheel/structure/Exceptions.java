package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What breaks a rule today. A list of lines {@code what: why}, which may only get shorter: an entry that no longer breaks the rule fails
 * the test as an unlisted one does. The reason is a sentence, or {@code today} where there is none but history.
 */
final class Exceptions {

    private final String file;
    private final Map<String, String> reasons = new TreeMap<>();

    /** Reads {@code file}, a resource beside this class; lines that begin with {@code #} are not entries. */
    Exceptions(String file) {
        this.file = file;
        for (String line : read(file).split("\n", -1)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] entry = line.split(": ", 2);
                assertThat(entry).as("%s: '%s' needs a reason", file, line).hasSize(2);
                assertThat(reasons.put(entry[0].strip(), entry[1].strip()))
                        .as("%s lists %s once", file, entry[0])
                        .isNull();
            }
        }
    }

    /** Holds what breaks the rule now, in the form of the list, against the list. */
    void check(List<String> breaks) {
        List<String> unlisted = new ArrayList<>(breaks);
        unlisted.removeAll(reasons.keySet());
        List<String> mended = new ArrayList<>(reasons.keySet());
        mended.removeAll(breaks);
        assertThat(unlisted)
                .as("breaks the rule, and %s does not list it", file)
                .isEmpty();
        assertThat(mended)
                .as("no longer breaks the rule in this form: strike it from %s, or list what is left of it", file)
                .isEmpty();
    }

    private static String read(String file) {
        try (InputStream in = Exceptions.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("there is no " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
