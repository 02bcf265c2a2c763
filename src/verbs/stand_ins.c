/* stand_ins: see stand_ins.h. */
#include "src/verbs/stand_ins.h"
#include "src/base/file.h"
#include "src/verbs/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct stand_in *stand_ins_find(const char *path, const struct verb **verb)
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

bool stand_ins_check(const struct stand_in *command, const struct arguments *arguments,
                     struct error *error)
{
    bool is_operand = isupper((unsigned char)*command->required);
    if (is_operand ? arguments->operands.count > 0 : arguments_has(arguments, command->required))
        return true;
    struct text name = {0};
    bool done = text_format(&name, "%s%s", is_operand ? "" : "--", command->required);
    for (char *at = name.items; done && *at; at++) /* as the command itself has it */
        *at = *at == '-' && at > name.items + 1 ? '_' : *at;
    done = done ? error_set(error, STATUS_USAGE, "%s: %s is required; see %s --help",
                            command->command, name.items, command->command)
                : error_memory(error);
    text_free(&name);
    return done;
}

/* The target of links in a folder: the name of the program where it lies there itself. */
static bool find_program(const char *folder, char program[PATH_MAX], struct error *error)
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

/* Whether the link is there already; an error where something else is. */
static bool is_there(const char *path, const char *program, bool *there, struct error *error)
{
    char now[PATH_MAX];
    ssize_t length = readlink(path, now, sizeof now);
    *there = length >= 0 && (size_t)length == strlen(program) &&
             strncmp(now, program, (size_t)length) == 0;
    return *there || (length < 0 && errno == ENOENT) ||
           error_set(error, STATUS_DATABASE, "%s: is there already, and no link to %s", path,
                     program);
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
            done = text_format(&path, "%s/%s", folder, it->command) ? true : error_memory(error);
            done = done && is_there(path.items, program, &there, error);
            if (done && makes && !there && symlink(program, path.items) != 0)
                done = error_set(error, STATUS_DATABASE, "%s: cannot be made a link: %s",
                                 path.items, strerror(errno));
        }
    text_free(&path);
    return done;
}

bool stand_ins_link(const char *folder, struct error *error)
{
    char program[PATH_MAX];
    return file_make_folder(folder, error) && find_program(folder, program, error) &&
           each_link(folder, program, false, error) && each_link(folder, program, true, error);
}
