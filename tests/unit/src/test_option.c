/* The command line: how options are read, and that help, manual and completions have all that the
 * option tables have. */
#include "tests/unit/support.h"

#include "src/base/hint.h"

#include "src/command/help.h"
#include "src/verbs/verbs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ------------------------------------------------------------------ helpers */

static const struct option options[] = {
    {"db", 0, "FILE", "the warehouse", NULL},
    {"mode", 'm', "MODE", "form of the output", "table csv json"},
    {"quiet", 'q', NULL, "print nothing", NULL},
    {"quick", 0, NULL, "do not wait", NULL},
    {"wide", 'w', NULL, "do not shorten", NULL},
    {"csv-raw", 0, NULL, "leave texts alone", NULL},
    {"csv", 0, "FILE", "write CSV", NULL},
    {"xlsx", 'x', "[FILE]", "write a workbook", NULL},
    {"trace", 't', "TRACE", "a trace, may be repeated", NULL},
    {"trace-part", 0, "N", "a part", NULL},
    {"filter", 'f', "WORD...", "words up to the next option", NULL},
    OPTION_END,
};
static const struct example examples[] = {{NULL, NULL}};
static const struct verb verb = {.name = "try",
                                 .operands = "[OPTION]... FILE",
                                 .options = options,
                                 .preferred = "wide quiet",
                                 .examples = examples};

enum { WORDS_MAX = 12 };

/* Reads words that are separated by spaces; '~' stands for a space, '^' for no word at all. */
static bool parse(struct arguments *arguments, const char *line, bool *help, struct error *error)
{
    static char words[8][300];
    static char *pointers[8][WORDS_MAX];
    static int next;
    int slot = next++ % 8, count = 0;
    assert_true(strlen(line) < sizeof words[0]);
    strcpy(words[slot], line);
    for (char *save, *word = strtok_r(words[slot], " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        for (char *at = word; *at; at++)
            *at = *at == '~' ? ' ' : *at;
        assert_true(count < WORDS_MAX);
        if (strcmp(word, "^") == 0)
            *word = '\0';
        pointers[slot][count++] = word;
    }
    *error = (struct error){0};
    return arguments_parse(arguments, &verb, count, pointers[slot], help, error);
}

/* Everything that was read: name=value or name, then operands behind a bar. */
static void assert_parsed(const char *line, const char *expected)
{
    struct arguments arguments;
    struct error error;
    struct text text = {0};
    bool help;
    if (!parse(&arguments, line, &help, &error))
        fail_msg("%s: %s", line, error.text);
    text_add(&text, "", 0);
    for (size_t i = 0; i < arguments.values.count; i++) {
        const struct argument_value *value = &arguments.values.items[i];
        text_format(&text, "%s%s%s ", value->option->name, value->value ? "=" : "",
                    value->value ? value->value : "");
    }
    text_add_byte(&text, '|');
    for (size_t i = 0; i < arguments.operands.count; i++)
        text_format(&text, " %s", arguments.operands.items[i]);
    if (help)
        text_add_string(&text, " help");
    if (strcmp(text.items, expected) != 0)
        fail_msg("%s gave %s, not %s", line, text.items, expected);
    text_free(&text);
}

static void assert_refused(const char *line, const char *sentence)
{
    struct arguments arguments;
    struct error error;
    bool help;
    if (parse(&arguments, line, &help, &error))
        fail_msg("%s is taken", line);
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, sentence);
}

/* ------------------------------------------------------------------ reading */

