/* main: finds the verb, runs it, prints what went wrong, and gives the exit status. Nothing below
 * here prints an error or exits. */
#include "sql/warehouse/opening.h"
#include "src/agent/texts.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/base/visible.h"
#include "src/command/help.h"
#include "src/command/topics.h"
#include "src/verbs/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ commands of other tools */

/* The command at this path, and the verb that stands for it; NULL: it is none of them. */
static const struct stand_in *find_stand_in(const char *path, const struct verb **verb)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; verbs[i]; i++)
        for (const struct stand_in *it = verbs[i]->stand_ins; it && it->command; it++)
            if (strcmp(name, it->command) == 0) {
                *verb = verbs[i];
                return it;
            }
    return NULL;
}

/* Fails where a call lacks what the command requires. */
static bool check_stand_in(const struct stand_in *command, const struct arguments *arguments,
                           struct error *error)
{
    bool is_operand = isupper((unsigned char)*command->required);
    if (command->instead)
        return error_set(error, STATUS_USAGE, "%s: tpq has no such report; %s", command->command,
                         command->instead);
    if (is_operand ? arguments->operands.count > 0
                   : arguments_any(arguments, command->required) != NULL)
        return true;
    struct text name = {0}; /* as the command itself has it */
    text_format(&name, "%s", is_operand ? "" : "--");
    for (const char *at = command->required; *at; at++)
        text_format(&name, *at == ' ' ? " or --" : "%c", *at == '-' ? '_' : *at);
    error_set(error, STATUS_USAGE, "%s: %s is required; see %s --help", command->command,
              name.items, command->command);
    return false;
}

/* The target of links in a folder: the program's name where it lies there itself. */
static bool find_own_program(const char *folder, char program[PATH_MAX], struct error *error)
{
    char whole[PATH_MAX];
    if (!realpath("/proc/self/exe", program))
        return error_set(error, STATUS_DATABASE, "this program cannot be found: %s",
                         strerror(errno));
    char *slash = strrchr(program, '/');
    size_t length = (size_t)(slash - program);
    if (realpath(folder, whole) && strlen(whole) == length && strncmp(whole, program, length) == 0)
        memmove(program, slash + 1, strlen(slash));
    return true;
}

/* Goes through all commands; `makes` says whether only to look what is there. */
static bool each_link(const char *folder, const char *program, bool makes, struct error *error)
{
    struct text path = {0};
    bool done = true;
    for (size_t i = 0; verbs[i] && done; i++)
        for (const struct stand_in *it = verbs[i]->stand_ins; done && it && it->command; it++) {
            bool there;
            text_clear(&path);
            text_format(&path, "%s/%s", folder, it->command);

            /* A link that is there already is fine; anything else of that name is an error. */
            char now[PATH_MAX];
            ssize_t length = readlink(path.items, now, sizeof now);
            there = length >= 0 && (size_t)length == strlen(program) &&
                    strncmp(now, program, (size_t)length) == 0;
            done = there || (length < 0 && errno == ENOENT) ||
                   error_set(error, STATUS_DATABASE, "%s: is there already, and no link to %s",
                             path.items, program);
            if (done && makes && !there && symlink(program, path.items) != 0)
                done = error_set(error, STATUS_DATABASE, "%s: cannot be made a link: %s",
                                 path.items, strerror(errno));
        }
    return done;
}

/* Makes a link to this program in a folder, which is made where there is none, for every such
 * command. All or none: anything else that has such a name stays, and is an error. */
static bool make_links(int count, char **words, struct error *error)
{
    const char *folder = words[0];
    char program[PATH_MAX];
    if (count != 1)
        return error_set(error, STATUS_USAGE, "--compat-links needs a value (DIRECTORY)");
    if (!file_make_folder(folder, error))
        return false;
    if (!find_own_program(folder, program, error))
        return false;
    return each_link(folder, program, false, error) && each_link(folder, program, true, error);
}

/* ------------------------------------------------------------------ the call */

/* Says what the verb was perhaps meant to be; with `only_near` nothing else, and then 0. */
static int unknown_verb(const char *word, bool only_near)
{
    const char *names[32];
    size_t count = 0;
    struct text hint = {0};
    for (; verbs[count] && count < 32; count++) {
        names[count] = verbs[count]->name;
        if (option_is_in(verbs[count]->also, word))
            text_format(&hint, "; did you mean %s?", names[count]);
    }
    if (!hint.count)
        hint_add(&hint, word, names, count, only_near ? NULL : "see tpq --help");
    if (!hint.count)
        return STATUS_OK;
    session_sayf("%s '%s'%s",
                 *word == '-' ? "there is no verb, or none of its options is" : "unknown verb",
                 word, hint.items);
    return STATUS_USAGE;
}

/* Gives the exit status. What was printed is done when it has arrived. */
static int finish(const struct verb *verb, bool done, struct error *error)
{
    if (done && (fflush(stdout) != 0 || ferror(stdout)))
        done = error_set(error, STATUS_DATABASE, "the output cannot be written");
    if (done)
        return STATUS_OK;
    if (error->text[0]) {
        /* Sentences about a call name the verb themselves. */
        const char *sentence = error->text;
        static const char program[] = "tpq ";
        size_t before = strlen(program), name = verb ? strlen(verb->name) : 0;
        bool names_verb = verb && strncmp(sentence, program, before) == 0 &&
                          strncmp(sentence + before, verb->name, name) == 0 &&
                          strncmp(sentence + before + name, ": ", 2) == 0;
        if (names_verb)
            visible_print_lines(view_of(sentence), visible_columns(STDERR_FILENO, 0), 0, 5, stderr);
        else
            session_say(view_of(sentence));
    }
    if (error->memory) { /* files of libraries may be half done: nothing more is written */
        fflush(stdout);
        _exit((int)error->status);
    }
    return (int)error->status;
}

