package io.tickwheel.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests that are named, one after the other, and ends with the first that fails. */
final class TestMain {

    static final int PASSED = 0;
    static final int FAILED = 10;
    private static final int NONE_FOUND = 11;

    private TestMain() {}

    public static void main(String[] tests) {
        for (String test : tests) {
            List<DiscoverySelector> selectors = new ArrayList<>();
            selectors.add(test.contains("#") ? selectMethod(test) : selectClass(test));
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectors)
                                    .build(),
                            summary,
                            new EndsAtFailure());
            if (summary.getSummary().getTestsFoundCount() == 0) {
                System.out.println("there is no test in " + test);
                System.exit(NONE_FOUND);
            }
        }
        System.exit(PASSED);
    }

    private static final class EndsAtFailure implements TestExecutionListener {

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            result.getThrowable()
                    .filter(any -> result.getStatus() == TestExecutionResult.Status.FAILED)
                    .ifPresent(failure -> {
                        System.out.println("FAILED: " + test.getDisplayName());
                        failure.printStackTrace(System.out);
                        System.exit(FAILED);
                    });
        }
    }
}
