package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.Problem;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What all connections together may hold. */
final class IntakeLimitsTest {

    private static final int HALF = Limits.BATCH_BODY / 2;

    /** So short that a test can wait for its end, and long enough for a head that comes in one piece. */
    private static final long HEAD_MS = 50;

    private static final int MANY = 10;

    private Vertx vertx = watched(new Connections(MANY, MANY, Clock.system()));
    private final BodyBudget budget = new BodyBudget(Limits.BATCH_BODY);
    private final Readiness readiness = new Readiness();
    private final Failures failures =
            new Failures(readiness, new RandomKeys(() -> 7), new Traffic(code -> {}, when -> {}, null));
    private final CompletableFuture<Integer> taken = new CompletableFuture<>();
    private final CompletableFuture<Long> heldUnanswered = new CompletableFuture<>();

    private static Vertx watched(Connections connections) {
        return Vertx.builder()
                .withTransport(new WatchedTransport(HEAD_MS, connections))
                .build();
    }

    /** Has another limit of connections. */
    private void limit(int all, int perAddress) {
        close();
        vertx = watched(new Connections(all, perAddress, Clock.system()));
    }

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void aBudgetIsAnEighthOfTheHeapAndFitsABody() {
        assertThat(BodyBudget.ofHeap(64 << 20).bytes()).isEqualTo(8 << 20);
        assertThat(BodyBudget.ofHeap(64 << 20).longestBatch()).isEqualTo(8 << 20);
        assertThat(BodyBudget.ofHeap(4L << 30).bytes()).isEqualTo(512 << 20);
        assertThat(BodyBudget.ofHeap(4L << 30).longestBatch()).isEqualTo(Limits.BATCH_BODY);
        BodyBudget full = BodyBudget.ofHeap(0);
        assertThat(full.take(Limits.BODY)).isTrue();
        assertThat(full.take(1)).isFalse();
        full.giveBack(1);
        assertThat(full.take(1)).isTrue();
    }

    @Test
    void connectionsAreAsManyAsTheHeapHasRoomFor() {
        assertThat(BodyBudget.connections(64 << 20, Long.MAX_VALUE)).isEqualTo(1_024);
        assertThat(BodyBudget.connections(4L << 30, Long.MAX_VALUE)).isEqualTo(Limits.CONNECTIONS);
    }

    @Test
    void connectionsLeaveHalfOfTheFilesThatMayBeOpenToOthers() {
        assertThat(BodyBudget.connections(4L << 30, 4_096)).isEqualTo(2_048);
        assertThat(BodyBudget.connections(4L << 30, 1)).isEqualTo(1);
    }

    @Test
    void aBodyBeyondTheBudgetOfAllIsRefusedAndTheOthersGoOn() throws Exception {
        int port = listen();
        try (Socket first = connect(port);
                Socket second = connect(port)) {
            begin(first, Limits.BATCH_BODY);
            first.getOutputStream().write(new byte[HALF]);
            awaitTaken(HALF);
            begin(second, Limits.BATCH_BODY);
            second.getOutputStream().write(new byte[HALF + 1]);
            String refusal = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(refusal)
                    .startsWith("HTTP/1.1 503 ")
                    .contains("\"code\":\"overloaded\"", "\"applied\":false", "Retry-After: 1");
            awaitTaken(HALF);
            first.getOutputStream().write(new byte[HALF]);
            assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(Limits.BATCH_BODY);
            assertThat(heldUnanswered.join()).isEqualTo(Limits.BATCH_BODY);
            awaitTaken(0);
        }
    }

    @Test
    void answersThatNobodyReadsTakeOfTheBudgetToo() throws Exception {
        assertThat(answerBesideOneThatIsNotRead("GET"))
                .startsWith("HTTP/1.1 503 ")
                .contains("\"code\":\"overloaded\"");
    }

    /** Who is refused sends it again. */
    @Test
    void whatHasBeenDoneIsAnsweredThoughOthersReadNothing() throws Exception {
        assertThat(answerBesideOneThatIsNotRead("POST")).startsWith("HTTP/1.1 200 ");
    }

    private String answerBesideOneThatIsNotRead(String method) throws Exception {
        int port = answering(HALF + 1);
        String answer;
        try (Socket first = connect(port)) {
            first.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitTaken(HALF + 1);
            answer = lastAnswer(port, method);
        }
        awaitTaken(0);
        return answer;
    }

