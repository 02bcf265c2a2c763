/* terminal: the interactive side of shell.h, with line editing, history and completion by
 * libedit, which is loaded when the prompt begins; without it lines are read as they come. Ctrl-C
 * stops a statement that is running, or throws away what was typed so far. */
#include "query/ask/shell.h"
#include "query/ask/terminal.sql.h"
#include "src/base/library.h"
#include "src/base/order.h"
#include "src/base/text.h"
#include "src/base/visible.h"

#include <histedit.h>

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { HISTORY_LINES = 1000 };

/* Functions of libedit. */
/* clang-format off */
#define EDIT_FUNCTIONS(X) \
    X(el_init) X(el_end) X(el_reset) X(el_gets) X(el_set) X(el_get) X(el_line) X(el_insertstr) \
    X(el_deletestr) X(history_init) X(history_end) X(history)
/* clang-format on */
#define EDIT_POINTER(name) __typeof__(name) *name;
static struct {
    EDIT_FUNCTIONS(EDIT_POINTER)
} edit;

struct terminal {
    struct shell *shell;
    EditLine *line; /* NULL: lines are read without libedit */
    char *plain;    /* then this is the last one */
    size_t plain_room;
    History *history;
    char *history_path;
    struct text pending; /* the statement so far */
    ARRAY(char *) names; /* that can be completed, sorted */
};

/* ------------------------------------------------------------------ Ctrl-C */

/* A signal handler has no other way to know what it stops. */
static sqlite3 *volatile running;

static void on_interrupt(int signal)
{
    (void)signal;
    if (running)
        sqlite3_interrupt(running);
}

/* ------------------------------------------------------------------ completion */

/* Whatever their capitals, so that all that matches stands together. */
ORDER_BY(compare_names, char *, BY(strcasecmp(*a, *b)));

static void add_name(struct terminal *self, const char *name)
{
    char *copy = memory_text(name);
    array_add(&self->names, copy);
}

static void load_names(struct terminal *self)
{
    struct error ignored = {0};
    sqlite3_stmt *statement =
        warehouse_prepare(self->shell->warehouse, names_to_complete, &ignored);
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
        add_name(self, (const char *)sqlite3_column_text(statement, 0));
    database_finalize(statement);
    for (size_t i = 0; shell_command_name(i); i++)
        add_name(self, shell_command_name(i));
    array_sort(&self->names, compare_names);
}

static unsigned char complete_word(EditLine *line)
{
    struct terminal *self;
    edit.el_get(line, EL_CLIENTDATA, &self);
    if (!self->names.count)
        load_names(self);
    const LineInfo *info = edit.el_line(line);
    const char *start = info->cursor;
    while (start > info->buffer &&
           (isalnum((unsigned char)start[-1]) || start[-1] == '_' || start[-1] == '.'))
        start--;
    const char *dot = memchr(start, '.', (size_t)(info->cursor - start));
    if (dot && dot > start) /* table.column */
        start = dot + 1;
    size_t typed = (size_t)(info->cursor - start), first = 0, count = 0, shared = 0;
    for (size_t i = 0; i < self->names.count; i++) {
        char *const *name = &self->names.items[i];
        if (strncasecmp(*name, start, typed) != 0)
            continue;
        if (count++ == 0) {
            first = i;
            shared = strlen(*name);
        }
        size_t same = 0;
        while (same < shared && (*name)[same] == self->names.items[first][same])
            same++;
        shared = same;
    }
    if (count == 0 || typed == 0)
        return CC_REFRESH_BEEP;
    if (shared > typed || count == 1) {
        char *whole = memory_part(self->names.items[first], shared);
        edit.el_deletestr(line, (int)typed);
        int result = edit.el_insertstr(line, whole);
        if (result == 0 && count == 1)
            edit.el_insertstr(line, " ");
        return result == 0 ? CC_REFRESH : CC_ERROR;
    }

    /* Several names match: the first ones are listed, in columns. */
    char *const *names = self->names.items + first;
    enum { COLUMNS = 3, SHOWN_MAX = 60 };
    putchar('\n');
    struct text visible = {0};
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        text_clear(&visible);
        visible_add(&visible, view_of(names[i]));
        printf("%-26s%s", visible.items, i % COLUMNS == COLUMNS - 1 ? "\n" : "");
    }
    if (count % COLUMNS || count > SHOWN_MAX)
        puts(count > SHOWN_MAX ? "\n..." : "");
    return CC_REDISPLAY;
}

/* Functions of the library lie between this and who reads lines. */
static unsigned char complete(EditLine *line, int key)
{
    (void)key;
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use()))
        return CC_ERROR;
    unsigned char result = complete_word(line);
    memory_leave(&attempt);
    return result;
}

/* ------------------------------------------------------------------ lines */

static char *prompt_words(const struct terminal *self)
{
    static char first[] = "tpq> ", more[] = "...> ";
    return self->pending.count ? more : first;
}

static char *prompt(EditLine *line)
{
    struct terminal *self;
    edit.el_get(line, EL_CLIENTDATA, &self);
    return prompt_words(self);
}

/* Input as one line, so that it can be called up and changed as a whole: line ends become blanks,
 * and a comment up to one becomes one that has an end. Line ends inside of quotes stay. */
