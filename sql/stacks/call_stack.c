/* call_stack: where in a program a call stands.
 *
 *     call_stack(event, pseudo, kernels)
 *
 * JSON array: frames of Python and ops around it, outermost first, then what is between it and its
 * GPU activities, and that work; where ways part, each way is an array of its own. With the
 * number of a pseudo op it is about that one.
 *
 *     module_stack(event, name)  the event, and each nn.Module around it
 *
 *     SELECT call_stack(id, NULL, NULL) FROM slice WHERE name = 'aten::mm'
 *
 * Numbers at the ends of words are left out of names. Calls
 * and frames that say nothing (without a path, a module or a namespace) are left out. NULL, or an
 * id that does not exist, gives NULL.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/kernels/gpu_row.h"
#include "sql/launches/launcher_rows.h"
#include "src/base/deviation.h"
#include "src/base/name_list.h"
#include "src/base/number.h"
#include "src/base/text.h"

#include <ctype.h>
#include <string.h>

enum { WAYS_MAX = 64, DEPTH_MAX = 1000 };

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

/* An event on the way up; times are only read for --compat. */
struct around {
    char *name; /* NULL: it is not shown */
    double start, end;
};

struct walk {
    sqlite3 *db;
    struct asked step; /* the event that was read last */
    const char *name;
    int64_t parent, last, start, duration; /* start: on the clock of the file */
    bool is_op;
    bool compat, is_broken;      /* an event could not be read, for which it takes its end */
    ARRAY(struct around) passed; /* innermost first */
};

/* False if there is no such event. */
static bool read_event(struct walk *self, int64_t event)
{
    int64_t clock;
    ASK_AGAIN(&self->step, self->db,
              "SELECT string.text, event.parent_id, "
              "event.category_id = (SELECT id FROM category WHERE name = 'cpu_op'), event.last_id, "
              "trace.clock_start_ns, event.ts_ns, event.dur_ns FROM event "
              "JOIN string ON string.id = event.name_id JOIN track ON track.id = event.track_id "
              "JOIN trace ON trace.id = track.trace_id WHERE event.id = ?1",
              event);
    bool is_there = ASKED_ROW(&self->step, &self->name, &self->parent, &self->is_op, &self->last,
                              &clock, &self->start, &self->duration);
    self->start = is_there ? number_sum(clock, self->start) : 0;
    self->is_broken |= asked_code(&self->step) != SQLITE_OK;
    return is_there;
}

/* Reads what is passed going up from an event to, and without, another one. */
static void pass_up(struct walk *self, int64_t event, int64_t end)
{
    for (int i = 0; event != end && event && i < DEPTH_MAX && read_event(self, event); i++) {
        const char *name = self->name;
        struct around *added = array_push(&self->passed);
        *added = (struct around){0};
        if (like_reference(self->compat, "call_stack: frames that end together")) {
            added->start = reference_time(self->start);
            added->end = added->start + reference_time(self->duration);
        }
        if (self->is_op || strstr(name, "nn.Module") || strstr(name, "::") || strchr(name, '/')) {
            added->name = memory_text(name);
            strip_numbers(added->name);
        }
        event = self->parent;
    }
}

/* Names from an event up to, and without, another one; outermost first. */
static bool add_names_up(struct walk *self, int64_t event, int64_t end, name_list *names)
{
    pass_up(self, event, end);
    bool done = true;
    if (like_reference(self->compat, "call_stack: frames that end together")) {
        /* The reference adds up times as floating-point numbers. What ends with what is around it
         * may then seem to end a little later, and falls out of the tree, or takes the place of
         * that. */
        struct around *items = self->passed.items;
        size_t count = self->passed.count,
               kept = count; /* kept ones are at the end, outermost last */
        for (size_t i = count; i-- > 0;) {
            struct around item = items[i];
            bool is_late = kept < count && item.end > items[kept].end;
            bool is_next = is_late && items[kept].end - item.start < 1.0 && count - kept >= 2;
            items[i].name = NULL;
            if (is_late && !is_next) {
                memory_free(item.name);
                continue;
            }
            if (is_next)
                memory_free(items[kept++].name);
            items[--kept] = item;
        }
    }
    for (size_t i = self->passed.count; i-- > 0 && done;) {
        char *name = self->passed.items[i].name;
        self->passed.items[i].name = NULL;
        done = !name || name_list_add(names, name);
    }
    for (size_t i = 0; i < self->passed.count; i++)
        memory_free(self->passed.items[i].name);
    self->passed.count = 0;
    return done;
}

