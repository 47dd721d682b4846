package io.tickwheel.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.LauncherConstants.STACKTRACE_PRUNING_ENABLED_PROPERTY_NAME;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs tests on one set of resources after another, in a JVM that stays warm: the classes of the product and its tests are loaded anew
 * each time, libraries stay. A line of the input is after how many seconds they hang, a folder that comes before all others, and classes of
 * tests; a line of the output is how they ended.
 */
final class MutantMain {

    private static final int HUNG_EXIT = 12;

    private MutantMain() {}

    /** Its arguments are the places of the classes of the product and its tests, which the class path of this JVM is without. */
    public static void main(String[] places) throws IOException, InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            List<String> words = List.of(order.split(" ", -1));
            Run run = new Run(urls(words.get(1), places), words.subList(2, words.size()));
            Thread thread = new Thread(run, "run");
            thread.start();
            thread.join(TimeUnit.SECONDS.toMillis(Long.parseLong(words.get(0))));
            if (thread.isAlive()) {
                answers.println(TestProcess.End.HUNG);
                Runtime.getRuntime().halt(HUNG_EXIT);
            }
            answers.println(run.end);
        }
        System.exit(0);
    }

    private static URL[] urls(String first, String[] places) throws MalformedURLException {
        List<URL> urls = new ArrayList<>(List.of(Path.of(first).toUri().toURL()));
        for (String place : places) {
            urls.add(Path.of(place).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /** The tests on one set of resources, until the first of them fails. */
    private static final class Run implements Runnable {

        private final URL[] places;
        private final List<String> tests;
        private volatile String end = "";

        Run(URL[] places, List<String> tests) {
            this.places = places;
            this.tests = tests;
        }

        @Override
        public void run() {
            try (URLClassLoader loader = new URLClassLoader(places, MutantMain.class.getClassLoader())) {
                Thread.currentThread().setContextClassLoader(loader);
                for (String test : tests) {
                    if (!passes(loader, test)) {
                        end = TestProcess.End.FAILED.name();
                        return;
                    }
                }
                end = TestProcess.End.PASSED.name();
            } catch (IOException | RuntimeException e) {
                end = e.toString();
            }
        }

        private static boolean passes(ClassLoader loader, String test) {
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            CancellationToken token = CancellationToken.create();
            LauncherFactory.create()
                    .execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(loader, test))
                                    .configurationParameter(STACKTRACE_PRUNING_ENABLED_PROPERTY_NAME, "false")
                                    .build())
                            .listeners(summary, new StopsAtFailure(token))
                            .cancellationToken(token)
                            .build());
            if (summary.getSummary().getTestsFoundCount() == 0) {
                throw new IllegalStateException("there is no test in " + test);
            }
            return !token.isCancellationRequested();
        }
    }

    private static final class StopsAtFailure implements TestExecutionListener {

        private final CancellationToken token;

        StopsAtFailure(CancellationToken token) {
            this.token = token;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                System.out.println("FAILED: " + test.getDisplayName() + " "
                        + result.getThrowable().map(Throwable::toString).orElse(""));
                token.cancel();
            }
        }
    }
}
