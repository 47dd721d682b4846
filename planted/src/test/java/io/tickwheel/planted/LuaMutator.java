package io.tickwheel.planted;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes all small changes of a Lua script, one at a time, outside its comments: comparisons, constants, {@code and} and {@code or},
 * {@code not}, plus and minus, least and most, ends of ranges, calls whose answer nobody takes, and arguments in a row. It knows tokens
 * only, so that a change may be one that does not load.
 */
final class LuaMutator {

    private static final Pattern TOKEN = Pattern.compile("(?<comment>--[^\n]*)"
            + "|(?<string>'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\")"
            + "|(?<number>\\d+)"
            + "|(?<name>[A-Za-z_]\\w*)"
            + "|(?<sign>==|~=|<=|>=|\\.\\.\\.?|[^\\s\\w])");

    private static final Map<String, List<String>> COMPARISONS = Map.of(
            "<", List.of("<=", ">="),
            "<=", List.of("<", ">"),
            ">", List.of(">=", "<="),
            ">=", List.of(">", "<"),
            "==", List.of("~="),
            "~=", List.of("=="));
    private static final Map<String, String> JUNCTIONS = Map.of("and", "or", "or", "and");
    private static final Map<String, String> SUMS = Map.of("+", "-", "-", "+");
    private static final Map<String, String> EXTREMES = Map.of("min", "max", "max", "min");
    private static final Map<String, String> TRUTHS = Map.of("true", "false", "false", "true");
    private static final Map<String, String> BOUNDS = Map.of("'-inf'", "'+inf'", "'+inf'", "'-inf'", "'('", "''");

    private static final Set<String> KEYWORDS = Set.of(
            "and",
            "break",
            "do",
            "else",
            "elseif",
            "end",
            "false",
            "for",
            "function",
            "if",
            "in",
            "local",
            "nil",
            "not",
            "or",
            "repeat",
            "return",
            "then",
            "true",
            "until",
            "while");
    /** What a statement may follow. */
    private static final Set<String> BEFORE_STATEMENTS = Set.of("do", "else", "end", "repeat", "then");

    private static final Set<String> ENDS_OF_VALUES = Set.of(")", "]", "}", "true", "false", "nil", "end");
    private static final Set<String> LISTS = Set.of("KEYS", "ARGV");

    private enum Kind {
        STRING,
        NUMBER,
        NAME,
        SIGN
    }

    private record Token(Kind kind, String text, int start, int end, int line) {}

    private final String script;
    private final String source;
    private final List<String> lines;
    private final List<Token> tokens;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<LuaMutant> mutants = new ArrayList<>();

    private LuaMutator(String script, String source) {
        this.script = script;
        this.source = source;
        lines = source.lines().toList();
        tokens = tokens(source);
    }

    /** Returns all mutants of a script, in the order of their places. */
    static List<LuaMutant> mutants(String script, String source) {
        LuaMutator mutator = new LuaMutator(script, source);
        for (int at = 0; at < mutator.tokens.size(); at++) {
            mutator.changeAt(at);
        }
        return List.copyOf(mutator.mutants);
    }

    private static List<Token> tokens(String source) {
        List<Token> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(source);
        int line = 1;
        int counted = 0;
        while (matcher.find()) {
            line += (int) source.substring(counted, matcher.start())
                    .chars()
                    .filter(letter -> letter == '\n')
                    .count();
            counted = matcher.start();
            if (matcher.group("comment") == null) {
                tokens.add(new Token(kind(matcher), matcher.group(), matcher.start(), matcher.end(), line));
            }
        }
        return tokens;
    }

    private static Kind kind(Matcher matcher) {
        if (matcher.group("string") != null) {
            return Kind.STRING;
        }
        if (matcher.group("number") != null) {
            return Kind.NUMBER;
        }
        return matcher.group("name") != null ? Kind.NAME : Kind.SIGN;
    }