static void long_options_have_values_or_none(void **state)
{
    (void)state;
    assert_parsed("", "|");
    assert_parsed("--db w.db", "db=w.db |");
    assert_parsed("--db=w.db", "db=w.db |");
    assert_parsed("--db=a=b", "db=a=b |");
    assert_parsed("--db a~file.db", "db=a file.db |");
    assert_parsed("--quiet --wide", "quiet wide |");
    assert_refused("--csv --quiet",
                   "tpq try: --csv needs a value (FILE), and '--quiet' is an option; "
                   "--csv=--quiet if it is meant");
    assert_parsed("--csv=--quiet", "csv=--quiet |");
    assert_refused("--trace --qui",
                   "tpq try: --trace needs a value (TRACE), and '--qui' is an option; "
                   "--trace=--qui if it is meant");
    assert_refused("--trace -q", "tpq try: --trace needs a value (TRACE), and '-q' is an option; "
                                 "--trace=-q if it is meant");
    assert_parsed("--trace -5",
                  "trace=-5 |"); /* what is no option and names no file may begin so */
    assert_parsed("--trace --nothing", "trace=--nothing |");
    assert_parsed("--csv -", "csv=- |");
    assert_parsed("--db a --db b", "db=a db=b |");
}

static void some_options_take_several_words(void **state)
{
    (void)state;
    assert_parsed("--filter a b --quiet c", "filter=a filter=b quiet | c");
    assert_parsed("-f a b", "filter=a filter=b |");
    assert_parsed("-f a -f b c -- d", "filter=a filter=b filter=c | d");
    assert_parsed("--filter=a b", "filter=a | b");
    assert_parsed("-f -a", "filter=-a |"); /* the first word is always one */
    assert_parsed("-fa b", "filter=a | b");
    assert_refused("-f", "tpq try: --filter needs a value (WORD...)");
}

static void letters_may_be_combined(void **state)
{
    (void)state;
    assert_parsed("-q", "quiet |");
    assert_parsed("-qw", "quiet wide |");
    assert_parsed("-m csv", "mode=csv |");
    assert_parsed("-mcsv", "mode=csv |");
    assert_parsed("-qwmjson x", "quiet wide mode=json | x");
    assert_parsed("-qwm json x", "quiet wide mode=json | x");
    assert_parsed("-t1 -t 2", "trace=1 trace=2 |");
    assert_parsed("-t-q", "trace=-q |");
}

static void dashes_and_underscores_are_the_same(void **state)
{
    (void)state;
    assert_parsed("--csv-raw", "csv-raw |");
    assert_parsed("--csv_raw", "csv-raw |");
    assert_parsed("--trace_part=a_b", "trace-part=a_b |"); /* not in values */
    assert_parsed("--csv_r --trace-p 1", "csv-raw trace-part=1 |");
}

static void options_may_be_shortened(void **state)
{
    (void)state;
    assert_parsed("--d x", "db=x |");
    assert_parsed("--mo=csv", "mode=csv |");
    assert_parsed("--q --w", "quiet wide |"); /* quiet is preferred to quick */
    assert_parsed("--quic", "quick |");
    assert_parsed("--csv-", "csv-raw |");
    /* a whole name holds, though another begins with it */
    assert_parsed("--csv x", "csv=x |");
    assert_parsed("--trace 7", "trace=7 |");
    assert_refused("--cs x", "tpq try: option --cs may mean --csv-raw, --csv");
    assert_refused("--tra=7", "tpq try: option --tra may mean --trace, --trace-part");
    assert_refused("--=7", "tpq try: option -- may mean --db, --mode, --quiet, --quick, --wide, "
                           "--csv-raw, --csv, --xlsx and 3 more");
}

static void unknown_options_are_guessed(void **state)
{
    (void)state;
    assert_refused("--qiet", "tpq try: unknown option --qiet; did you mean --quiet?");
    assert_refused("--modes", "tpq try: unknown option --modes; did you mean --mode?");
    assert_refused("--tracepart=3",
                   "tpq try: unknown option --tracepart; did you mean --trace-part?");
    assert_refused("--nothing-like-it",
                   "tpq try: unknown option --nothing-like-it; see tpq try --help");
    assert_refused("-z", "tpq try: unknown option -z; see tpq try --help");
    assert_refused("-qz", "tpq try: unknown option -z; see tpq try --help");
    assert_refused("--a-word-that-is-longer-than-any-option-has-ever-been-or-ever-will-be-here",
                   "tpq try: unknown option "
                   "--a-word-that-is-longer-than-any-option-has-ever-been-or-ever-will-be-here; "
                   "see tpq try --help");
}

