package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the shell blocks of a page ask of a server is asked of one, in the order of the page, and answered 2xx or ends with 0; so are the timers of {@code json timer}, and
 * {@code json answer} has the fields of the last answer. Of the other programs there are only those that are named here, and they are not run; nor is anything in a
 * block that is {@code shown}.
 */
final class ShellBlocksTest {

    private static final Set<String> OTHERS = Set.of(
            "cat",
            "cd",
            "java",
            "kafka-console-consumer.sh",
            "kill",
            "mqadmin",
            "mvn",
            "openssl",
            "redis-cli",
            "redis-server",
            "sed");

    private static final Set<String> ON_A_SERVER = Set.of("queues", "timers", "dead", "leases", "bulk");
    private static final Set<String> ON_FILES = Set.of(
            "dev",
            "serve",
            "inspect",
            "verify",
            "backup",
            "restore",
            "recover",
            "export",
            "import",
            "accept-empty",
            "train");

    /** Where the server of a page is, and a receiver that nobody has started: at a port where nobody listens. */
    private static final List<String> SERVERS = List.of("http://127.0.0.1:7373/", "localhost:7373/", "127.0.0.1:7373/");

    private static final String RECEIVER = "127.0.0.1:8080";
    private static final String NOBODY = "127.0.0.1:1";
    private static final int POLLS = 1_000;

    /** The names of all source files; they are looked for once. */
    private static final Set<String> classes = new HashSet<>();

    private static LiveServer server;

    /** Files that a page has made. */
    private final Map<String, String> files = new HashMap<>();

    private LiveServer.Answer last = new LiveServer.Answer(0, "");

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        server = new LiveServer(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyCommandIsUnderstood() throws IOException {
        int sent = 0;
        for (Block block : Page.allBlocks()) {
            sent += read(block);
        }
        assertThat(sent).isGreaterThan(15);
    }

    @Test
    void nonsenseDoesNotPass() {
        assertRefused("bash", "curl -X DELETE localhost:7373/v1/queues/q/timers/none\n", "not_found");
        assertRefused("bash", "curl -X PUT example.com/v1\n", "example.com");
        assertRefused("bash", "tickwheel timers cancle q k\n", "cancle");
        assertRefused("bash", "bin/tickwheel\n", "a command of tickwheel");
        assertRefused("sh", "wget localhost:7373\n", "wget");
        assertRefused("sh", "bin/nothing\n", "bin/nothing");
        assertRefused("bash", "mvn test -Dtest=NoSuchTest\n", "NoSuchTest");
        assertRefused("json timer", "{\"delay\":\"5 minuets\"}\n", "invalid_duration");
        assertRefused("json answer", "{\"outcome\":\"CREATED\"}\n", "a.md:1");
    }

    private void assertRefused(String info, String text, String message) {
        Block block = new Block("a.md", 1, List.of(info.split(" ", -1)), text);
        assertThatThrownBy(() -> read(block)).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    /** Reads a block, and gives how much of it was asked of the server. */
    private int read(Block block) throws IOException {
        String text = block.text().replace(RECEIVER, NOBODY);
        if (block.is("json", "timer")) {
            send("PUT", "/v1/queues/docs/timers/of-a-page", List.of("Content-Type: application/json"), text);
            return 1;
        }
        if (block.is("json", "answer")) {
            assertThat(Json.names(text)).as(block.where()).isEqualTo(Json.names(last.body()));
            return 0;
        }
        if (!block.language().equals("bash") && !block.language().equals("sh")) {
            return 0;
        }
        int sent = 0;
        for (Shell.Command command : Shell.commands(text)) {
            if (!command.file().isEmpty()) {
                files.put(command.file(), command.input());
            }
            boolean shown = block.form().equals("shown");
            switch (command.program()) {
                case "curl" -> sent += shown ? 0 : curl(command.arguments());
                case "tickwheel", "bin/tickwheel" -> sent += tickwheel(command.arguments(), shown);
                default -> other(command);
            }
        }
        return sent;
    }

    private int curl(List<String> arguments) throws IOException {
        String method = "GET";
        String url = "";
        String body = "";
        List<String> headers = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "-s", "-i", "-sS" -> {}
                case "-X" -> method = arguments.get(++i);
                case "-H" -> headers.add(arguments.get(++i));
                case "-d", "--data-binary" -> body = content(arguments.get(++i));
                default -> {
                    assertThat(argument)
                            .as("an option that is known, or the URL")
                            .doesNotStartWith("-");
                    url = argument;
                }
            }
        }
        String path = url;
        for (String prefix : SERVERS) {
            if (url.startsWith(prefix)) {
                path = url.substring(prefix.length() - 1);
            }
        }
        assertThat(path).as("a path of the server of the page").startsWith("/");
        String sent = !body.isEmpty() && method.equals("GET") ? "POST" : method;
        send(sent, path, headers, body);
        return 1;
    }

    private String content(String argument) {
        if (!argument.startsWith("@")) {
            return argument;
        }
        String content = files.get(argument.substring(1));
        assertThat(content).as("a file that the page has made: %s", argument).isNotNull();
        return content;
    }

    private void send(String method, String path, List<String> headers, String body) throws IOException {
        last = server.send(method, path, headers, body);
        assertThat(last.isGood()).as("%s %s %s: %s", method, path, body, last).isTrue();
    }

    /** A reader takes a moment between two commands, in which timers become due: what does not work yet is tried again. */
    private static int tickwheel(List<String> arguments, boolean shown) {
        assertThat(arguments).as("a command of tickwheel").isNotEmpty();
        String name = arguments.get(0);
        if (ON_FILES.contains(name) || shown) {
            assertThat(ON_FILES.contains(name) || ON_A_SERVER.contains(name))
                    .as("a command of tickwheel: %s", name)
                    .isTrue();
            return 0;
        }
        int code = server.command(arguments);
        for (int i = 0; i < POLLS && code == 1; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            code = server.command(arguments);
        }
        assertThat(code).as("the exit code of tickwheel %s", arguments).isZero();
        return 1;
    }

    private static void other(Shell.Command command) throws IOException {
        String program = command.program();
        if (program.contains("/")) {
            assertThat(Files.isExecutable(Page.root().resolve(program)))
                    .as("is a program of the tree: %s", program)
                    .isTrue();
            return;
        }
        assertThat(OTHERS).as("programs that pages may use").contains(program);
        for (String argument : command.arguments()) {
            if (program.equals("mvn") && argument.startsWith("-Dtest=")) {
                for (String test : argument.substring("-Dtest=".length()).split(",", -1)) {
                    assertThat(hasClass(test.replaceFirst("#.*", "")))
                            .as("there is a test %s", test)
                            .isTrue();
                }
            }
        }
    }

    private static boolean hasClass(String name) throws IOException {
        if (classes.isEmpty()) {
            try (Stream<Path> sources = Files.find(
                    Page.root(), 3, (file, attributes) -> attributes.isDirectory() && file.endsWith("src"))) {
                for (Path folder : sources.toList()) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        files.map(file -> file.getFileName().toString()).forEach(classes::add);
                    }
                }
            }
        }
        return classes.contains(name + ".java");
    }
}
