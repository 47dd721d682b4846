package io.tickwheel.engine;

import io.tickwheel.engine.queue.QueueSettingsText;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.TimerKey;
import java.util.List;

/** The settings of a queue as they lie in a store, for tools that read one. */
public final class QueueDocument {

    private QueueDocument() {}

    /** Whether a timer is none of anybody: it holds the settings of a queue, or says that some have changed. */
    public static boolean isOne(TimerKey key) {
        return key.queue().equals(DocumentQueues.SETTINGS);
    }

    /** Whether a timer is none of anybody: it holds a bulk run, or lists some. */
    public static boolean isOfBulkRuns(TimerKey key) {
        return key.queue().equals(DocumentQueues.BULKS);
    }

    /** Whether a timer is none of anybody: it holds one of the {@link ProgramDocuments}. */
    public static boolean isOfProgram(TimerKey key) {
        return key.queue().equals(DocumentQueues.PROGRAM);
    }

    /** The queue whose settings a document holds; empty when it holds none. */
    public static String queueOf(TimerKey key) {
        return key.key();
    }

    /** The secrets that settings have, themselves; none when they have none. For those who keep them as safe as the store is kept. */
    public static List<String> secretsOf(QueueSettings settings) {
        SigningSecrets secrets = settings.secrets();
        return secrets == null ? List.of() : secrets.reveal();
    }

    /**
     * The settings that a document holds.
     *
     * @throws IllegalArgumentException when the content is none of a document
     */
    public static QueueSettings read(byte[] content) {
        return QueueSettingsText.read(TimerContent.decode(content).payload());
    }
}