static void values_that_are_missing_or_too_much(void **state)
{
    (void)state;
    assert_refused("--db", "tpq try: --db needs a value (FILE)");
    assert_refused("--d", "tpq try: --db needs a value (FILE)");
    assert_refused("x -qm", "tpq try: --mode needs a value (MODE)");
    assert_refused("--quiet=yes", "tpq try: --quiet takes no value");
    assert_refused("--csv_raw=", "tpq try: --csv-raw takes no value");
}

static void choices_are_checked(void **state)
{
    (void)state;
    assert_parsed("--mode table -mcsv --mode=json", "mode=table mode=csv mode=json |");
    assert_refused("--mode tab", "tpq try: --mode cannot be 'tab'; it is one of: table csv json");
    assert_refused("-m JSON", "tpq try: --mode cannot be 'JSON'; it is one of: table csv json");
    assert_refused("--mode=", "tpq try: --mode cannot be ''; it is one of: table csv json");
    assert_refused("--mode csv~json",
                   "tpq try: --mode cannot be 'csv json'; it is one of: table csv json");
}

static void an_optional_value_stands_behind_an_equals_sign(void **state)
{
    (void)state;
    assert_parsed("--xlsx file", "xlsx | file");
    assert_parsed("--xlsx=out.xlsx file", "xlsx=out.xlsx | file");
    assert_refused("--xlsx= file", "tpq try: --xlsx needs the name of a file");
    assert_parsed("-x file", "xlsx | file");
    assert_parsed("-xq file", "xlsx quiet | file");
}

static void operands_stand_anywhere(void **state)
{
    (void)state;
    assert_parsed("a -q b --db w c", "quiet db=w | a b c");
    assert_parsed("-", "| -");
    assert_parsed("a -- -q --db", "| a -q --db");
    assert_parsed("-- --help", "| --help");
    assert_parsed("-- -- x", "| -- x");
    assert_parsed("--trace -- x", "trace=-- | x");
    assert_parsed("^", "| ");
}

static void help_ends_reading(void **state)
{
    (void)state;
    assert_parsed("--help", "| help");
    assert_parsed("-q -h --no-such-option", "quiet | help");
    assert_parsed("x --help --mode", "| x help");
    assert_parsed("-qh --no-such-option", "quiet | help");
    assert_parsed("-hz", "| help");
    assert_parsed("--hel", "| help");
    assert_parsed("--h", "| help");
    assert_refused("--helpful", "tpq try: unknown option --helpful; see tpq try --help");
}

static void values_are_asked_for_by_name(void **state)
{
    (void)state;
    struct arguments arguments;
    struct error error;
    bool help;
    assert_true(parse(&arguments, "-t 1 --xlsx --trace=2 -q -t 3", &help, &error));
    assert_true(arguments_has(&arguments, "quiet"));
    assert_true(arguments_has(&arguments, "xlsx"));
    assert_false(arguments_has(&arguments, "wide"));
    assert_false(arguments_has(&arguments, "no-such-option"));
    assert_string_equal(arguments_value(&arguments, "trace"), "3");
    assert_null(arguments_value(&arguments, "xlsx"));
    assert_null(arguments_value(&arguments, "db"));
    const char **traces = arguments_values(&arguments, "trace");
    assert_string_equal(traces[0], "1");
    assert_string_equal(traces[1], "2");
    assert_string_equal(traces[2], "3");
    assert_null(traces[3]);
    memory_free(traces);
    traces = arguments_values(&arguments, "db");
    assert_null(traces[0]);
    memory_free(traces);
}

