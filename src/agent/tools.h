/* tools: what an assistant can call, in one table: the list for clients, the schemas, the check of
 * arguments, and the command line that a call stands for are all made from it.
 */
#pragma once

#include "src/base/literal.h"
#include "src/command/option.h"

enum tool_type { TOOL_TEXT, TOOL_INTEGER, TOOL_WORD, TOOL_BOOLEAN, TOOL_LIST, TOOL_OBJECT };
enum tool_form {
    TOOL_OPTION, /* the option of the same name */
    TOOL_OPERAND,
    TOOL_FILE, /* an operand: a file below a root */
    TOOL_SIDE, /* an operand: a run, or such a file */
};

struct tool_argument {
    const char *name;
    enum tool_type type;
    enum tool_form form;
    bool is_needed;
    const char *words; /* NULL: those of the option */
};

struct tool {
    const char *name, *title, *description, *brief;
    const char *verb;
    const char *const *words;    /* that the verb gets in each call; NULL: none */
    struct tool_argument own[5]; /* up to one without a name */
    const char *selection;       /* names of arguments, with spaces between */
    const char *otherwise;       /* the argument that stands for one that is missing; or NULL */
};

extern const struct tool tools[]; /* up to one without a name; the last one is ingest */

/* Settings that a server was started with. */
struct agent {
    const struct verb *const *verbs;
    const char *database;
    const char **roots, **report_folders, **extensions; /* each ended by NULL */
    bool may_ingest, is_quiet;
    long timeout, max_tokens;
};

const struct tool *tool_find(const struct agent *agent, const char *name);

/* An array of all tools, as `tools/list` has it. */
void tools_list(const struct agent *agent, struct text *out);

/* A command line: of a verb, and what of it names files or runs. */
struct tool_call {
    const struct agent *agent;
    const struct tool *tool;
    ARRAY(char *) words; /* options; then operands */
    size_t options;      /* how many of the words those are */
    bool reads_file;
};

/* Checks arguments and makes a call of them; an error has a sentence for the client. */
bool tool_call_read(struct tool_call *self, const struct literals *json, int arguments,
                    struct error *error);
void tool_call_free(struct tool_call *self);

/* Runs it, in a process of its own (call.h). */
bool tool_call_run(void *self, struct error *error);

/* Runs a verb of that name. */
bool tool_run_verb(const struct agent *agent, const char *verb, int count, char *const *words,
                   struct error *error);
