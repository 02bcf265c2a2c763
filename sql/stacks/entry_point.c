/* entry_point: the frame in a call_stack that stands for its op.
 *
 *     entry_point(stack, op)  the frame
 *     entry_way(stack, op)    how it was found
 *
 *     SELECT entry_point(call_stack(id, NULL, NULL), name) FROM slice WHERE name = 'aten::mm'
 *
 * It is one inside the op that is named like it; else the nearest one around it that does not only
 * pass calls on.
 */
#include "sql/binding/function.h"
#include "src/base/name_list.h"
#include "src/base/text.h"

#include <ctype.h>
#include <string.h>

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

/* The function of a frame stands behind its last "): ". */
static const char *function_of(const char *frame)
{
    const char *found = frame;
    for (const char *at = frame; (at = strstr(at, "): ")); at += 3)
        found = at + 3;
    return found;
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

/* A frame that stands for an op: where it was found, and how many around the op were passed over.
 */
struct entry {
    const char *frame, *traversal; /* NULL: there is none */
    size_t passed;
};

static bool passes_on(const char *frame)
{
    return is_wrapper(frame, function_of(frame));
}

static struct entry find_entry(const name_list *names, const char *op)
{
    struct entry entry = {0};
    size_t place = place_of_op(names, op);
    const char *local = op;
    for (const char *at = op; (at = strstr(at, "::")); at += 2)
        local = at + 2;
    for (size_t i = place + 1; i < names->count; i++)
        if (strstr(names->items[i], ".py") &&
            view_contains_ignoring_case(view_of(function_of(names->items[i])), local))
            return (struct entry){names->items[i], "inward", 0};
    for (size_t i = place < names->count ? place : 0; i-- > 0;) {
        if (passes_on(names->items[i]))
            entry.passed++;
        else if (strstr(names->items[i], ".py"))
            return (struct entry){names->items[i], "outward", entry.passed};
    }
    return entry;
}

static SQL_FUNCTION(run_entry_point)
{
    const char *stack = (const char *)sqlite3_value_text(arguments[0]);
    const char *op = (const char *)sqlite3_value_text(arguments[1]);
    name_list names = {0};
    if (!stack || !op)
        return;
    if (read_names(stack, &names)) {
        const char *frame = find_entry(&names, op).frame;
        sqlite3_result_text(context, frame ? frame : "Not found", -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_result_error_nomem(context);
    }
    name_list_free(&names);
}

/* The frames that were passed over, innermost first. */
static bool write_way(struct text *out, const name_list *names, const char *op)
{
    struct entry entry = find_entry(names, op);
    size_t left = entry.passed;
    bool done = text_format(out, "{\"num_wrappers\":%zu,\"traversal\":", entry.passed) &&
                (entry.traversal ? text_add_json(out, view_of(entry.traversal))
                                 : text_add_string(out, "null")) &&
                text_add_string(out, ",\"wrappers\":[");
    for (size_t i = place_of_op(names, op); left && i-- > 0 && done;)
        if (passes_on(names->items[i]))
            done = (left-- == entry.passed || text_add_byte(out, ',')) &&
                   text_add_json(out, view_of(names->items[i]));
    return done && text_add_string(out, "]}");
}

static SQL_FUNCTION(run_entry_way)
{
    const char *stack = (const char *)sqlite3_value_text(arguments[0]);
    const char *op = (const char *)sqlite3_value_text(arguments[1]);
    name_list names = {0};
    struct text out = {0};
    if (!stack || !op)
        return;
    if (read_names(stack, &names) && write_way(&out, &names, op))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    name_list_free(&names);
    text_free(&out);
}

const struct function entry_point_functions[] = {
    SCALAR("entry_point", "stack, op", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, run_entry_point,
           "The frame of a call_stack that stands for an op: a frame inside it that is named "
           "like it, else the nearest frame around it that does not only pass calls on; Not "
           "found when there is none. NULL for NULL."),
    SCALAR("entry_way", "stack, op", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, run_entry_way,
           "How entry_point comes to its frame, a JSON object: traversal, inward or outward; "
           "wrappers, the frames on the way outward that only pass calls on; num_wrappers, "
           "how many. NULL for NULL."),
    {0},
};