static void numbers_have_limits(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        long number; /* -1 = refused */
    } lines[] = {
        {"", 42},
        {"--trace 1", 1},
        {"--trace 100", 100},
        {"--trace 50 --trace 60", 60},
        {"--trace 0", -1},
        {"--trace 101", -1},
        {"--trace -5", -1},
        {"--trace 5x", -1},
        {"--trace x", -1},
        {"--trace=", -1},
        {"--trace 5.0", -1},
        {"--trace 1e1", -1},
        {"--trace 99999999999999999999", -1},
        {"--trace -99999999999999999999", -1},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct arguments arguments;
        struct error error;
        bool help;
        long number;
        assert_true(parse(&arguments, lines[i].line, &help, &error));
        bool done = arguments_number(&arguments, "trace", 1, 100, 42, &number, &error);
        if (done != (lines[i].number >= 0) || (done && number != lines[i].number))
            fail_msg("%s: %ld %s", lines[i].line, number, error.text);
        if (!done) {
            assert_int_equal(error.status, STATUS_USAGE);
            assert_non_null(
                strstr(error.text, "tpq try: --trace must be a whole number from 1 to 100, not '"));
        }
    }
}

static void operands_may_be_numbers(void **state)
{
    (void)state;
    struct arguments arguments = {.verb = &verb};
    struct error error = {0};
    int64_t value;
    assert_true(session_integer(&arguments, "event id", "4711", &value, &error));
    assert_int_equal(value, 4711);
    assert_true(session_integer(&arguments, "event id", "-9223372036854775808", &value, &error));
    assert_true(value == INT64_MIN);
    static const char *const wrong[] = {"",
                                        "x",
                                        "12x",
                                        "1.0",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "99999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char sentence[100];
        if (session_integer(&arguments, "event id", wrong[i], &value, &error))
            fail_msg("%s is taken", wrong[i]);
        snprintf(sentence, sizeof sentence, "tpq try: '%s' is no event id", wrong[i]);
        assert_string_equal(error.text, sentence);
        assert_int_equal(error.status, STATUS_USAGE);
    }
}

static void names_that_a_beginning_may_mean_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"ops_summary", "ops_with_shapes", "ops_summary_by_x",
                                        "gpu_timeline", "ops_summary"};
    static const struct {
        const char *word, *otherwise, *expected;
    } cases[] = {
        {"op", NULL, "; it may mean ops_summary, ops_with_shapes, ops_summary_by_x"},
        {"OPS_", "see x", "; it may mean ops_summary, ops_with_shapes, ops_summary_by_x"},
        {"gpu", "see x", "; did you mean gpu_timeline?"},
        {"ops_summar", NULL, "; did you mean ops_summary?"},
        {"ops_sumary", NULL, "; did you mean ops_summary?"},
        {"xyzzy", "see x", "; see x"},
        {"xyzzy", NULL, ""},
        {"", "see x", "; see x"},
        {"x", NULL, ""}, /* nothing of it would be left */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text words = {0};
        hint_add(&words, cases[i].word, names, 5, cases[i].otherwise);
        assert_string_equal(words.items ? words.items : "", cases[i].expected);
        text_free(&words);
    }
    const char *many[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
    struct text words = {0};
    hint_add(&words, "a", many, 10, NULL);
    assert_string_equal(words.items, "; it may mean a0, a1, a2, a3, a4, a5, a6, a7 and 2 more");
    text_free(&words);
}

static void the_nearest_name_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"ingest", "sql", "describe", "runs", "traces", "tree"};
    assert_string_equal(nearest_name("ingst", names, 6), "ingest");
    assert_string_equal(nearest_name("trces", names, 6), "traces");
    assert_string_equal(nearest_name("run", names, 6), "runs");
    assert_string_equal(nearest_name("desc", names, 6), "describe"); /* begins so */
    assert_null(nearest_name("xyzzy", names, 6));
    assert_null(nearest_name("anything", names, 0));
    char word[300];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(nearest_name(word, names, 6));
}

/* ------------------------------------------------------------------ help */