    /** All that comes on a connection of its own. */
    private static String lastAnswer(int port, String method) throws IOException {
        try (Socket socket = connect(port)) {
            socket.getOutputStream()
                    .write((method + " / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void theAnswerToAHeadTakesNothingForLong() throws Exception {
        int port = answering(HALF + 1);
        for (int i = 0; i < 3; i++) {
            assertThat(lastAnswer(port, "HEAD")).startsWith("HTTP/1.1 200 ").contains("content-length: " + (HALF + 1));
            awaitTaken(0);
        }
    }

    @Test
    void aBodyInPiecesOfAnySizeIsPutTogether() {
        SplittableRandom random = new SplittableRandom(42);
        for (int round = 0; round < 200; round++) {
            byte[] body = new byte[random.nextInt(40_000)];
            random.nextBytes(body);
            BodyPieces pieces = new BodyPieces();
            for (int at = 0; at < body.length; ) {
                int next = Math.min(body.length, at + 1 + random.nextInt(1 << random.nextInt(15)));
                pieces.add(Buffer.buffer(Arrays.copyOfRange(body, at, next)));
                at = next;
            }
            assertThat(pieces.toBytes()).isEqualTo(body);
        }
    }

    @Test
    void aBodyThatBreaksOffGivesBackWhatItTook() throws Exception {
        int port = listen();
        try (Socket socket = connect(port)) {
            begin(socket, Limits.BATCH_BODY);
            socket.getOutputStream().write(new byte[HALF]);
            awaitTaken(HALF);
        }
        awaitTaken(0);
    }

    /** It would end the connection in the middle of another request. */
    @Test
    void nothingIsLeftOfTheDeadlineOfABodyThatHasCome() throws Exception {
        Set<Object> timers = ConcurrentHashMap.newKeySet();
        try (Socket socket = half(timers)) {
            socket.getOutputStream().write('y');
            assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(timers).isEmpty();
        }
    }

    /** It would be counted as refused once more, half a minute later. */
    @Test
    void nothingIsLeftOfTheDeadlineOfABodyThatBreaksOff() throws Exception {
        Set<Object> timers = ConcurrentHashMap.newKeySet();
        half(timers).close();
        assertThat(Patience.look(() -> Set.copyOf(timers), Set::isEmpty)).isEmpty();
    }

    /** Half of a body of two bytes has come, and its deadline is in the set. */
    private Socket half(Set<Object> timers) throws Exception {
        Vertx noted = noted(timers);
        Socket socket = connect(listen(request -> intake(noted, request)));
        begin(socket, 2);
        socket.getOutputStream().write('x');
        // The deadline is set after the budget was asked.
        assertThat(Patience.look(() -> Set.copyOf(timers), set -> !set.isEmpty()))
                .hasSize(1);
        return socket;
    }

    /** Has the timers in the set that were set and not cancelled. */
    private Vertx noted(Set<Object> timers) {
        return (Vertx) Proxy.newProxyInstance(
                IntakeLimitsTest.class.getClassLoader(), new Class<?>[] {Vertx.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(vertx, arguments);
                    if (method.getName().equals("setTimer")) {
                        timers.add(result);
                    } else if (method.getName().equals("cancelTimer")) {
                        timers.remove(arguments[0]);
                    }
                    return result;
                });
    }

    /** Nobody learns its length before it has come. */
    @Test
    void aBodyInChunksThatIsTooLongGivesBackWhatItTook() throws Exception {
        int port = listen();
        try (Socket socket = connect(port)) {
            OutputStream out = socket.getOutputStream();
            out.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            byte[] head = (Integer.toHexString(HALF + 1) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            byte[] end = "\r\n".getBytes(StandardCharsets.US_ASCII);
            for (int chunk = 0; chunk < 2; chunk++) {
                out.write(head);
                out.write(new byte[HALF + 1]);
                out.write(end);
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 413 ")
                    .contains("\"code\":\"body_too_large\"");
            awaitTaken(0);
        }
    }

    /** Its sender might not read the answer before he has sent all of it. */
    @Test
    void aRefusedBodyThatStopsIsNotAwaited() throws Exception {
        int port = listen();
        try (Socket socket = connect(port)) {
            begin(socket, Limits.BATCH_BODY + 1);
            socket.getOutputStream().write('x');
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void aRefusedBodyWithoutEndIsNotReadForLong() throws Exception {
        int port = listen();
        long sent = 0;
        try (Socket socket = connect(port)) {
            begin(socket, Integer.MAX_VALUE);
            byte[] piece = new byte[1 << 20];
            while (sent < Integer.MAX_VALUE) {
                socket.getOutputStream().write(piece);
                sent += piece.length;
            }
        } catch (IOException closed) {
            assertThat(sent).as("what is read, and what is on its way").isLessThan(64 << 20);
        }
        assertThat(sent).isLessThan(Integer.MAX_VALUE);
    }

    @Test
    void aBodyWhoseSenderIsGoneBeforeTheAnswerGivesBackWhatItTook() throws Exception {
        int port = listen(this::answerWhenItsSenderIsGone);
        try (Socket socket = connect(port)) {
            begin(socket, HALF);
            socket.getOutputStream().write(new byte[HALF]);
            assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(HALF);
            awaitTaken(HALF);
        }
        awaitTaken(0);
    }

    @Test
    void connectionsBeyondTheLimitAreClosedUntilOthersEnd() throws Exception {
        limit(1, MANY);
        int port = listen();
        try (Socket first = connect(port)) {
            begin(first, 2);
            first.getOutputStream().write('x');
            awaitTaken(1);
            try (Socket second = connect(port)) {
                assertThat(second.getInputStream().read()).isEqualTo(-1);
            }
        }
        awaitTaken(0);
        try (Socket third = connect(port)) {
            begin(third, 1);
            third.getOutputStream().write('x');
            assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    @Test
    void connectionsOfOneAddressBeyondItsLimitAreClosedAndThoseOfOthersAreNot() throws Exception {
        limit(MANY, 1);
        int port = listen();
        try (Socket first = connect(port)) {
            begin(first, 2);
            first.getOutputStream().write('x');
            awaitTaken(1);
            try (Socket second = connect(port);
                    Socket elsewhere = new Socket()) {
                assertThat(second.getInputStream().read()).isEqualTo(-1);
                elsewhere.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), 0));
                elsewhere.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                begin(elsewhere, 1);
                elsewhere.getOutputStream().write('x');
                assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(1);
            }
        }
    }

    @Test
    void aHeadThatTricklesIsAnsweredAndCut() throws Exception {
        int port = listen();
        try (Socket slow = connect(port);
                Socket prompt = connect(port)) {
            slow.getOutputStream().write("POST / HTTP/1.1\r\nHost: x\r\nX-".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 408 ")
                    .contains(Problem.MEDIA_TYPE, "connection: close", "\"code\":\"request_timeout\"")
                    .contains("the request head did not arrive in " + HEAD_MS + " ms");
            // This one had said nothing all the while.
            begin(prompt, 1);
            prompt.getOutputStream().write('x');
            assertThat(taken.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    /** Somebody who answers so many bytes to whatever is asked. */
    private int answering(int bytes) {
        return vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(request -> new Exchange(request, failures, budget)
                        .answer(200, "text/plain", Buffer.buffer(new byte[bytes])))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private int listen() {
        return listen(request -> intake(vertx, request));
    }

    private int listen(Handler<HttpServerRequest> requests) {
        HttpServer http = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(requests)
                .invalidRequestHandler(request ->
                        new Exchange(request, failures, budget).refuseAndClose(RequestHead.unreadable(request)))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        return http.actualPort();
    }

    private void intake(Vertx timers, HttpServerRequest request) {
        Exchange exchange = new Exchange(request, failures, budget);
        BodyIntake.read(timers, exchange, budget, Limits.BATCH_BODY, bytes -> {
            heldUnanswered.complete(budget.taken());
            exchange.answer(200, new JsonOut(2).open('{').close('}'));
            taken.complete(bytes.length);
        });
    }

    private void answerWhenItsSenderIsGone(HttpServerRequest request) {
        Exchange exchange = new Exchange(request, failures, budget);
        request.response()
                .closeHandler(
                        gone -> exchange.answer(200, new JsonOut(2).open('{').close('}')));
        BodyIntake.read(vertx, exchange, budget, Limits.BATCH_BODY, bytes -> taken.complete(bytes.length));
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void begin(Socket socket, int length) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private void awaitTaken(long bytes) throws Exception {
        assertThat(Patience.look(this::budgetTaken, taken -> taken == bytes)).isEqualTo(bytes);
    }

    /** Polled from outside the event loop, which is good enough to wait with. */
    private long budgetTaken() {
        return budget.taken();
    }
}
