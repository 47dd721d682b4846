package io.tickwheel.docs;

import java.util.ArrayList;
import java.util.List;

/** Reads as much of a shell script as pages have: words, quotes, comments, continued lines, pipes, redirections, documents in place. */
final class Shell {

    /**
     * A command.
     *
     * @param words the program and its arguments, without assignments before them
     * @param file where its output goes, or an empty string
     * @param input the document in place, or an empty string
     */
    record Command(List<String> words, String file, String input) {

        String program() {
            return words.get(0);
        }

        List<String> arguments() {
            return words.subList(1, words.size());
        }
    }

    private final String text;
    private final List<Command> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private String file = "";
    private String ending = "";
    private int at;

    private Shell(String text) {
        this.text = text;
    }

    static List<Command> commands(String script) {
        Shell shell = new Shell(script.replace("\\\n", " "));
        shell.read();
        return shell.commands;
    }

    private void read() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                at++;
                end(ending.isEmpty() ? "" : document());
            } else if (c == '&' || c == '|' || c == ';') {
                at++;
                end("");
            } else if (c == '#') {
                at = text.indexOf('\n', at);
            } else if (text.startsWith("<<", at)) {
                at += 2;
                ending = word();
            } else if (c == '>') {
                at++;
                file = word();
            } else if (Character.isWhitespace(c)) {
                at++;
            } else {
                words.add(word());
            }
        }
        end("");
    }

    private void end(String input) {
        while (!words.isEmpty() && words.get(0).matches("[A-Z_]+=.*")) {
            words.remove(0);
        }
        if (!words.isEmpty()) {
            commands.add(new Command(List.copyOf(words), file, input));
        }
        words = new ArrayList<>();
        file = "";
    }

    private String document() {
        int end = text.indexOf("\n" + ending + "\n", at - 1);
        if (end < 0) {
            throw new IllegalArgumentException("a document has no end: " + ending);
        }
        String document = text.substring(at, end + 1);
        at = end + ending.length() + 2;
        ending = "";
        return document;
    }

    private String word() {
        while (text.charAt(at) == ' ') {
            at++;
        }
        StringBuilder word = new StringBuilder();
        while (at < text.length() && " \n&|;<>".indexOf(text.charAt(at)) < 0) {
            char c = text.charAt(at++);
            if (c == '\'' || c == '"') {
                int end = c == '\'' ? text.indexOf(c, at) : endOfDouble();
                if (end < 0) {
                    throw new IllegalArgumentException("a quote has no end: " + text.substring(at));
                }
                String quoted = text.substring(at, end);
                word.append(c == '\'' ? quoted : quoted.replaceAll("\\\\([\"\\\\$`])", "$1"));
                at = end + 1;
            } else {
                word.append(c);
            }
        }
        return word.toString();
    }

    private int endOfDouble() {
        for (int i = at; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == '"') {
                return i;
            }
        }
        return -1;
    }
}