static char *print_help(void (*print)(const struct verb *const *, FILE *))
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    print(verbs, out);
    fclose(out);
    assert_int_equal(strlen(text), length);
    char *copy = memory_text(text); /* gcc 12 takes the stream's own one for dangling */
    assert_non_null(copy);
    free(text);
    return copy;
}

/* Takes the white space out, so that it does not matter where lines were broken. */
static char *without_space(const char *text)
{
    char *dense = memory_take(strlen(text) + 1), *end = dense;
    assert_non_null(dense);
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            *end++ = *text;
    *end = '\0';
    return dense;
}

/* Undoes what roff wants: \-, \e, and characters by their names. */
static char *without_roff(const char *text)
{
    char *plain = memory_take(strlen(text) + 1), *end = plain;
    assert_non_null(plain);
    for (; *text; text++) {
        if (*text == '\\' && (text[1] == '-' || text[1] == 'e'))
            *end++ = *++text == '-' ? '-' : '\\';
        else if (text[0] == '\\' && text[1] == '(' && text[2] && text[3]) {
            static const char names[] = "aqdqgahati", plain_ones[] = "'\"`^~";
            const char *found = memmem(names, sizeof names - 1, text + 2, 2);
            assert_non_null(found);
            *end++ = plain_ones[(found - names) / 2];
            text += 3;
        } else
            *end++ = *text;
    }
    *end = '\0';
    return plain;
}

/* The part of a text that is about a verb: from one mark to the other, or to the end. */
static char *part_of(const char *text, const char *start, const char *end)
{
    const char *from = strstr(text, start);
    if (!from)
        fail_msg("there is no %s", start);
    const char *to = strstr(from + strlen(start), end);
    char *part = memory_part(from, to ? (size_t)(to - from) : strlen(from));
    assert_non_null(part);
    return part;
}

static void assert_contains(const char *text, const char *format, ...)
{
    char words[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (!strstr(text, words))
        fail_msg("there is no %s", words);
}

static void every_verb_is_complete(void **state)
{
    (void)state;
    assert_non_null(verbs[7]);
    for (size_t i = 0; verbs[i]; i++) {
        const struct verb *each = verbs[i];
        assert_true(*each->name && *each->operands && *each->summary && *each->details);
        assert_non_null(each->run);
        assert_non_null(each->examples[0].command);
        for (const struct example *example = each->examples; example->command; example++) {
            assert_non_null(strstr(example->command, "tpq "));
            assert_non_null(strstr(example->command, each->name));
            assert_true(*example->meaning);
        }
        for (const struct option *option = each->options; option->name; option++) {
            assert_true(*option->help);
            assert_null(strchr(option->name, '_'));
            for (const struct option *other = each->options; other != option; other++) {
                assert_string_not_equal(option->name, other->name);
                assert_true(!option->letter || option->letter != other->letter);
            }
        }
    }
}

static void help_has_every_option(void **state)
{
    (void)state;
    for (size_t i = 0; verbs[i]; i++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        help_verb(verbs[i], out);
        fclose(out);
        char *dense = without_space(text);
        assert_contains(text, "tpq %s - %s\n", verbs[i]->name, verbs[i]->summary);
        assert_contains(text, "Usage: tpq %s %s\n", verbs[i]->name, verbs[i]->operands);
        assert_contains(text, "-h, --help");
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            char *words = without_space(option->help);
            assert_contains(text, "--%s", option->name);
            if (option->letter)
                assert_contains(text, "-%c, --%s", option->letter, option->name);
            if (option->argument && option->argument[0] != '[')
                assert_contains(text, "--%s %s", option->name, option->argument);
            assert_contains(dense, "%s", words);
            memory_free(words);
        }
        for (const struct section *at = verbs[i]->sections; at && at->title; at++)
            assert_contains(text, "\n\n%s:\n", at->title);
        for (const struct example *example = verbs[i]->examples; example->command; example++)
            assert_contains(text, "%s\n", example->command);
        memory_free(dense);
        free(text);
    }
    char *overview = print_help(help_overview);
    for (size_t i = 0; verbs[i]; i++) {
        assert_contains(overview, "    %s ", verbs[i]->name);
        assert_contains(overview, "%s\n", verbs[i]->summary);
    }
    memory_free(overview);
}