static bool run_verb(const struct verb *verb, const struct arguments *arguments,
                     struct error *error)
{
    struct session_file file;
    return session_redirect(&file, arguments, error) &&
           session_restore(&file, session_run(verb, arguments, error), error);
}

/* A warehouse that stands where a trace or a name could stand is the one of the call. Beside traces
 * it stays where it is: nothing goes into it unasked. */
static void take_warehouse(struct arguments *arguments)
{
    const struct option *option = arguments->verb->options;
    while (option->name && strcmp(option->name, "db") != 0)
        option++;
    if (!option->name || arguments->verb->takes_warehouses || arguments_has(arguments, "db"))
        return;
    size_t at = 0, files = 0;
    for (size_t i = 0; i < arguments->operands.count; i++)
        if (strpbrk(arguments->operands.items[i], "./") && /* no name is */
            warehouse_exists(arguments->operands.items[i])) {
            at = i;
            files++;
        }
    if (files != 1 || !warehouse_is(arguments->operands.items[at]))
        return;
    const char *word = arguments->operands.items[at];
    array_add(&arguments->values, (struct argument_value){option, word, true});
    memmove(&arguments->operands.items[at], &arguments->operands.items[at + 1],
            (--arguments->operands.count - at) * sizeof word);
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
    if (done && help && command && !command->instead)
        help_stand_in(verb, command, stdout);
    else if (done && help && !command)
        help_verb(verb, stdout);
    else if (done && command && !check_stand_in(command, &arguments, &error))
        done = false;
    else if (done) {
        take_warehouse(&arguments);
        done = warehouse_start(&error) && run_verb(verb, &arguments, &error);
    }
    return finish(verb, done, &error);
}

/* Where the examples of the guide to extensions are: installed, or in the sources beside a build.
 */
static void print_examples(void)
{
    char program[PATH_MAX], folder[PATH_MAX];
    static const char *const places[] = {"/../share/doc/tpq/extensions", "/../sql/extensions"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct text path = {0};
        if (realpath("/proc/self/exe", program))
            text_format(&path, "%.*s%s", (int)(strrchr(program, '/') - program), program,
                        places[i]);
        bool is_there = path.count && realpath(path.items, folder);
        if (is_there) {
            printf("\nThe examples are in %s\n", folder);
            return;
        }
    }
}

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, word) == 0)
            return verbs[i];
    return NULL;
}

/* The verb behind options that stand before it, as in tpq --db FILE compare: it moves to the front.
 * NULL: none of the words is a verb to which the words before are options. */
static const struct verb *find_verb_behind(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        const struct verb *verb = find_verb(words[i]);
        struct arguments before;
        struct error error;
        bool help, is_it = verb && arguments_parse(&before, verb, i, words, &help, &error) &&
                           !help && !before.operands.count;
        if (!is_it)
            continue;
        char *name = words[i];
        memmove(words + 1, words, (size_t)i * sizeof *words);
        words[0] = name;
        return verb;
    }
    return NULL;
}

static bool print_recipes(const char *name, struct error *error)
{
    const char *sql = name ? recipe_sql(name, error) : NULL;
    if (name)
        return sql && fputs(sql, stdout) >= 0;
    recipes_print(stdout);
    return true;
}

static int main_start(int count, char **words)
{
    const struct verb *meant = NULL;
    const struct stand_in *command = count > 0 ? find_stand_in(words[0], &meant) : NULL;
    if (command) {
        /* The implied words take the place of the command's name. */
        static char compat[] = "--compat";
        char **all = memory_list((size_t)count + 1, sizeof *all);
        int used = 0;
        for (const struct option *option = meant->options; option->name; option++)
            if (strcmp(option->name, compat + 2) == 0)
                all[used++] = compat;
        if (command->option)
            all[used++] = command->option;
        for (int i = 1; i < count; i++)
            all[used++] = words[i];
        return run(meant, command, used, all);
    }
    if (count < 2) {
        help_overview(verbs, stderr);
        return STATUS_USAGE;
    }
    const struct verb *verb = find_verb(words[1]);
    struct error error = {0};
    bool is_option = words[1][0] == '-';
    if (is_option)
        verb = find_verb_behind(count - 1, words + 1);
    const char *word = words[1];
    if (verb)
        return run(verb, NULL, count - 2, words + 2);
    if (strcmp(word, "--compat-links") == 0)
        return finish(NULL, make_links(count - 2, words + 2, &error), &error);
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)
        puts("tpq " TPQ_VERSION);
    else if (!help)
        return unknown_verb(word, false);
    else if (count == 2)
        help_overview(verbs, stdout);
    else if (guide_text(words[2])) {
        fputs(guide_text(words[2]), stdout);
        if (strcmp(words[2], "extensions") == 0)
            print_examples();
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
    else {
        int status = unknown_verb(words[2], true);
        return status ? status : run(find_verb("describe"), NULL, count - 2, words + 2);
    }
    return finish(NULL, true, &error);
}

int main(int count, char **words)
{
    struct memory memory = {0};
    struct memory_attempt attempt;
    struct error error = {0};
    signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f a write fails, which has its sentence */
    if (!memory_try(&attempt, &memory))
        return finish(NULL, error_memory(&error), &error);
    int status = main_start(count, words);
    memory_leave(&attempt);
    memory_end(&memory);
    return status;
}
