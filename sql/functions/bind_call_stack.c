/* bind_call_stack: where in a program a call stands.
 *
 *     call_stack(event)        JSON array: frames of Python and ops around it, outermost first,
 * then what is between it and its accelerator work, and that work; where ways part, each way is an
 * array of its own
 *     module_stack(event, name)  the event, and each nn.Module around it
 *     entry_point(stack, op)   the frame in such an array that stands for the op: one inside it
 * that is named like it, else the nearest one around it that does not only pass calls on
 *
 *     SELECT entry_point(call_stack(id), name) FROM slice WHERE name = 'aten::mm'
 *
 * Numbers at the ends of words are left out of names. Calls and frames that say nothing (without a
 * path, a module or a namespace) are left out. NULL, or an id that does not exist, gives NULL.
 */
#include "base/text.h"
#include "functions.h"

#include <ctype.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { WAYS_MAX = 64, DEPTH_MAX = 1000 };

typedef ARRAY(char *) name_list;

static void free_names(name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    array_free(names);
}

/* Takes every "_12" out of a word. */
static void strip_numbers(char *word)
{
    char *to = word;
    for (const char *at = word; *at;) {
        size_t digits = *at == '_' ? strspn(at + 1, "0123456789") : 0;
        if (digits)
            at += digits + 1;
        else
            *to++ = *at++;
    }
    *to = '\0';
}

struct walk {
    sqlite3_stmt *step; /* name, parent, whether it is an op */
    bool failed;
};

/* Names from an event up to, and without, another one; outermost first. */
static bool add_names_up(struct walk *self, int64_t event, int64_t end, name_list *names)
{
    size_t first = names->count;
    for (int i = 0; event != end && event && i < DEPTH_MAX; i++) {
        sqlite3_reset(self->step);
        sqlite3_bind_int64(self->step, 1, event);
        if (sqlite3_step(self->step) != SQLITE_ROW)
            break;
        const char *name = (const char *)sqlite3_column_text(self->step, 0);
        bool is_shown = sqlite3_column_int(self->step, 2) || strstr(name, "nn.Module") ||
                        strstr(name, "::") || strchr(name, '/');
        char *copy = is_shown ? strdup(name) : NULL;
        char **added = copy ? array_push(names) : NULL;
        if (is_shown && !added) {
            free(copy);
            return false;
        }
        if (added) {
            strip_numbers(copy);
            *added = copy;
        }
        event = sqlite3_column_int64(self->step, 1);
    }
    for (size_t low = first, high = names->count; low + 1 < high; low++) {
        char *kept = names->items[low];
        names->items[low] = names->items[--high];
        names->items[high] = kept;
    }
    return true;
}

/* The way from an event to a piece of its work. */
static bool find_way(struct walk *self, int64_t event, sqlite3_stmt *work, name_list *way)
{
    const char *name = (const char *)sqlite3_column_text(work, 2);
    bool is_itself = sqlite3_column_int64(work, 0) == event;
    if (!is_itself && !add_names_up(self, sqlite3_column_int64(work, 1), event, way))
        return false;
    char *copy = strdup(name ? name : "");
    char **added = copy ? array_push(way) : NULL;
    if (added)
        *added = copy;
    else
        free(copy);
    return added != NULL;
}

static bool is_same_way(const name_list *left, const name_list *right)
{
    bool same = left->count == right->count;
    for (size_t i = 0; i < left->count && same; i++)
        same = strcmp(left->items[i], right->items[i]) == 0;
    return same;
}

static bool add_names(struct text *out, const name_list *names, size_t from, size_t to)
{
    bool done = true;
    for (size_t i = from; i < to && done; i++)
        done = (out->items[out->count - 1] == '[' || text_add_byte(out, ',')) &&
               text_add_json(out, view_of(names->items[i]));
    return done;
}

/* What all ways have in common, then the rest of each. */
static bool add_ways(struct text *out, const name_list *ways, size_t count)
{
    size_t common = count ? ways[0].count : 0;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < common && same < ways[i].count &&
               strcmp(ways[0].items[same], ways[i].items[same]) == 0)
            same++;
        common = same;
    }
    bool done = count == 0 || add_names(out, &ways[0], 0, common);
    for (size_t i = 0; i < count && count > 1 && done; i++) {
        bool is_known = ways[i].count == common;
        for (size_t k = 0; k < i && !is_known; k++)
            is_known = is_same_way(&ways[i], &ways[k]);
        done = is_known ||
               (text_add_string(out, out->items[out->count - 1] == '[' ? "[" : ",[") &&
                add_names(out, &ways[i], common, ways[i].count) && text_add_byte(out, ']'));
    }
    return done;
}

