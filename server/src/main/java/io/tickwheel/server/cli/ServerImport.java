package io.tickwheel.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.targets.RetryAfter;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.QueueLine;
import io.tickwheel.server.wire.TimerLine;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Schedules the lines of an export on a running server, whatever its store: batches of each queue, one after the other. */
final class ServerImport implements AutoCloseable {

    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final Pattern NOT_APPLIED = Pattern.compile("\"applied\"\\s*:\\s*false\\b");
    private static final int LINES = 1_000;
    private static final int BYTES = 4 << 20;
    private static final int BYTES_IN_ALL = 32 << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String GO_ON = "the same import with --on-conflict keep goes on,"
            + " leaves what is there, and schedules again what was delivered meanwhile";
    private static final JsonFactory JSON = new JsonFactory();

    /** Those of FNV-1a with 64 bits. */
    private static final long HASH_SEED = 0xcbf29ce484222325L;

    private static final long HASH_PRIME = 0x100000001b3L;

    /** What became of a line. */
    interface Results {

        void scheduled();

        void kept();

        void set();

        void refused(int line, String reason);

        /** The server takes no more for so long; told when that is longer than it ever was. */
        void waits(Duration time, String reason);
    }

    private final String server;
    private final @Nullable OnConflict rule;
    private final Results results;
    private final Login login;
    private final Surroundings around;
    private final HttpClient client;
    private final Map<String, Gathered> queues = new TreeMap<>();
    private final KeptLines last = new KeptLines();

    /** Of the keys of the lines that come last: two that are taken for the same only wait both. */
    private final Set<Long> waiting = new HashSet<>();

    private int bytes;
    private long answers;
    private Duration longestWait = Duration.ZERO;

    /** Lines of a queue that are not sent yet, and which ones of the export they are. */
    private static final class Gathered {
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        final List<Integer> numbers = new ArrayList<>();
    }

    /**
     * @param server its address, such as {@code http://127.0.0.1:7373}
     * @param login who sends them
     * @param rule for keys that have a timer; null for what the line says, or fail
     */
    ServerImport(String server, Login login, @Nullable OnConflict rule, Surroundings around, Results results) {
        this.server = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
        this.login = login;
        this.around = around;
        this.client = login.client().build();
        this.rule = rule;
        this.results = results;
    }

    void add(int number, TimerLine line) throws IOException {
        OnConflict own = line.body().onConflict();
        if (own != null && rule != null && own != rule) {
            results.refused(number, "the line has another onConflict than --on-conflict");
        } else if (line.isPlan() || waiting.contains(hash(line))) {
            waiting.add(hash(line));
            last.add(number, line.queue(), own, line.timer());
        } else {
            gather(number, line.queue(), own, line.timer());
        }
    }