/* But for the example lines and the words that are longer than a line. */
static void help_fits_eighty_columns(void **state)
{
    (void)state;
    for (size_t i = 0; verbs[i]; i++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        help_verb(verbs[i], out);
        fclose(out);
        char *body = part_of(text, "\n\n", "\nExamples:");
        char *save;
        for (char *line = strtok_r(body, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
            if (strlen(line) > 80 && !strstr(line, "Usage:"))
                fail_msg("%s", line);
        memory_free(body);
        free(text);
    }
}

static void the_manual_has_every_option(void **state)
{
    (void)state;
    char *manual = print_help(help_manual);
    for (size_t i = 0; verbs[i]; i++) {
        char start[40];
        snprintf(start, sizeof start, "\n.SH TPQ %s\n", verbs[i]->name);
        char *section = part_of(manual, start, "\n.SH "), *plain = without_roff(section);
        char *dense = without_space(plain);
        assert_contains(manual, ".B tpq %s\n", verbs[i]->name);
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            char *words = without_space(option->help);
            if (option->letter)
                assert_contains(plain, "\n.B -%c, --%s", option->letter, option->name);
            else
                assert_contains(plain, "\n.B --%s", option->name);
            assert_contains(dense, "%s", words);
            memory_free(words);
        }
        memory_free(dense);
        memory_free(plain);
        memory_free(section);
    }
    memory_free(manual);
}

/* ------------------------------------------------------------------ completions */

static void bash_completes_every_option(void **state)
{
    (void)state;
    char *text = print_help(help_bash);
    for (size_t i = 0; verbs[i]; i++) {
        char start[40];
        snprintf(start, sizeof start, "\n        %s) ", verbs[i]->name);
        char *line = part_of(text, start, ";;");
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            assert_contains(line, "--%s ", option->name);
            if (option->choices)
                assert_contains(text, "compgen -W \"%s\"", option->choices);
        }
        assert_contains(line, "--help\"");
        memory_free(line);
    }
    memory_free(text);
}

static void zsh_completes_every_option(void **state)
{
    (void)state;
    char *text = print_help(help_zsh);
    for (size_t i = 0; verbs[i]; i++) {
        char start[40];
        snprintf(start, sizeof start, "\n        %s) _arguments", verbs[i]->name);
        char *part = part_of(text, start, ";;");
        assert_contains(text, "\n        '%s:", verbs[i]->name);
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            bool is_optional = option->argument && option->argument[0] == '[';
            assert_contains(part, "'*--%s%s[", option->name,
                            is_optional        ? "=-"
                            : option->argument ? "="
                                               : "");
            if (option->choices)
                assert_contains(part, ":(%s)'", option->choices);
        }
        memory_free(part);
    }
    memory_free(text);
}

static void fish_completes_every_option(void **state)
{
    (void)state;
    char *text = print_help(help_fish);
    for (size_t i = 0; verbs[i]; i++) {
        assert_contains(text, " -a %s -d '", verbs[i]->name);
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            char start[120];
            snprintf(start, sizeof start, "'__fish_seen_subcommand_from %s' -l %s ", verbs[i]->name,
                     option->name);
            char *line = part_of(text, start, "\n");
            if (option->letter)
                assert_contains(line, " -s %c ", option->letter);
            if (option->choices)
                assert_contains(line, " -x -a '%s'", option->choices);
            memory_free(line);
        }
    }
    memory_free(text);
}

/* Runs a command of the shell; its status, or -1 when the shell or the program is missing. */
static int run_command(const char *command, char *output, size_t room)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, room - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return status == 127 ? -1 : status;
}