static void add_names(struct text *out, const name_list *names, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (out->items[out->count - 1] != '[')
            text_add_byte(out, ',');
        text_add_json(out, view_of(names->items[i]));
    }
}

/* The common beginning of all ways, then the rest of each. */
static void add_ways(struct text *out, const name_list *ways, size_t count)
{
    size_t common = count ? ways[0].count : 0;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < common && same < ways[i].count &&
               strcmp(ways[0].items[same], ways[i].items[same]) == 0)
            same++;
        common = same;
    }
    if (count != 0)
        add_names(out, &ways[0], 0, common);
    for (size_t i = 0; i < count && count > 1; i++) {
        bool is_known = ways[i].count == common;
        for (size_t k = 0; k < i && !is_known; k++) {
            const name_list *left = &ways[i];
            const name_list *right = &ways[k];
            is_known = left->count == right->count;
            for (size_t j = 0; j < left->count && is_known; j++)
                is_known = strcmp(left->items[j], right->items[j]) == 0;
        }
        if (!is_known) {
            text_add_string(out, out->items[out->count - 1] == '[' ? "[" : ",[");
            add_names(out, &ways[i], common, ways[i].count);
            text_add_byte(out, ']');
        }
    }
}

/* Where a stack is: what it goes through from outside, and the work inside. */
struct place {
    int64_t around;      /* the innermost event outside */
    char *name;          /* of a pseudo op there, or NULL */
    int64_t first, last; /* ids inside */
    int64_t up_to;       /* where the ways from work end */
    bool is_work;        /* it is a GPU activity itself */
};

/* A pseudo op around a launch is beside the launch for the reference: what climbs up from there
 * does not meet it, and goes all the way. */
static bool find_pseudo(struct walk *self, int64_t number, struct place *place)
{
    struct asked asked;
    const char *name, *kind;
    ASK(&asked, self->db,
        "SELECT string.text, pseudo.place, pseudo.first_id, pseudo.last_id FROM pseudo_event AS "
        "pseudo JOIN string ON string.id = pseudo.name_id WHERE pseudo.id = ?1",
        number);
    if (ASKED_ROW(&asked, &name, &kind, &place->first, &place->last)) {
        place->name = memory_text(name);
        place->around = strcmp(kind, "wrap") == 0        ? place->first - 1
                        : read_event(self, place->first) ? self->parent
                                                         : 0;
        place->up_to = like_reference(self->compat, "call_stack: pseudo ops around a launch") &&
                               strcmp(kind, "inject") == 0
                           ? 0
                           : place->around;
        strip_numbers(place->name);
    }
    return asked_end(&asked) == SQLITE_OK;
}

/* Puts ways in the order in which a JSON list has the work at their ends. */
static void order_ways(name_list *ways, size_t count, const char *list)
{
    size_t places[WAYS_MAX];
    for (size_t i = 0; i < count; i++) {
        name_list way = ways[i];
        size_t place, at = i;

        /* Where a JSON list of kernels has the end of a way. */
        struct text name = {0};
        text_add_json(&name, view_of(way.items[way.count - 1]));
        text_add_byte(&name, '\0');
        const char *found = strstr(list, name.items);
        place = found ? (size_t)(found - list) : SIZE_MAX;
        text_free(&name);
        for (; at && places[at - 1] > place; at--) {
            places[at] = places[at - 1];
            ways[at] = ways[at - 1];
        }
        places[at] = place;
        ways[at] = way;
    }
}

