package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/**
 * Text in which only a timer's number and due time change, both of a fixed number of digits: a request costs a copy. Every
 * {@value #NUMBER} stands for the number, every {@value #DUE} for the due time in milliseconds.
 */
final class TimerTemplate {

    static final String NUMBER = "##########";
    static final String DUE = "@@@@@@@@@@@@@";

    private final byte[] bytes;
    private final int[] numbers;
    private final int[] dues;

    TimerTemplate(String text) {
        bytes = text.getBytes(UTF_8);
        numbers = places(text, NUMBER);
        dues = places(text, DUE);
    }

    int length() {
        return bytes.length;
    }

    /** Writes the text to {@code to} from {@code at} on. */
    void write(byte[] to, int at, long number, long dueAtMs) {
        System.arraycopy(bytes, 0, to, at, bytes.length);
        for (int place : numbers) {
            digits(to, at + place, NUMBER.length(), number);
        }
        for (int place : dues) {
            digits(to, at + place, DUE.length(), dueAtMs);
        }
    }

    static void digits(byte[] to, int at, int count, long value) {
        long rest = value;
        for (int i = at + count - 1; i >= at; i--) {
            to[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        assert rest == 0;
    }

    private static int[] places(String text, String mark) {
        List<Integer> places = new ArrayList<>();
        for (int at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length())) {
            places.add(at);
        }
        return places.stream().mapToInt(Integer::intValue).toArray();
    }
}