static const char step_sql[] =
    "SELECT string.text, event.parent_id, "
    "event.category_id = (SELECT id FROM category WHERE name = 'cpu_op') "
    "FROM event JOIN string ON string.id = event.name_id WHERE event.id = ?1";
static const char work_sql[] =
    "SELECT gpu_event.id, gpu_event.call_id, string.text FROM event AS top "
    "CROSS JOIN gpu_event ON gpu_event.id BETWEEN top.id AND top.last_id "
    "JOIN string ON string.id = gpu_event.name_id WHERE top.id = ?1";

static bool write_stack(struct walk *self, sqlite3 *db, int64_t event, struct text *out)
{
    name_list around = {0}, ways[WAYS_MAX] = {{0}};
    size_t count = 0;
    sqlite3_stmt *work = NULL;
    bool done = sqlite3_prepare_v2(db, work_sql, -1, &work, NULL) == SQLITE_OK;
    sqlite3_bind_int64(work, 1, event);
    bool is_work = false;
    while (done && count < WAYS_MAX && sqlite3_step(work) == SQLITE_ROW) {
        is_work = sqlite3_column_int64(work, 0) == event;
        done = find_way(self, event, work, &ways[count]);
        count++;
    }
    if (done && is_work) { /* it is named as the end of its way already */
        sqlite3_reset(self->step);
        sqlite3_bind_int64(self->step, 1, event);
        if (sqlite3_step(self->step) == SQLITE_ROW)
            event = sqlite3_column_int64(self->step, 1);
    }
    done = done && add_names_up(self, event, 0, &around) && text_add_byte(out, '[') &&
           add_names(out, &around, 0, around.count) && add_ways(out, ways, count) &&
           text_add_byte(out, ']');
    sqlite3_finalize(work);
    free_names(&around);
    for (size_t i = 0; i < count; i++)
        free_names(&ways[i]);
    return done;
}

static void run_call_stack(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    sqlite3 *db = sqlite3_context_db_handle(context);
    struct walk walk = {0};
    struct text out = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    bool done = sqlite3_prepare_v2(db, step_sql, -1, &walk.step, NULL) == SQLITE_OK &&
                write_stack(&walk, db, sqlite3_value_int64(arguments[0]), &out);
    if (done && out.count > strlen("[]"))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else if (!done)
        sqlite3_result_error_nomem(context);
    sqlite3_finalize(walk.step);
    text_free(&out);
}

/* ------------------------------------------------------------------ module_stack */

/* The name of an event, which may go by another, and those of the modules around it. */
static bool write_modules(struct walk *self, int64_t event, const char *called, struct text *out)
{
    bool done = text_add_byte(out, '[');
    for (int i = 0; done && event && i < DEPTH_MAX; i++) {
        sqlite3_reset(self->step);
        sqlite3_bind_int64(self->step, 1, event);
        if (sqlite3_step(self->step) != SQLITE_ROW)
            break;
        const char *name = (const char *)sqlite3_column_text(self->step, 0);
        if (i == 0)
            done = text_add_json(out, view_of(called ? called : name));
        else if (strncmp(name, "nn.Module: ", strlen("nn.Module: ")) == 0)
            done = text_add_byte(out, ',') && text_add_json(out, view_of(name));
        event = sqlite3_column_int64(self->step, 1);
    }
    return done && text_add_byte(out, ']');
}

static void run_module_stack(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct walk walk = {0};
    struct text out = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    bool done = sqlite3_prepare_v2(sqlite3_context_db_handle(context), step_sql, -1, &walk.step,
                                   NULL) == SQLITE_OK &&
                write_modules(&walk, sqlite3_value_int64(arguments[0]),
                              (const char *)sqlite3_value_text(arguments[1]), &out);
    if (done && out.count > strlen("[]"))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else if (!done)
        sqlite3_result_error_nomem(context);
    sqlite3_finalize(walk.step);
    text_free(&out);
}

/* ------------------------------------------------------------------ entry_point */