/* The stack of a GPU activity begins at its launch; the reference has nothing around it. */
static bool write_stack(struct walk *self, struct place *place, const char *order, struct text *out)
{
    name_list around = {0}, ways[WAYS_MAX] = {{0}};
    size_t count = 0;
    struct asked asked;
    const char *name;
    int64_t id, call;
    bool done = true;
    /* Events below one without a link that is seen were not launched there. */
    ASK(&asked, self->db,
        "SELECT work.id, work.call_id, string.text FROM linked_work AS work "
        "JOIN string ON string.id = work.name_id WHERE work.id BETWEEN ?1 AND ?2 "
        "AND (work.call_id IS NOT NULL OR ?1 = ?2)",
        place->first, place->last);
    while (done && count < WAYS_MAX && ASKED_ROW(&asked, &id, &call, &name)) {
        /* The way to a GPU activity. */
        name_list *way = &ways[count++];
        place->is_work = id == place->around;
        done = (place->is_work || add_names_up(self, call, place->up_to, way)) &&
               name_list_add(way, memory_text(name));
    }
    done = asked_code(&asked) == SQLITE_OK && done;
    if (done && order)
        order_ways(ways, count, order);
    if (place->is_work)
        place->around = like_reference(self->compat, "call_stack: work that stands for itself") ? 0
                        : read_event(self, place->around) ? self->parent
                                                          : 0;
    done = done && add_names_up(self, place->around, 0, &around);
    if (done && place->name) {
        done = name_list_add(&around, place->name);
        place->name = NULL;
    }
    if (done) {
        text_add_byte(out, '[');
        add_names(out, &around, 0, around.count);
        add_ways(out, ways, count);
        text_add_byte(out, ']');
    }
    asked_end(&asked);
    name_list_free(&around);
    for (size_t i = 0; i < count; i++)
        name_list_free(&ways[i]);
    return done;
}

static SQL_FUNCTION(run_call_stack)
{
    struct walk walk = {.db = sqlite3_context_db_handle(context)};
    struct place place = {0};
    struct text out = {0};
    bool done = true;
    walk.compat = ranges_option(walk.db, "compat");
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    int64_t event = sqlite3_value_int64(arguments[0]);
    if (sqlite3_value_type(arguments[1]) != SQLITE_NULL)
        done = find_pseudo(&walk, sqlite3_value_int64(arguments[1]), &place);
    else if (read_event(&walk, event))
        place = (struct place){.first = event, .last = walk.last, .around = event, .up_to = event};
    done = done &&
           write_stack(&walk, &place, (const char *)sqlite3_value_text(arguments[2]), &out) &&
           !walk.is_broken;
    if (done && out.count > strlen("[]"))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else if (!done)
        function_fail(context, sqlite3_errcode(walk.db));
    asked_end(&walk.step);
    array_free(&walk.passed);
    memory_free(place.name);
    text_free(&out);
}

/* ------------------------------------------------------------------ module_stack */

/* The name of an event, which may go by another, and those of the modules around it. */
static SQL_FUNCTION(run_module_stack)
{
    struct walk walk = {.db = sqlite3_context_db_handle(context)};
    struct text out = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    int64_t event = sqlite3_value_int64(arguments[0]);
    const char *called = (const char *)sqlite3_value_text(arguments[1]);
    text_add_byte(&out, '[');
    for (int i = 0; event && i < DEPTH_MAX && read_event(&walk, event); i++) {
        if (i == 0)
            text_add_json(&out, view_of(called ? called : walk.name));
        else if (strncmp(walk.name, "nn.Module: ", strlen("nn.Module: ")) == 0) {
            text_add_byte(&out, ',');
            text_add_json(&out, view_of(walk.name));
        }
        event = walk.parent;
    }
    text_add_byte(&out, ']');
    if (walk.is_broken)
        function_fail(context, sqlite3_errcode(walk.db));
    else if (out.count > strlen("[]"))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    asked_end(&walk.step);
    text_free(&out);
}

