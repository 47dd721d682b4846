package io.tickwheel.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs the tests that are named, and ends with the first that fails. A name is that of a class, of a method, or, behind {@value #ID}, an id of
 * JUnit's; those with an id are run together, the others one after the other.
 */
final class TestMain {

    static final int PASSED = 0;
    static final int FAILED = 10;
    private static final int NONE_FOUND = 11;

    /** How the name of a test begins that is its id. */
    static final String ID = "id:";

    /** How a line begins that names the test that is begun by its id, or the container that failed. */
    static final String AT = "AT: ";

    private TestMain() {}

    public static void main(String[] tests) {
        List<DiscoverySelector> ids = new ArrayList<>();
        for (String test : tests) {
            if (test.startsWith(ID)) {
                ids.add(selectUniqueId(test.substring(ID.length())));
            } else {
                run(List.of(test.contains("#") ? selectMethod(test) : selectClass(test)));
            }
        }
        if (!ids.isEmpty()) {
            run(ids);
        }
        System.exit(PASSED);
    }

    private static void run(List<DiscoverySelector> tests) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(tests)
                                .build(),
                        summary,
                        new EndsAtFailure());
        if (summary.getSummary().getTestsFoundCount() == 0) {
            System.out.println("there is no test in " + tests);
            System.exit(NONE_FOUND);
        }
    }

    private static final class EndsAtFailure implements TestExecutionListener {

        @Override
        public void executionStarted(TestIdentifier test) {
            if (test.isTest()) {
                System.out.println(AT + test.getUniqueId());
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            result.getThrowable()
                    .filter(any -> result.getStatus() == TestExecutionResult.Status.FAILED)
                    .ifPresent(failure -> {
                        System.out.println("FAILED: " + test.getDisplayName());
                        failure.printStackTrace(System.out);
                        System.out.println(AT + test.getUniqueId());
                        System.exit(FAILED);
                    });
        }
    }
}
