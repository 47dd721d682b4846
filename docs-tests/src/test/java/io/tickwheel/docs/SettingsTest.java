package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.Setting;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of settings name those that the code knows, all of them, with the defaults that it has. */
final class SettingsTest {

    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern MEBIBYTES = Pattern.compile("(\\d+) MiB");
    private static final Pattern THOUSANDS = Pattern.compile("(?<=\\d),(?=\\d{3})");

    @Test
    void thePageOfTheConfigurationHasEverySettingAndNoOther() throws IOException {
        TreeSet<String> named = new TreeSet<>();
        for (String row : rows("docs/configuration.md")) {
            names(cell(row, 0)).stream().filter(name -> !name.contains("KIND")).forEach(named::add);
        }
        TreeSet<String> known = new TreeSet<>();
        ConfigFile.settings(InstalledTargets.kinds()).stream()
                .map(Setting::name)
                // Their tables are on the pages of the targets; store alone is told of in the text.
                .filter(name -> !name.matches("(targets|sources)\\.(?!http\\.).*|store"))
                .forEach(known::add);

        assertThat(named).isEqualTo(known);
    }

    @Test
    void thePageOfTheConfigurationHasTheDefaultsOfTheCode() throws IOException {
        List<String> rows = rows("docs/configuration.md");
        for (Setting setting : ConfigFile.settings(InstalledTargets.kinds())) {
            for (String row : rows) {
                if (names(cell(row, 0)).contains(setting.name())) {
                    assertThat(plain(cell(row, 2)))
                            .as("default of %s", setting.name())
                            .contains(setting.absent());
                }
            }
        }
    }

    @Test
    void thePagesOfTheTargetsHaveTheirOptionsWithTheDefaultsOfTheCode() throws IOException {
        int found = 0;
        for (TargetKind kind : InstalledTargets.kinds().all()) {
            if (!kind.name().equals("http")) {
                found += check(kind.name(), kind.options());
            }
        }
        for (SourceKind kind : InstalledTargets.kinds().sources()) {
            found += check(kind.name(), kind.options());
        }
        assertThat(found).isGreaterThan(30);
    }

    private static int check(String kind, List<KindOption> options) throws IOException {
        if (options.isEmpty()) {
            return 0;
        }
        List<String> rows = rows("docs/targets/" + kind + ".md");
        for (KindOption option : options) {
            assertThat(rows)
                    .as("a row for %s of %s, with %s", option.name(), kind, option.absent())
                    .anyMatch(row -> names(cell(row, 0)).contains(option.name())
                            && (option.absent().equals("none") || plain(row).contains(option.absent())));
        }
        return options.size();
    }

    private static List<String> rows(String page) throws IOException {
        Path file = Page.root().resolve(page);
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("| `"))
                .toList();
    }

    private static String cell(String row, int column) {
        return row.replace("\\|", " ").split("\\|", -1)[column + 1];
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    /** Without marks, and with numbers as the code writes them. */
    private static String plain(String text) {
        Matcher mebibytes =
                MEBIBYTES.matcher(THOUSANDS.matcher(text.replace("`", "")).replaceAll(""));
        return mebibytes.replaceAll(found -> Long.toString(Long.parseLong(found.group(1)) << 20));
    }
}