const struct function call_stack_functions[] = {
    SCALAR("call_stack", "event, pseudo, kernels", 3, SQLITE_INNOCUOUS, run_call_stack,
           "JSON array of names: the frames of Python and the ops around an event, outermost "
           "first, the event, and what is between it and the GPU activities below it; where "
           "the ways to several GPU events part, each rest is an array of its own. With the "
           "number of a pseudo op (pseudo_event) that is in the event's place; with a list of "
           "kernels "
           "(kernel_details_summary) the rests are in its order, not by id. NULL for NULL "
           "or an id that does not exist."),
    SCALAR("module_stack", "event, name", 2, SQLITE_INNOCUOUS, run_module_stack,
           "JSON array of names: the event, by that name unless it is NULL, then the frames "
           "of nn.Module around it, innermost first. NULL for NULL or an id that does not "
           "exist."),
    {0},
};

/* entry_point: the frame in a call_stack that stands for its op.
 *
 *     entry_point(stack, op)  the frame
 *     entry_way(stack, op)    how it was found
 *
 *     SELECT entry_point(call_stack(id, NULL, NULL), name) FROM slice WHERE name = 'aten::mm'
 *
 * It is one inside the op that is named like it; else the nearest one around it that does not only
 * pass calls on. */

/* The function of a frame stands behind its last "): ". */
static const char *function_of(const char *frame)
{
    const char *found = frame;
    for (const char *at = frame; (at = strstr(at, "): ")); at += 3)
        found = at + 3;
    return found;
}

/* All texts of a JSON array, of any depth. */
static void read_names(const char *json, name_list *names)
{
    while (*json) {
        if (*json != '"') {
            json++;
            continue;
        }
        struct text name = {0};
        text_add(&name, "", 0);
        for (json++; *json && *json != '"'; json++) {
            if (*json == '\\' && json[1])
                json++;
            text_add_byte(&name, *json);
        }
        json += *json == '"';
        char **added = array_push(names);
        *added = name.items;
    }
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

/* A frame that stands for an op: where it was found, and how many around the op were left out.
 */
struct entry {
    const char *frame, *traversal; /* NULL: there is none */
    size_t passed;
};

static bool passes_on(const char *frame)
{
    /* Frames that only pass a call on. */
    const char *function = function_of(frame);
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
    return VIEW_IS_AMONG(view_of(function), functions);
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
    read_names(stack, &names);
    const char *frame = find_entry(&names, op).frame;
    sqlite3_result_text(context, frame ? frame : "Not found", -1, SQLITE_TRANSIENT);

    name_list_free(&names);
}

static SQL_FUNCTION(run_entry_way)
{
    const char *stack = (const char *)sqlite3_value_text(arguments[0]);
    const char *op = (const char *)sqlite3_value_text(arguments[1]);
    name_list names = {0};
    struct text out = {0};
    if (!stack || !op)
        return;
    read_names(stack, &names);

    /* The frames that were left out, innermost first. */
    struct entry entry = find_entry(&names, op);
    size_t left = entry.passed;
    text_format(&out, "{\"num_wrappers\":%zu,\"traversal\":", entry.passed);
    if (entry.traversal)
        text_add_json(&out, view_of(entry.traversal));
    else
        text_add_string(&out, "null");
    text_add_string(&out, ",\"wrappers\":[");
    for (size_t i = place_of_op(&names, op); left && i-- > 0;)
        if (passes_on(names.items[i])) {
            if (left-- != entry.passed)
                text_add_byte(&out, ',');
            text_add_json(&out, view_of(names.items[i]));
        }
    text_add_string(&out, "]}");
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
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
