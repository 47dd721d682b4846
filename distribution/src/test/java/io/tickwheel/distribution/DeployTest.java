package io.tickwheel.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What is in deploy/ names files, routes and metrics that are there, and is what the programs that read it take. */
final class DeployTest {

    private static final Pattern METRIC = Pattern.compile("\\b(?:tickwheel|jvm|process|system)_[a-z0-9_]+");
    private static final Pattern FAMILY = Pattern.compile("(?m)^# TYPE ([a-zA-Z0-9_:]+) (\\w+)$");
    private static final Pattern DOCUMENTED = Pattern.compile("`([a-z0-9_]+)[`{]");
    private static final String ADMIN =
            "8f1d0c2b6a597e43:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    @TempDir
    private static Path folder;

    private static Archive archive;
    private static StartedServer server;
    private static String scrape;

    @TempDir
    private Path place;

    @BeforeAll
    static void start() throws IOException {
        archive = Archive.unpack(Files.createDirectory(folder.resolve("unpacked")));
        server = new StartedServer(archive, folder);
        scrape = busy();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Has the server do what its metrics tell of, and scrapes it. */
    private static String busy() throws IOException {
        server.send("PUT", "/v1/queues/q/timers/delivered", "{\"delay\":\"0s\",\"target\":{\"log\":{}}}");
        server.send("PUT", "/v1/queues/q/timers/refused", "{\"delay\":\"x\"}");
        server.send("PATCH", "/v1/queues/paused", "{\"paused\":true}");
        server.send("PUT", "/v1/queues/paused/timers/waits", "{\"delay\":\"0s\",\"target\":{\"log\":{}}}");
        try (Socket reset = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            reset.getOutputStream().write("GET /".getBytes(StandardCharsets.US_ASCII));
            reset.setSoLinger(true, 0);
        }
        return server.await(
                "/metrics",
                page -> page.contains("tickwheel_attempts_total{")
                        && page.contains("tickwheel_queue_waiting_seconds{"));
    }

    private static String deployed(String file) throws IOException {
        return Files.readString(archive.file("deploy").resolve(file));
    }

    private static Path root() {
        Path tree = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(tree.resolve(".mvn"))) {
            tree = tree.getParent();
        }
        return tree;
    }

    /** The names of all series, by which queries ask for them. */
    private static Set<String> series() {
        TreeSet<String> names = new TreeSet<>();
        FAMILY.matcher(scrape).results().forEach(family -> {
            names.add(family.group(1));
            if (family.group(2).equals("histogram") || family.group(2).equals("summary")) {
                Stream.of("_bucket", "_sum", "_count").forEach(suffix -> names.add(family.group(1) + suffix));
            }
        });
        return names;
    }

