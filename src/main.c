/* main: finds the verb, runs it, prints what went wrong, and gives the exit status. Nothing below
 * here prints an error or exits. */
#include "src/base/text.h"
#include "src/command/help.h"
#include "src/verbs/verbs.h"

#include <string.h>

static int unknown_verb(const char *word)
{
    const char *names[32];
    size_t count = 0;
    for (; verbs[count] && count < 32; count++)
        names[count] = verbs[count]->name;
    const char *near = nearest_name(word, names, count);
    fputs("tpq: unknown verb '", stderr);
    session_print(stderr, word);
    if (near)
        fprintf(stderr, "'; did you mean %s?\n", near);
    else
        fputs("'; see tpq --help\n", stderr);
    return STATUS_USAGE;
}

/* Sentences about a call name the verb themselves. */
static void print_error(const struct verb *verb, const char *sentence)
{
    static const char program[] = "tpq ";
    size_t before = strlen(program), name = verb ? strlen(verb->name) : 0;
    bool names_verb = verb && strncmp(sentence, program, before) == 0 &&
                      strncmp(sentence + before, verb->name, name) == 0 &&
                      strncmp(sentence + before + name, ": ", 2) == 0;
    fputs(names_verb ? "" : "tpq: ", stderr);
    session_print(stderr, sentence);
    fputc('\n', stderr);
}

/* Gives the exit status. What was printed is done when it has arrived. */
static int finish(const struct verb *verb, bool done, struct error *error)
{
    if (done && (fflush(stdout) != 0 || ferror(stdout)))
        done = error_set(error, STATUS_DATABASE, "the output cannot be written");
    if (done)
        return STATUS_OK;
    if (error->text[0])
        print_error(verb, error->text);
    return (int)error->status;
}

static int run(const struct verb *verb, int count, char **words)
{
    struct arguments arguments;
    struct error error = {0};
    bool help = false;
    bool done = arguments_parse(&arguments, verb, count, words, &help, &error);
    if (done && help)
        help_verb(verb, stdout);
    else if (done)
        done = warehouse_start(&error) && verb->run(&arguments, &error);
    arguments_free(&arguments);
    return finish(verb, done, &error);
}

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, word) == 0)
            return verbs[i];
    return NULL;
}

/* Commands of other tools that a verb stands for: tpq started through a link of that name takes
 * their options. */
static const struct stand_in {
    const char *command;
    const struct verb *verb;
    char *option; /* that the command implies; NULL = none */
} stand_ins[] = {
    {"TraceLens_generate_perf_report_pytorch", &verb_report, NULL},
    {"TraceLens_generate_perf_report_jax", &verb_report, NULL},
    {"TraceLens_generate_perf_report_jax_analysis", &verb_report, "--set=jax-analysis"},
    {"tt-perf-report", &verb_report, NULL},
};

static const struct stand_in *stand_in_for(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (strcmp(slash ? slash + 1 : path, stand_ins[i].command) == 0)
            return &stand_ins[i];
    return NULL;
}

/* The option that the command implies takes the place of its name. */
static int run_stand_in(const struct stand_in *meant, int count, char **words)
{
    if (!meant->option)
        return run(meant->verb, count - 1, words + 1);
    words[0] = meant->option;
    return run(meant->verb, count, words);
}

int main(int count, char **words)
{
    const struct stand_in *meant = count > 0 ? stand_in_for(words[0]) : NULL;
    if (meant)
        return run_stand_in(meant, count, words);
    if (count < 2) {
        help_overview(verbs, stderr);
        return STATUS_USAGE;
    }
    const char *word = words[1];
    const struct verb *verb = find_verb(word);
    struct error error = {0};
    if (verb)
        return run(verb, count - 2, words + 2);
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (strcmp(word, "--version") == 0)
        puts("tpq " TPQ_VERSION);
    else if (!help)
        return unknown_verb(word);
    else if (count == 2)
        help_overview(verbs, stdout);
    else if ((verb = find_verb(words[2])))
        help_verb(verb, stdout);
    else
        return unknown_verb(words[2]);
    return finish(NULL, true, &error);
}