    private static long hash(TimerLine line) {
        long hash = HASH_SEED;
        for (byte each : (line.queue() + '\n' + line.body().key()).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each) * HASH_PRIME;
        }
        return hash;
    }

    private void gather(int number, String name, @Nullable OnConflict own, byte[] timer) throws IOException {
        Gathered queue = queues.computeIfAbsent(name, unknown -> new Gathered());
        int before = queue.lines.size();
        int brace = 0;
        while (timer[brace] != '{') {
            brace++;
        }
        if (own == null) {
            OnConflict added = rule == null ? OnConflict.FAIL : rule;
            String field = "{\"onConflict\":\"" + added.name().toLowerCase(Locale.ROOT) + "\",";
            queue.lines.write(field.getBytes(StandardCharsets.US_ASCII));
            brace++;
        }
        queue.lines.write(timer, brace, timer.length - brace);
        queue.lines.write('\n');
        queue.numbers.add(number);
        bytes += queue.lines.size() - before;
        if (queue.numbers.size() >= LINES || queue.lines.size() >= BYTES) {
            send(name, queue);
        } else if (bytes >= BYTES_IN_ALL) {
            sendAll();
        }
    }

    /** Sets what is set of a queue; that it has already stays, unless the rule says otherwise. */
    void addQueue(int number, QueueLine line) throws IOException {
        URI queue = URI.create(server + ApiPath.queue(line.queue()));
        HttpResponse<String> found = exchange(request(queue).GET());
        if (found.statusCode() != 200 && found.statusCode() != 404) {
            // Whether something is set that must stay is not known.
            results.refused(number, refusal(found));
            return;
        }
        boolean isSet = found.headers().firstValue("ETag").isPresent();
        if (isSet && (rule == OnConflict.KEEP || rule == OnConflict.ONCE)) {
            results.kept();
            return;
        }
        if (isSet && rule != OnConflict.REPLACE) {
            results.refused(number, "something is set of queue " + line.queue());
            return;
        }
        HttpResponse<String> answer = exchange(request(queue)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofByteArray(line.settings())));
        if (answer.statusCode() == 200) {
            results.set();
        } else {
            results.refused(number, refusal(answer));
        }
    }

    private static String refusal(HttpResponse<String> answer) {
        return "the server answers " + answer.statusCode() + ": " + Excerpt.sentence(answer.body());
    }

    /**
     * Sends what is left: recurring timers once their runs are there, as they begin to make others at once, and with them later lines for the keys of recurring
     * timers, as of two lines for a key the later one is the one that stays.
     */
    void finish() throws IOException {
        sendAll();
        last.forEach(this::gather);
        sendAll();
    }

    private void sendAll() throws IOException {
        for (Map.Entry<String, Gathered> each : queues.entrySet()) {
            send(each.getKey(), each.getValue());
        }
    }

    private void send(String queue, Gathered gathered) throws IOException {
        if (gathered.numbers.isEmpty()) {
            return;
        }
        byte[] body = gathered.lines.toByteArray();
        List<Integer> numbers = List.copyOf(gathered.numbers);
        gathered.lines.reset();
        gathered.numbers.clear();
        bytes -= body.length;
        HttpResponse<String> answer = post(queue, body);
        String[] lines = answer.body().split("\n", -1);
        if (answer.statusCode() != 200 || lines.length < numbers.size()) {
            String reason = refusal(answer);
            numbers.forEach(number -> results.refused(number, reason));
            return;
        }
        for (int i = 0; i < numbers.size(); i++) {
            note(numbers.get(i), lines[i]);
        }
    }

    private HttpResponse<String> post(String queue, byte[] body) throws IOException {
        return exchange(request(URI.create(server + ApiPath.queue(queue).suffix("/timers:batch")))
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private HttpRequest.Builder request(URI place) {
        return login.show(HttpRequest.newBuilder(place));
    }

    /** Makes a call, again and again while the server refuses it, having done nothing, and says when it may be made. */
    private HttpResponse<String> exchange(HttpRequest.Builder request) throws IOException {
        while (true) {
            HttpResponse<String> answer = once(request);
            String asked = answer.headers().firstValue("Retry-After").orElse(null);
            Duration wait = RetryAfter.wait(asked, around.clock().now());
            boolean isPassing = answer.statusCode() == TOO_MANY
                    || (answer.statusCode() == UNAVAILABLE
                            && NOT_APPLIED.matcher(answer.body()).find());
            if (!isPassing || wait.isZero()) {
                return answer;
            }
            await(wait, answer);
        }
    }

    private void await(Duration wait, HttpResponse<String> answer) throws IOException {
        if (wait.compareTo(longestWait) > 0) {
            longestWait = wait;
            results.waits(wait, refusal(answer));
        }
        long untilNanos = around.clock().monoNanos() + wait.toNanos();
        for (long left = wait.toNanos();
                left > 0;
                left = untilNanos - around.clock().monoNanos()) {
            around.pause().accept(left);
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("interrupted");
            }
        }
    }

    private HttpResponse<String> once(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<String> answer = WholeAnswer.await(client, request.build(), TIMEOUT, WholeAnswer.MOST_BYTES);
            answers++;
            return answer;
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw cutOff(
                    "cannot be reached: there is no connection; "
                            + (answers == 0 ? "nothing was done" : "what was answered before stands; " + GO_ON),
                    e);
        } catch (WholeAnswer.TooLargeException e) {
            throw cutOff(e.getMessage() + "; what became of the lines that it was sent last is not known; " + GO_ON, e);
        } catch (IOException e) {
            String tls = TlsFailure.text(e);
            throw cutOff(
                    tls != null
                            ? tls
                            : "has not answered, or broken the connection off" + TlsFailure.hint(server)
                                    + "; what became of the lines that it was sent last is not known; " + GO_ON,
                    e);
        } catch (InterruptedException e) {
            // The import ends with it, and says so; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private StartException cutOff(String how, IOException cause) {
        return new StartException("cannot import: " + server + " " + how, StartException.IO_ERROR, cause);
    }

    private void note(int number, String answer) throws IOException {
        int status = 0;
        String outcome = "";
        String detail = "";
        try (JsonParser json = JSON.createParser(answer)) {
            json.nextToken();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                switch (name) {
                    case "status" -> status = json.getIntValue();
                    case "outcome" -> outcome = json.getText();
                    case "detail" -> detail = json.getText();
                    default -> json.skipChildren();
                }
            }
        }
        if (status == 201 || (status == 200 && outcome.equals(Scheduled.Outcome.REPLACED.name()))) {
            results.scheduled();
        } else if (status == 200) {
            results.kept();
        } else {
            results.refused(number, detail);
        }
    }

    @Override
    public void close() throws IOException {
        last.close();
    }
}