    @Test
    void everyMetricIsDocumented() throws IOException {
        TreeSet<String> documented = new TreeSet<>();
        DOCUMENTED
                .matcher(Files.readString(root().resolve("docs/metrics.md")))
                .results()
                .forEach(name -> documented.add(name.group(1)));
        TreeSet<String> missing = new TreeSet<>();
        FAMILY.matcher(scrape).results().map(family -> family.group(1)).forEach(missing::add);
        assertThat(missing).hasSizeGreaterThan(30);
        missing.removeAll(documented);
        assertThat(missing)
                .as("metrics of a server that docs/metrics.md does not have")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana/tickwheel.json", "prometheus/alerts.yaml"})
    void everyMetricThatIsAskedForIsThere(String file) throws IOException {
        TreeSet<String> asked = new TreeSet<>();
        METRIC.matcher(deployed(file)).results().map(found -> found.group()).forEach(asked::add);
        assertThat(asked).hasSizeGreaterThan(6);
        asked.removeAll(series());
        assertThat(asked).as("metrics that a server does not show").isEmpty();
    }

    @Test
    void promtoolTakesTheRulesAndTheMetrics() throws IOException {
        if (!Archive.has("promtool")) {
            assertThat(Boolean.getBoolean("tickwheel.promtool.required"))
                    .as("promtool must be there")
                    .isFalse();
            assumeThat(false).as("promtool is there").isTrue();
        }
        Archive.Ended rules = Archive.run(
                folder,
                "promtool",
                "check",
                "rules",
                archive.file("deploy/prometheus/alerts.yaml").toString());
        assertThat(rules.code()).as(rules.printed()).isZero();
        Path page = Files.writeString(place.resolve("metrics.txt"), scrape);
        Archive.Ended metrics = Archive.run(folder, "sh", "-c", "promtool check metrics <" + page);
        assertThat(metrics.printed()).isEmpty();
        assertThat(metrics.code()).isZero();
    }

    @Test
    void theDashboardIsJsonWithAQueryInEachPanel() throws IOException {
        // JSON is YAML, too.
        Map<?, ?> dashboard = (Map<?, ?>) documents("grafana/tickwheel.json").get(0);
        List<?> panels = (List<?>) dashboard.get("panels");
        assertThat(panels)
                .hasSizeGreaterThan(8)
                .allSatisfy(panel ->
                        assertThat((List<?>) ((Map<?, ?>) panel).get("targets")).isNotEmpty());
    }

    @Test
    void systemdTakesTheUnit() throws IOException {
        assumeThat(Archive.has("systemd-analyze")).isTrue();
        String unit = deployed("systemd/tickwheel.service");
        Path copy = Files.writeString(
                place.resolve("tickwheel.service"), unit.replace("/opt/tickwheel/", archive.root() + "/"));

        Archive.Ended verified = Archive.run(place, "systemd-analyze", "verify", copy.toString());

        assertThat(verified.printed()).isEmpty();
        assertThat(verified.code()).isZero();
    }

    @Test
    void theUnitStartsWhatIsThereAndNotAsRoot() throws IOException {
        assertThat(deployed("systemd/tickwheel.service"))
                .contains(
                        "\nUser=tickwheel\n",
                        "\nKillSignal=SIGTERM\n",
                        "\nRestart=on-failure\n",
                        "\nStartLimitIntervalSec=0\n",
                        "\nNoNewPrivileges=yes\n")
                .contains("\nExecStart=/opt/tickwheel/bin/tickwheel serve --config ");
    }

    @Test
    void theImageRunsWhatIsThereAndNotAsRoot() throws IOException {
        String image = deployed("docker/Dockerfile");
        Matcher user = Pattern.compile("(?m)^USER (\\d+):(\\d+)$").matcher(image);
        assertThat(user.find()).isTrue();
        assertThat(user.group(1)).isNotEqualTo("0");
        assertThat(image.indexOf("\nUSER "))
                .as("the user is set for what starts")
                .isLessThan(image.indexOf("\nENTRYPOINT "));
        assertThat(image).contains("\nHEALTHCHECK ", "\nSTOPSIGNAL SIGTERM\n");
        List<String> paths = new ArrayList<>();
        Pattern.compile("\"/opt/tickwheel/([^\"]+)\"")
                .matcher(image)
                .results()
                .forEach(found -> paths.add(found.group(1)));
        assertThat(paths)
                .hasSize(2)
                .allSatisfy(path -> assertThat(Files.isExecutable(archive.file(path)))
                        .as(path)
                        .isTrue());
    }

    @Test
    void theHealthCheckTellsAServerThatLivesFromOneThatDoesNot() throws IOException {
        String check = archive.file("deploy/docker/healthcheck").toString();
        assertThat(Archive.run(folder, check, Integer.toString(server.port())).code())
                .isZero();
        assertThat(Archive.run(folder, check, "1").code()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kubernetes/file-store.yaml", "kubernetes/redis-store.yaml"})
    void thePodsAreNotRootAndAreProbedOnRoutesThatAreThere(String file) throws IOException {
        Map<?, ?> pod = pod(file);
        assertThat(pod.get("securityContext").toString()).contains("runAsNonRoot=true", "runAsUser=10001");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
        assertThat(container.get("securityContext").toString())
                .contains("allowPrivilegeEscalation=false", "readOnlyRootFilesystem=true", "drop=[ALL]");
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            Map<?, ?> get = (Map<?, ?>) ((Map<?, ?>) container.get(probe)).get("httpGet");
            assertThat(get.get("port")).isEqualTo("http");
            assertThat(server.send("GET", get.get("path").toString(), "").statusCode())
                    .as("%s of %s", probe, file)
                    .isEqualTo(200);
        }
        assertThat(((Map<?, ?>) ((Map<?, ?>) container.get("readinessProbe")).get("httpGet")).get("path"))
                .isEqualTo("/readyz");
        assertThat((int) pod.get("terminationGracePeriodSeconds")).isGreaterThan(30 + 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kubernetes/file-store.yaml", "kubernetes/redis-store.yaml"})
    void theSettingsOfThePodsAreUnderstoodAndSecretsAreFiles(String file) throws IOException {
        Map<?, ?> secret = documents(file).stream()
                .map(each -> (Map<?, ?>) each)
                .filter(each -> each.get("kind").equals("Secret"))
                .findFirst()
                .orElseThrow();
        Map<?, ?> files = (Map<?, ?>) secret.get("stringData");
        for (Map.Entry<?, ?> each : files.entrySet()) {
            Files.writeString(
                    place.resolve(each.getKey().toString()),
                    each.getValue()
                            .toString()
                            .replace("REPLACE-WITH-ID-AND-HASH", ADMIN)
                            .replace("/etc/tickwheel/", place + "/"));
        }

        Archive.Ended ended = archive.tickwheel(
                "config", "explain", "--config", place.resolve("tickwheel.yaml").toString());

        assertThat(ended.code()).as(ended.printed()).isZero();
        assertThat(ended.printed()).doesNotContain(ADMIN);
        assertThat(pod(file).toString()).as("no secret is a variable").doesNotContain("env=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kubernetes/file-store.yaml", "kubernetes/redis-store.yaml"})
    void whatSelectsPodsSelectsThese(String file) throws IOException {
        Map<?, ?> workload = workload(file);
        Map<?, ?> template = (Map<?, ?>) ((Map<?, ?>) workload.get("spec")).get("template");
        Object labels = ((Map<?, ?>) template.get("metadata")).get("labels");
        int selectors = 0;
        for (Object each : documents(file)) {
            Map<?, ?> spec = (Map<?, ?>) ((Map<?, ?>) each).get("spec");
            if (spec != null && spec.get("selector") instanceof Map<?, ?> selector) {
                Object selected = selector.containsKey("matchLabels") ? selector.get("matchLabels") : selector;
                assertThat(selected).isEqualTo(labels);
                selectors++;
            }
        }
        assertThat(selectors)
                .as("a service, a workload and a disruption budget")
                .isEqualTo(3);
    }

    private static Map<?, ?> workload(String file) throws IOException {
        return documents(file).stream()
                .map(each -> (Map<?, ?>) each)
                .filter(each -> List.of("StatefulSet", "Deployment").contains(each.get("kind")))
                .findFirst()
                .orElseThrow();
    }

    private static Map<?, ?> pod(String file) throws IOException {
        Map<?, ?> template = (Map<?, ?>) ((Map<?, ?>) workload(file).get("spec")).get("template");
        return (Map<?, ?>) template.get("spec");
    }

    private static List<Object> documents(String file) throws IOException {
        LoaderOptions strict = new LoaderOptions();
        strict.setAllowDuplicateKeys(false);
        List<Object> documents = new ArrayList<>();
        new Yaml(new SafeConstructor(strict)).loadAll(deployed(file)).forEach(documents::add);
        return documents;
    }
}