/* Frames that only pass a call on. */
static bool is_wrapper(const char *frame, const char *function)
{
    static const char *const starts[] = {"<built-in", "pybind11_builtins", "nn.Module:"};
    static const char *const parts[] = {"torch/_ops.py",
                                        "torch/nn/modules/module.py",
                                        "torch/utils/_contextlib.py",
                                        "torch/_tensor.py",
                                        "torch/utils/_device.py",
                                        "torch/functional.py",
                                        "torch/overrides.py",
                                        "torch/_inductor/",
                                        "torch/_functorch/",
                                        "triton/backends/",
                                        "torch/distributed/c10d_logger.py"};
    static const char *const functions[] = {"__torch_function__",
                                            "_call_impl",
                                            "_wrapped_call_impl",
                                            "decorate_context",
                                            "dispatch_wrapper",
                                            "handle_torch_function",
                                            "wrapper",
                                            "custom_wrapper",
                                            "wrapper_custom",
                                            "outer_wrapper"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(frame, starts[i], strlen(starts[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(frame, parts[i]))
            return true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(function, functions[i]) == 0)
            return true;
    return false;
}

/* What stands behind the last "): " of a frame. */
static const char *function_of(const char *frame)
{
    const char *found = frame;
    for (const char *at = frame; (at = strstr(at, "): ")); at += 3)
        found = at + 3;
    return found;
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

/* All texts of a JSON array, of any depth. */
static bool read_names(const char *json, name_list *names)
{
    while (*json) {
        if (*json != '"') {
            json++;
            continue;
        }
        struct text name = {0};
        bool done = text_add(&name, "", 0);
        for (json++; *json && *json != '"' && done; json++) {
            if (*json == '\\' && json[1])
                json++;
            done = text_add_byte(&name, *json);
        }
        json += *json == '"';
        char **added = done ? array_push(names) : NULL;
        if (!added) {
            text_free(&name);
            return false;
        }
        *added = name.items;
    }
    return true;
}

static size_t place_of_op(const name_list *names, const char *op)
{
    size_t length = strlen(op), digits = 0;
    while (digits < length && isdigit((unsigned char)op[length - digits - 1]))
        digits++;
    size_t bare =
        digits && digits < length && op[length - digits - 1] == '_' ? length - digits - 1 : length;
    for (size_t i = names->count; i-- > 0;)
        if (strcmp(names->items[i], op) == 0)
            return i;
    for (size_t i = names->count; i-- > 0;)
        if (strlen(names->items[i]) == bare && strncmp(names->items[i], op, bare) == 0)
            return i;
    return names->count;
}

static const char *find_entry(const name_list *names, const char *op)
{
    size_t place = place_of_op(names, op);
    const char *local = op;
    for (const char *at = op; (at = strstr(at, "::")); at += 2)
        local = at + 2;
    for (size_t i = place + 1; i < names->count; i++)
        if (strstr(names->items[i], ".py") &&
            contains_ignoring_case(function_of(names->items[i]), local))
            return names->items[i];
    for (size_t i = place < names->count ? place : 0; i-- > 0;)
        if (strstr(names->items[i], ".py") &&
            !is_wrapper(names->items[i], function_of(names->items[i])))
            return names->items[i];
    return "Not found";
}

static void run_entry_point(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *stack = (const char *)sqlite3_value_text(arguments[0]);
    const char *op = (const char *)sqlite3_value_text(arguments[1]);
    name_list names = {0};
    if (!stack || !op)
        return;
    if (read_names(stack, &names))
        sqlite3_result_text(context, find_entry(&names, op), -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    free_names(&names);
}

const struct function call_stack_functions[] = {
    {.name = "call_stack",
     .call = "call_stack(event)",
     .meaning = "JSON array of names: the frames of Python and the ops around an event, outermost "
                "first, the event, and what is between it and the accelerator work below it; where "
                "the ways to several pieces of work part, each rest is an array of its own. NULL "
                "for NULL or an id that does not exist.",
     .kind = FUNCTION_SCALAR,
     .arguments = 1,
     .flags = SQLITE_INNOCUOUS,
     .scalar = run_call_stack},
    {.name = "module_stack",
     .call = "module_stack(event, name)",
     .meaning = "JSON array of names: the event, by that name unless it is NULL, then the frames "
                "of nn.Module around it, innermost first. NULL for NULL or an id that does not "
                "exist.",
     .kind = FUNCTION_SCALAR,
     .arguments = 2,
     .flags = SQLITE_INNOCUOUS,
     .scalar = run_module_stack},
    {.name = "entry_point",
     .call = "entry_point(stack, op)",
     .meaning = "The frame of a call_stack that stands for an op: a frame inside it that is named "
                "like it, else the nearest frame around it that does not only pass calls on; Not "
                "found when there is none. NULL for NULL.",
     .kind = FUNCTION_SCALAR,
     .arguments = 2,
     .flags = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
     .scalar = run_entry_point},
    {0},
};
