package io.tickwheel.engine;

/** The name of a queue or timer breaks its rule. The message says which and how. */
public final class InvalidNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /** What is named. */
    public enum Part {
        QUEUE("queue"),
        KEY("key"),
        /** What the keys begin with that a query asks for. */
        KEY_PREFIX("keyPrefix");

        private final String word;

        Part(String word) {
            this.word = word;
        }

        /** What messages call it. */
        public String word() {
            return word;
        }
    }

    private final Part part;

    InvalidNameException(Part part, String rule) {
        super(part.word + " " + rule);
        this.part = part;
    }

    InvalidNameException(Part part, String rule, Throwable cause) {
        super(part.word + " " + rule, cause);
        this.part = part;
    }

    /** Which name breaks its rule. */
    public Part part() {
        return part;
    }
}