static void add_as_line(struct text *line, const char *typed)
{
    char quote = 0;
    text_add_string(line, "");
    for (const char *at = typed; *at; at++) {
        size_t comment = !quote && at[0] == '-' && at[1] == '-' ? strcspn(at, "\r\n") : 0;
        if (comment && !memmem(at, comment, "*/", 2))
            text_format(line, "/*%.*s */", (int)comment - 2, at + 2);
        else if (!comment)
            text_add_byte(line, !quote && strchr("\r\n", *at) ? ' ' : *at);
        if (comment)
            at += comment - 1;
        else if (quote)
            quote = *at == quote ? 0 : quote;
        else if (strchr("'\"`", *at))
            quote = *at;
    }
    while (line->count && line->items[line->count - 1] == ' ')
        line->items[--line->count] = '\0';
}

static void remember(struct terminal *self, const char *typed)
{
    HistEvent event;
    struct text line = {0};
    if (self->line) {
        add_as_line(&line, typed);
        if (line.items[strspn(line.items, " \t\r\n")])
            edit.history(self->history, &event, H_ENTER, line.items);
    }
}

static bool run_line(struct terminal *self, const char *line, struct error *error)
{
    if (self->pending.count == 0 && line[0] == '.') {
        remember(self, line);
        char *command = memory_text(line);
        command[strcspn(command, "\r\n")] = '\0';
        return shell_run_command(self->shell, command, error);
    }
    text_add_string(&self->pending, line);
    if (shell_is_blank(self->pending.items)) {
        text_clear(&self->pending);
        return true;
    }
    if (!sqlite3_complete(self->pending.items))
        return true;
    remember(self, self->pending.items);
    bool done = shell_run_text(self->shell, "SQL", self->pending.items, error);
    text_clear(&self->pending);
    return done;
}

static bool load_editor(void)
{
    void *library = dlopen(TPQ_EDIT, RTLD_LAZY | RTLD_LOCAL);
    if (!library) /* its name outside of Debian */
        library = dlopen("libedit.so.0", RTLD_LAZY | RTLD_LOCAL);
#define EDIT_FIND(name) &&library_find(library, #name, &edit.name)
    return library EDIT_FUNCTIONS(EDIT_FIND);
#undef EDIT_FIND
}

static bool start(struct terminal *self)
{
    HistEvent event;

    /* The editor drops what its locale has no character for. */
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    if (!load_editor())
        return true;
    self->line = edit.el_init("tpq", stdin, stdout, stderr);
    self->history = edit.history_init();
    if (!self->line || !self->history)
        return false;
    edit.history(self->history, &event, H_SETSIZE, HISTORY_LINES);
    edit.history(self->history, &event, H_SETUNIQUE, 1);
    const char *home = getenv("HOME");
    struct text path = {0};
    if (home) {
        text_format(&path, "%s/.tpq_history", home);
        self->history_path = path.items;
        edit.history(self->history, &event, H_LOAD, self->history_path);
    }
    edit.el_set(self->line, EL_CLIENTDATA, self);
    edit.el_set(self->line, EL_PROMPT, prompt);
    edit.el_set(self->line, EL_EDITOR, "emacs");
    edit.el_set(self->line, EL_HIST, edit.history, self->history);
    edit.el_set(self->line, EL_SIGNAL, 0);
    edit.el_set(self->line, EL_ADDFN, "tpq-complete", "complete a name", complete);
    edit.el_set(self->line, EL_BIND, "^I", "tpq-complete", NULL);
    return true;
}

static void terminal_stop(struct terminal *self)
{
    HistEvent event;
    if (self->history && self->history_path)
        edit.history(self->history, &event, H_SAVE, self->history_path);
    if (self->line)
        edit.el_end(self->line);
    if (self->history)
        edit.history_end(self->history);
    free(self->plain);
}

/* A line without libedit. Ctrl-C counts from the prompt on, however soon it comes. */
static const char *read_plain(struct terminal *self)
{
    struct pollfd in = {STDIN_FILENO, POLLIN, 0};
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    fputs(prompt_words(self), stdout);
    fflush(stdout);
    bool is_there = ppoll(&in, 1, NULL, &before) > 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_there && getline(&self->plain, &self->plain_room, stdin) > 0 ? self->plain : NULL;
}

bool shell_run_terminal(struct shell *shell, struct error *error)
{
    if (!warehouse_show_views(shell->warehouse, error))
        return false;
    struct terminal self = {.shell = shell};
    if (!start(&self)) {
        terminal_stop(&self);
        memory_fail();
    }
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    printf("%s: SQL, or .help%s\n", shell->warehouse->path,
           self.line ? "" : "; without libedit lines cannot be edited");
    while (!shell->quit) {
        /* NULL at the end, and with EINTR after Ctrl-C. */
        int length = 0;
        errno = 0;
        const char *line;
        if (self.line)
            line = edit.el_gets(self.line, &length);
        else
            line = read_plain(&self);
        line = self.line && length <= 0 ? NULL : line;
        if (!line && errno == EINTR) { /* Ctrl-C while typing */
            if (self.pending.count)
                remember(&self, self.pending.items);
            text_clear(&self.pending);
            if (self.line)
                edit.el_reset(self.line);
            clearerr(stdin);
            putchar('\n');
            continue;
        }
        if (!line)
            break;
        struct error failure = {0};
        running = shell->warehouse->db;
        bool done = run_line(&self, line, &failure);
        running = NULL;
        if (!done) {
            /* An error may name anything, with any bytes in it. */
            visible_print(view_of(failure.text), stderr);
            fputc('\n', stderr);
        }
    }
    if (!shell->quit)
        putchar('\n');
    sigaction(SIGINT, &before, NULL);
    terminal_stop(&self);
    return true;
}