/* Writes a completion or the manual, and has a program look at it; what it says must be nothing. */
static void assert_accepted(void (*print)(const struct verb *const *, FILE *), const char *name,
                            const char *program)
{
    char command[400], output[4000];
    char *text = print_help(print);
    const char *path = scratch_file(name, text, strlen(text));
    memory_free(text);
    snprintf(command, sizeof command,
             "command -v %.*s > /dev/null || exit 127; LC_ALL=C %s %s 2>&1",
             (int)strcspn(program, " "), program, program, path);
    int status = run_command(command, output, sizeof output);
    if (status < 0)
        skip();
    if (status != 0 || *output)
        fail_msg("%s: %d: %s", program, status, output);
}

static void bash_accepts_its_completion(void **state)
{
    (void)state;
    assert_accepted(help_bash, "tpq.bash", "bash -n");
}

static void zsh_accepts_its_completion(void **state)
{
    (void)state;
    assert_accepted(help_zsh, "_tpq", "zsh -n");
}

static void fish_accepts_its_completion(void **state)
{
    (void)state;
    assert_accepted(help_fish, "tpq.fish", "fish -n");
}

static void roff_accepts_the_manual(void **state)
{
    (void)state;
    assert_accepted(help_manual, "tpq.1", "groff -man -Tascii -ww -z");
}

/* What bash offers for the last word of a line; "" asks for a new word. */
static void assert_completed(const char *words, const char *expected)
{
    char command[600], output[4000];
    char *text = print_help(help_bash);
    const char *path = scratch_file("tpq.bash", text, strlen(text));
    memory_free(text);
    snprintf(command, sizeof command,
             "command -v bash > /dev/null || exit 127; LC_ALL=C bash -c '. %s; COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tpq; echo \"${COMPREPLY[*]}\"' 2>&1",
             path, words);
    if (run_command(command, output, sizeof output) < 0)
        skip();
    output[strcspn(output, "\n")] = '\0';
    assert_string_equal(output, expected);
}

static void bash_completes(void **state)
{
    (void)state;
    assert_completed("tpq ing", "ingest");
    assert_completed("tpq tr", "traces tree");
    assert_completed("tpq --v", "--version");
    assert_completed("tpq sql --mo", "--mode");
    assert_completed("tpq sql --w", "--wide --write --wait --where");
    assert_completed("tpq sql --mode js", "json jsonl");
    assert_completed("tpq ingest --tree \"\"", "default reference");
    assert_completed("tpq runs --no-such", "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_options_have_values_or_none),
    cmocka_unit_test(some_options_take_several_words),
    cmocka_unit_test(letters_may_be_combined),
    cmocka_unit_test(dashes_and_underscores_are_the_same),
    cmocka_unit_test(options_may_be_shortened),
    cmocka_unit_test(unknown_options_are_guessed),
    cmocka_unit_test(values_that_are_missing_or_too_much),
    cmocka_unit_test(choices_are_checked),
    cmocka_unit_test(an_optional_value_stands_behind_an_equals_sign),
    cmocka_unit_test(operands_stand_anywhere),
    cmocka_unit_test(help_ends_reading),
    cmocka_unit_test(values_are_asked_for_by_name),
    cmocka_unit_test(numbers_have_limits),
    cmocka_unit_test(operands_may_be_numbers),
    cmocka_unit_test(names_that_a_beginning_may_mean_are_listed),
    cmocka_unit_test(the_nearest_name_is_near),
    cmocka_unit_test(every_verb_is_complete),
    cmocka_unit_test(help_has_every_option),
    cmocka_unit_test(help_fits_eighty_columns),
    cmocka_unit_test(the_manual_has_every_option),
    cmocka_unit_test(bash_completes_every_option),
    cmocka_unit_test(zsh_completes_every_option),
    cmocka_unit_test(fish_completes_every_option),
    cmocka_unit_test(bash_accepts_its_completion),
    cmocka_unit_test(zsh_accepts_its_completion),
    cmocka_unit_test(fish_accepts_its_completion),
    cmocka_unit_test(roff_accepts_the_manual),
    cmocka_unit_test(bash_completes),
};
GROUP(option, NULL, NULL)