    private void changeAt(int at) {
        Token token = tokens.get(at);
        switch (token.kind) {
            case STRING -> replace("bound", token, BOUNDS.get(token.text));
            case NUMBER -> {
                long value = Long.parseLong(token.text);
                replace("constant", token, "" + (value + 1));
                replace("constant", token, value == 0 ? null : "" + (value - 1));
            }
            case NAME -> {
                dropCall(at);
                exchangeNeighbours(at);
                replace("junction", token, JUNCTIONS.get(token.text));
                replace("truth", token, TRUTHS.get(token.text));
                if (isSign(at + 1, "(")) {
                    replace("extreme", token, EXTREMES.get(token.text));
                }
                if (token.text.equals("not")) {
                    replace("not", token.line, token.start, tokens.get(at + 1).start, "");
                }
            }
            case SIGN -> {
                COMPARISONS.getOrDefault(token.text, List.of()).forEach(other -> replace("comparison", token, other));
                if (endsValue(at - 1)) {
                    replace("sum", token, SUMS.get(token.text));
                }
            }
        }
    }

    private boolean isSign(int at, String text) {
        return at < tokens.size()
                && tokens.get(at).kind == Kind.SIGN
                && tokens.get(at).text.equals(text);
    }

    /** Whether a value ends there, so that a sign behind it has two sides. */
    private boolean endsValue(int at) {
        if (at < 0) {
            return false;
        }
        Token token = tokens.get(at);
        return token.kind == Kind.STRING
                || token.kind == Kind.NUMBER
                || ENDS_OF_VALUES.contains(token.text)
                || (token.kind == Kind.NAME && !KEYWORDS.contains(token.text));
    }

    private boolean beginsLine(int at) {
        return at == 0 || tokens.get(at - 1).line < tokens.get(at).line;
    }

    /** Leaves out a statement that is one call. */
    private void dropCall(int at) {
        Token first = tokens.get(at);
        if (!beginsLine(at) || KEYWORDS.contains(first.text)) {
            return;
        }
        if (at > 0 && !endsValue(at - 1) && !BEFORE_STATEMENTS.contains(tokens.get(at - 1).text)) {
            return;
        }
        int next = at + 1;
        while (isSign(next, ".")) {
            next += 2;
        }
        if (!isSign(next, "(")) {
            return;
        }
        int depth = 0;
        do {
            depth += isSign(next, "(") ? 1 : isSign(next, ")") ? -1 : 0;
            next++;
        } while (depth > 0);
        boolean endsStatement = next == tokens.size()
                || (beginsLine(next)
                        && tokens.get(next).kind == Kind.NAME
                        && !JUNCTIONS.containsKey(tokens.get(next).text));
        if (endsStatement) {
            replace("call", first.line, first.start, tokens.get(next - 1).end, "");
        }
    }

    /** Exchanges an argument or key with the one behind it. */
    private void exchangeNeighbours(int at) {
        String list = tokens.get(at).text;
        if (!LISTS.contains(list) || !isElement(at, list) || !isSign(at + 4, ",") || !isElement(at + 5, list)) {
            return;
        }
        String one = tokens.get(at + 2).text;
        String other = tokens.get(at + 7).text;
        replace(
                "order",
                tokens.get(at).line,
                tokens.get(at).start,
                tokens.get(at + 8).end,
                list + "[" + other + "], " + list + "[" + one + "]");
    }

    private boolean isElement(int at, String list) {
        return at + 3 < tokens.size()
                && tokens.get(at).text.equals(list)
                && isSign(at + 1, "[")
                && isSign(at + 3, "]")
                && tokens.get(at + 2).kind == Kind.NUMBER;
    }

    private void replace(String kind, Token token, String after) {
        if (after != null) {
            replace(kind, token.line, token.start, token.end, after);
        }
    }

    private void replace(String kind, int line, int start, int end, String after) {
        String before = source.substring(start, end).replaceAll("\\s+", " ").trim();
        int nth = numbers.merge(line + kind + before + " " + after, 1, Integer::sum);
        String text = source.substring(0, start) + after + source.substring(end);
        mutants.add(new LuaMutant(script, line, lines.get(line - 1).trim(), kind, before, after, nth, text));
    }
}
