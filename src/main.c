/* main: finds the verb, runs it, prints what went wrong, and gives the exit status. Nothing below
 * here prints an error or exits. */
#include "sql/opening.h"
#include "src/agent/texts.h"
#include "src/base/hint.h"
#include "src/command/guides.h"
#include "src/command/help.h"
#include "src/command/recipes.h"
#include "src/report/names.h"
#include "src/verbs/stand_ins.h"
#include "src/verbs/verbs.h"

#include <signal.h>
#include <string.h>

static int unknown_verb(const char *word)
{
    const char *names[32];
    size_t count = 0;
    for (; verbs[count] && count < 32; count++)
        names[count] = verbs[count]->name;
    struct text hint = {0};
    bool done = hint_add(&hint, word, names, count, "see tpq --help");
    fputs("tpq: unknown verb '", stderr);
    session_print(stderr, word);
    fprintf(stderr, "'%s\n", done ? hint.items : "");
    text_free(&hint);
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

static bool run_verb(const struct verb *verb, const struct arguments *arguments,
                     struct error *error)
{
    struct session_file file;
    return session_redirect(&file, arguments, error) &&
           session_restore(&file, verb->run(arguments, error), error);
}

/* `command`: what it stands for; NULL: nothing. */
static int run(const struct verb *verb, const struct stand_in *command, int count, char **words)
{
    struct arguments arguments;
    struct error error = {0};
    bool help = false;
    bool done = arguments_parse(&arguments, verb, count, words, &help, &error);
    if (arguments_has(&arguments, "trust"))
        opening_trust(true);
    if (done && help && command)
        help_stand_in(verb, command, stdout);
    else if (done && help)
        help_verb(verb, stdout);
    else if (done && command && !stand_ins_check(command, &arguments, &error))
        done = false;
    else if (done)
        done = warehouse_start(&error) && run_verb(verb, &arguments, &error);
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

/* The implied words take the place of the command's name. */
static int run_stand_in(const struct verb *verb, const struct stand_in *command, int count,
                        char **words)
{
    static char compat[] = "--compat";
    char **all = malloc(((size_t)count + 1) * sizeof *all);
    struct error error = {0};
    if (!all)
        return finish(verb, error_memory(&error), &error);
    int used = 0;
    for (const struct option *option = verb->options; option->name; option++)
        if (strcmp(option->name, compat + 2) == 0)
            all[used++] = compat;
    if (command->option)
        all[used++] = command->option;
    for (int i = 1; i < count; i++)
        all[used++] = words[i];
    int status = run(verb, command, used, all);
    free(all);
    return status;
}

static bool make_links(int count, char **words, struct error *error)
{
    if (count != 1)
        return error_set(error, STATUS_USAGE, "--compat-links needs a value (DIRECTORY)");
    return stand_ins_link(words[0], error);
}

static bool print_recipes(const char *name, struct error *error)
{
    if (name)
        return recipe_print(name, stdout, error);
    recipes_print(stdout);
    return true;
}

int main(int count, char **words)
{
    const struct verb *meant = NULL;
    signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f a write fails, which has its sentence */
    const struct stand_in *command = count > 0 ? stand_ins_find(words[0], &meant) : NULL;
    if (command)
        return run_stand_in(meant, command, count, words);
    if (count < 2) {
        help_overview(verbs, stderr);
        return STATUS_USAGE;
    }
    const char *word = words[1];
    const struct verb *verb = find_verb(word);
    struct error error = {0};
    if (verb)
        return run(verb, NULL, count - 2, words + 2);
    if (strcmp(word, "--compat-links") == 0)
        return finish(NULL, make_links(count - 2, words + 2, &error), &error);
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (strcmp(word, "--version") == 0)
        puts("tpq " TPQ_VERSION);
    else if (!help)
        return unknown_verb(word);
    else if (count == 2)
        help_overview(verbs, stdout);
    else if (guide_text(words[2])) {
        fputs(guide_text(words[2]), stdout);
        if (strcmp(words[2], "trust") == 0)
            return finish(NULL, warehouse_start(&error) && names_print("checks", stdout, &error),
                          &error);
    } else if (strcmp(words[2], "agents") == 0)
        texts_print_guide(stdout);
    else if (strcmp(words[2], "recipes") == 0)
        return finish(NULL, print_recipes(count > 3 ? words[3] : NULL, &error), &error);
    else if (strcmp(words[2], "names") == 0 && count > 3)
        return finish(NULL, warehouse_start(&error) && names_print(words[3], stdout, &error),
                      &error);
    else if ((verb = find_verb(words[2])))
        help_verb(verb, stdout);
    else
        return unknown_verb(words[2]);
    return finish(NULL, true, &error);
}
