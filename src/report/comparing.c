/* comparing: Sides come first, then files: paths are collected while operands are read, and are
 * ingested into one warehouse in memory, each as a run that is called by its path. The warehouse
 * file is opened only when an operand may be in it. Selections are narrowed alike for all sides; a
 * rank or step must be in at least one of them. */
#include "src/report/comparing.h"

#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ingest/ingest.h"
#include "query/compare/sheet_files.h"
#include "query/report/report.h"
#include "sql/asked.h"
#include "sql/warehouse/catalog.h"
#include "src/base/visible.h"
#include "src/command/session.h"
#include "src/report/report_options.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usual_level[] = "op_shape", usual_set[] = "pytorch";

bool comparing_begin(struct comparing *self, const struct arguments *arguments, struct error *error)
{
    *self = (struct comparing){
        .arguments = arguments, .writes = arguments_has(arguments, "into-tables"), .error = error};
    return extension_options_read(arguments, &self->extensions, error) &&
           report_files_read(&self->files, arguments, &self->extensions, error);
}

void comparing_end(struct comparing *self)
{
    if (self->has_memory)
        warehouse_close(&self->memory);
    if (self->is_open)
        warehouse_close(&self->warehouse);
}

/* ------------------------------------------------------------------ operands */

bool comparing_open_warehouse(struct comparing *self)
{
    if (!self->is_open)
        self->is_open =
            session_open(self->arguments, self->writes ? WAREHOUSE_WRITE : WAREHOUSE_READ,
                         &self->warehouse, self->error);
    return self->is_open;
}

static bool has_warehouse_file(const struct comparing *self)
{
    return self->is_open || arguments_has(self->arguments, "db") ||
           warehouse_exists(session_database(self->arguments));
}

/* Finds the run of this name, or runs of this label, where the warehouse has them. */
static bool find_runs(struct comparing *self, const char *word, struct side *side, bool *is)
{
    struct error ignored = {0};
    *is = false;
    if (!has_warehouse_file(self))
        return true;
    if (!comparing_open_warehouse(self))
        return false;
    *is = side_find(side, &self->warehouse, word, &ignored);
    if (*is)
        return true;
    *side = (struct side){0};
    if (ignored.status == STATUS_USAGE)
        return true;
    *self->error = ignored;
    return false;
}

/* A side is called like its file, unless another one is called so. */
static void name_side(struct comparing *self, struct side *side, const char *name, const char *path)
{
    bool is_taken = false;
    for (size_t i = 0; i + 1 < self->sides.count; i++)
        is_taken |= strcmp(self->sides.items[i].name, name) == 0;
    side_rename(side, is_taken ? path : name);
}

bool comparing_add(struct comparing *self, const char *word)
{
    struct side *side = array_push(&self->sides);
    bool is = side_is_reference(word);
    *side = (struct side){0};
    bool is_found = false;
    if (!is && !find_runs(self, word, side, &is_found))
        return false;
    if (is_found)
        return true;
    bool are_sheets = false;
    if (!is && !sheet_files_are(word, &self->files.docs, &are_sheets, self->error))
        return false;
    if (are_sheets) {
        /* A workbook, or a folder of sheets. */
        array_add(&self->kept_paths, memory_text(word));
        name_side(self, side, sheet_files_name(word), word);
        side_take_sheets(side);
        DIR *folder = opendir(word); /* NULL: a workbook */
        for (struct dirent *file; folder && (file = readdir(folder));) {
            struct text whole = {0};
            if (file->d_name[0] == '.')
                continue;
            text_format(&whole, "%s/%s", word, file->d_name);
            array_add(&self->kept_paths, whole.items);
        }
        if (folder)
            closedir(folder);
        return sheet_files_read(word, side->sheets, self->error);
    }
    if (!is && warehouse_exists(word)) {
        array_add(&self->paths, memory_text(word));
        name_side(self, side, discover_run_name(&word, 1), word);
        side_add_run(side, word);
        return true;
    }
    if (!is && !has_warehouse_file(self))
        return error_set(self->error, STATUS_USAGE,
                         "tpq %s: '%.300s' is no file, and there is no warehouse %s with runs",
                         self->arguments->verb->name, word, session_database(self->arguments));
    return comparing_open_warehouse(self) && side_find(side, &self->warehouse, word, self->error);
}

/* ------------------------------------------------------------------ files */

/* Reads each path as a run of its own. */
static bool read_side_files(struct comparing *self, bool with_frames)
{
    if (!self->paths.count && !self->kept_paths.count)
        return true;
    self->has_memory = warehouse_open(&self->memory, "memory", WAREHOUSE_MEMORY, 0, self->error);
    if (!self->has_memory)
        return false;
    for (size_t i = 0; i < self->paths.count; i++) {
        bool is_known = false;
        for (size_t j = 0; j < i; j++)
            is_known |= strcmp(self->paths.items[i], self->paths.items[j]) == 0;
        if (is_known)
            continue;
        const char *path = self->paths.items[i];
        struct intake read = {0};
        input_list inputs = {0};
        struct ingest_options options = {
            .into = &self->memory, .run = path, .read = {.no_frames = !with_frames}};
        if (!discover_inputs(&path, 1, &inputs, self->error))
            return false;
        for (size_t j = 0; j < inputs.count; j++)
            array_add(&self->kept_paths, memory_text(inputs.items[j].path));
        if (!session_ingest(&read, &options, &inputs, self->error))
            return false;
    }
    for (size_t i = 0; i < self->sides.count; i++)
        if (!self->sides.items[i].warehouse)
            self->sides.items[i].warehouse = &self->memory;
    return true;
}

/* True if the level that is asked for may need Python frames, in any set, or a page shows them.
 * Findings of two runs that are compared need them, too. */
static bool needs_level_frames(const struct comparing *self)
{
    const char *level = self->level;
    if (!arguments_any(self->arguments, "by metric compat") && self->sides.count == 2 &&
        option_is_in("compare", self->arguments->verb->name))
        return true;
    for (size_t i = 0; level && i < self->files.docs.count; i++) {
        const struct doc_object *report = &self->files.docs.items[i];
        const char *own = docs_declared(report, "level");
        if (docs_declared(report, "frames") &&
            ((own && strcmp(own, level) == 0) || strcasecmp(report->name, level) == 0))
            return true;
    }
    return arguments_any(self->arguments, "where html");
}

/* ------------------------------------------------------------------ sets and reports */

/* True if a file has the sheet of a report: rows under the heading that first tells them apart. */
static bool has_report_sheet(const struct kept_sheets *sheets, const struct doc_object *report)
{
    const struct kept_sheet *sheet = kept_sheets_find(sheets, sheet_of_report(report));
    const char *key = docs_declared(report, "key");
    struct view first = key ? docs_next_name(&key) : VIEW("");
    const doc_columns *columns = sheet ? docs_columns(report) : NULL;
    for (size_t i = 0; columns && first.length && i < columns->count; i++)
        if (view_equal(first, view_of(columns->items[i].name)) &&
            kept_sheet_column(sheet, columns->items[i].heading) != SIZE_MAX)
            return true;
    return sheet && !first.length;
}

/* The set with the most reports whose sheets a file has. */
static const char *set_of_sheets(const struct comparing *self, const struct kept_sheets *sheets)
{
    const char *found = usual_set;
    size_t most = 0;
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const char *set = docs_declared(&self->files.docs.items[i], "set");
        size_t count = 0;
        for (size_t j = 0; set && j < self->files.docs.count; j++) {
            const struct doc_object *report = &self->files.docs.items[j];
            const char *own = docs_declared(report, "set");
            count += own && strcmp(own, set) == 0 && has_report_sheet(sheets, report);
        }
        found = count > most ? set : found;
        most = count > most ? count : most;
    }
    return found;
}

/* The set for the format that all traces of all sides have. */
static bool find_compared_set(struct comparing *self)
{
    self->set = arguments_value(self->arguments, "set");
    if (self->set)
        return report_files_check_set(&self->files, self->set, self->arguments, self->error);
    for (size_t i = 0; i < self->sides.count; i++)
        if (self->sides.items[i].sheets) {
            docs_read_columns(&self->files.docs);
            const char *own = set_of_sheets(self, self->sides.items[i].sheets);
            self->set = self->set && strcmp(self->set, own) != 0 ? usual_set : own;
        }
    for (size_t i = 0; i < self->sides.count; i++) {
        const struct side *side = &self->sides.items[i];
        for (size_t j = 0; j < side->runs.count; j++) {
            struct asked row;
            const char *name;
            ASK(&row, side->warehouse->db,
                "SELECT format FROM trace JOIN run ON run.id = run_id WHERE run.name = ?1 LIMIT 1",
                side->runs.items[j]);
            const struct format *format = ASKED_ROW(&row, &name) ? format_find(name) : NULL;
            const char *own = format ? format->set : usual_set;
            self->set = self->set && strcmp(self->set, own) != 0 ? usual_set : own;
            if (!asked_done(&row, side->warehouse->path, self->error))
                return false;
        }
    }
    self->set = self->set ? self->set : usual_set;
    return true;
}

/* ------------------------------------------------------------------ what of them */

/* The traces of a side; those of its runs where it does not name them. */
static bool add_side_traces(const struct side *side, void *list, struct error *error)
{
    ARRAY(int64_t) *traces = list;
    struct asked row;
    int64_t trace;
    asked_open(&row, side->warehouse->db,
               "SELECT trace.id FROM run JOIN trace ON run_id = run.id WHERE run.name = ?1");
    for (size_t i = 0; i < side->runs.count; i++) {
        ASKED_ABOUT(&row, side->runs.items[i]);
        while (ASKED_ROW(&row, &trace)) {
            bool counts = !side->traces.count;
            for (size_t j = 0; j < side->traces.count; j++)
                counts |= side->traces.items[j] == trace;
            if (counts)
                array_add(traces, trace);
        }
    }
    return asked_done(&row, side->warehouse->path, error);
}

/* Rank and steps that one side lacks another may have; what none of them has is a slip. */
static bool check_selected_sides(struct comparing *self)
{
    struct warehouse *warehouses[] = {&self->warehouse, &self->memory};
    bool open[] = {self->is_open, self->has_memory}, is_there = false, done = true;
    struct error missing = {0};
    if (!arguments_any(self->arguments, "rank step iteration"))
        return true;
    for (size_t w = 0; w < 2 && done && !is_there; w++) {
        ARRAY(int64_t) traces = {0};
        struct text words = {0};
        bool is_empty;
        for (size_t i = 0; open[w] && i < self->sides.count && done; i++)
            if (self->sides.items[i].warehouse == warehouses[w] && !self->sides.items[i].sheets)
                done = add_side_traces(&self->sides.items[i], &traces, &missing);
        struct selection selection = selection_options_narrow(self->arguments);
        selection.where = NULL; /* what fulfils it is seen when values are read */
        selection.traces = traces.items;
        selection.trace_count = traces.count;
        bool any = done && traces.count;
        is_there = any && selection_apply(warehouses[w], &selection, &is_empty, &words, &missing);
        done = done && (!any || is_there || missing.status == STATUS_USAGE);
    }
    if (is_there || missing.status == STATUS_OK)
        return true;
    *self->error = missing;
    return false;
}

bool comparing_open(struct comparing *self)
{
    struct warehouse *warehouses[] = {&self->warehouse, &self->memory};
    if (!read_side_files(self, needs_level_frames(self)))
        return false;
    for (size_t i = 0; i < self->sides.count; i++) {
        self->sides.items[i].common = selection_options_narrow(self->arguments);
        self->sides.items[i].common.is_part = true; /* what one side lacks, another may have */
    }

    /* All that is read, and the warehouse: what operands are, and the files in folders. */
    for (size_t i = 0; i < self->paths.count; i++)
        array_add(&self->inputs, self->paths.items[i]);
    for (size_t i = 0; i < self->kept_paths.count; i++)
        array_add(&self->inputs, self->kept_paths.items[i]);
    if (self->is_open)
        array_add(&self->inputs, session_database(self->arguments));
    array_add(&self->inputs, NULL);
    if (!find_compared_set(self))
        return false;
    bool open[] = {self->is_open, self->has_memory};
    for (size_t i = 0; i < 2; i++)
        if (open[i] &&
            (!report_options_read(self->arguments, warehouses[i]->context, self->error) ||
             !extension_options_run(self->arguments, &self->extensions, warehouses[i],
                                    self->error) ||
             !report_files_install(&self->files, warehouses[i], self->error)))
            return false;
    return check_selected_sides(self);
}

enum { RUNS_ON_PAGE = 4 };

/* A page calls the run of a side that is a file by its name, not its path. */
static const char *run_on_page(const struct comparing *self, size_t side)
{
    const struct side *of = &self->sides.items[side];
    return of->warehouse == &self->memory ? of->name : *of->runs.items;
}

void comparing_place(const struct comparing *self, struct output_context *context)
{
    bool stays = self->is_open && arguments_has(self->arguments, "db");
    for (size_t i = 0; i < self->sides.count; i++)
        stays |= self->is_open && self->sides.items[i].warehouse == &self->warehouse;
    context->inputs = self->inputs.items;
    context->identity = &self->account.identity;
    context->db = stays ? self->warehouse.db : NULL;
    context->in_memory = !stays;

    /* How many of the first sides a page has, each a whole run of one warehouse; 0: not two. */
    const struct side *items = self->sides.items;
    size_t count = 0;
    for (bool goes = true; goes && count < self->sides.count && count < RUNS_ON_PAGE;) {
        const struct side *of = &items[count];
        goes = of->runs.count == 1 && !of->sheets && !of->traces.count &&
               of->warehouse == items->warehouse;
        for (size_t i = 0; i < count && goes; i++)
            goes = strcmp(*items[i].runs.items, *of->runs.items) != 0;
        count += goes;
    }
    size_t runs = count > 1 ? count : 0;
    if (runs) {
        context->warehouse = self->sides.items->warehouse;
        context->base = run_on_page(self, 0);
        context->docs = &self->files.docs;
        context->page_set = self->set;
        context->page_runs = runs;
        context->page_runs_of = self->sides.count;
    }
}

/* Runs that were read for this call are called by their paths until nobody asks for them. */
static bool rename_run(struct comparing *self, const char *from, const char *to)
{
    struct asked row;
    ASK(&row, self->memory.db, "UPDATE run SET name = ?2 WHERE name = ?1", from, to);
    asked_next(&row);
    return asked_done(&row, self->memory.path, self->error);
}

/* Selects the runs, for what a page asks about them. */
static bool select_runs(struct comparing *self, size_t count)
{
    const char *runs[RUNS_ON_PAGE + 1] = {0};
    struct selection selection = selection_options_narrow(self->arguments);
    struct text words = {0};
    bool is_empty;
    for (size_t i = 0; i < count; i++)
        runs[i] = run_on_page(self, i);
    selection.runs = runs;
    selection.is_part = true;
    bool done = true, renames = self->sides.items->warehouse == &self->memory;
    for (size_t i = 0; renames && i < 2 * count && done; i++) {
        size_t side = i % count;
        char aside[] = {'\n', (char)('0' + side), '\0'}; /* a name may be another one's path */
        done = i < count ? rename_run(self, *self->sides.items[side].runs.items, aside)
                         : rename_run(self, aside, run_on_page(self, side));
    }
    return done && selection_apply(self->sides.items->warehouse, &selection, &is_empty, &words,
                                   self->error);
}

/* An envelope is about the traces of all sides. */
static bool tell_traces(struct comparing *self, struct envelope_words *words)
{
    text_clear(&words->traces);
    words->wish.traces_total = 0;
    for (size_t i = 0; i < self->sides.count; i++)
        for (size_t j = 0; j < self->sides.items[i].runs.count; j++)
            if (!side_select(&self->sides.items[i], j, self->error) ||
                !envelope_words_add_traces(words, self->sides.items[i].warehouse, self->error))
                return false;
    return true;
}

bool comparing_open_outputs(struct comparing *self, const struct output_context *context,
                            struct outputs *outputs)
{
    bool has_page = context->page_runs && arguments_has(self->arguments, "html");
    return (!has_page || select_runs(self, context->page_runs)) &&
           outputs_open(outputs, self->arguments, context, self->error) &&
           (!arguments_has(self->arguments, "envelope") || tell_traces(self, &outputs->words)) &&
           (!outputs->to_tables || warehouse_run(&self->warehouse, "BEGIN", self->error));
}

bool comparing_finish_outputs(struct comparing *self, struct outputs *outputs)
{
    return outputs_finish(outputs, self->error) &&
           (!outputs->to_tables || warehouse_run(&self->warehouse, "COMMIT", self->error));
}

static long position_of(const struct doc_object *report)
{
    const char *position = docs_declared(report, "position");
    return position ? strtol(position, NULL, 10) : LONG_MAX;
}

/* The report of the set for a level, or for any with NULL; of several the one that comes first. */
static const struct doc_object *report_of_level(const struct comparing *self, const char *level)
{
    const struct doc_object *found = NULL;
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const struct doc_object *report = &self->files.docs.items[i];
        const char *own = docs_declared(report, "level");
        if (own && catalog_is_report(report) && (!level || strcmp(own, level) == 0) &&
            catalog_in_set(report, self->set) &&
            (!found || position_of(report) < position_of(found)))
            found = report;
    }
    return found;
}

const struct doc_object *comparing_next_level(const struct comparing *self,
                                              const struct doc_object *report)
{
    const struct doc_object *found = NULL;
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const struct doc_object *other = &self->files.docs.items[i];
        if (docs_declared(other, "level") && docs_declared(other, "work") &&
            catalog_in_set(other, self->set) && position_of(other) > position_of(report) &&
            (!found || position_of(other) < position_of(found)))
            found = other;
    }
    return found;
}

/* A level that the word may have been meant for, or a report. */
static const char *near_level(const struct comparing *self, const char *word)
{
    const char **names = memory_zeroed(self->files.docs.count + 1, sizeof *names);
    size_t count = 0;
    const char *near = NULL;
    for (size_t i = 0; i < self->files.docs.count; i++) {
        const char *own = docs_declared(&self->files.docs.items[i], "level");
        if (own)
            names[count++] = own;
        near = own && strcmp(own, word) == 0 ? own : near;
    }
    near = !near ? nearest_name(word, names, count) : near;
    count = 0;
    for (size_t i = 0; !near && i < self->files.docs.count; i++)
        if (catalog_is_report(&self->files.docs.items[i]))
            names[count++] = self->files.docs.items[i].name;
    return count ? nearest_name(word, names, count) : near;
}

const struct doc_object *comparing_report(struct comparing *self, const char *level)
{
    const struct doc_object *report = report_of_level(self, level ? level : usual_level);
    if (!report)
        report =
            level ? report_find(&self->files.docs, level, self->set) : report_of_level(self, NULL);
    if (report)
        return report;
    const char *near = level ? near_level(self, level) : NULL;
    if (near && strcmp(near, level) != 0) /* another set's own level is no slip */
        error_set(self->error, STATUS_USAGE,
                  "tpq %s: '%.200s' is neither a level nor a report; did you mean %s?",
                  self->arguments->verb->name, level, near);
    else
        error_set(self->error, STATUS_USAGE,
                  "tpq %s: '%.200s' is neither a level of the set %s nor a report; see tpq report "
                  "--list",
                  self->arguments->verb->name, level ? level : usual_level, self->set);
    return NULL;
}

/* ------------------------------------------------------------------ machines */

static enum values_unit unit_of_values(const struct arguments *arguments)
{
    const char *unit = arguments_value(arguments, "normalize");
    if (!unit)
        return VALUES_BY_STEP_IF_ANY;
    return strcmp(unit, "step") == 0    ? VALUES_BY_STEP
           : strcmp(unit, "token") == 0 ? VALUES_BY_TOKEN
                                        : VALUES_BY_TRACE;
}

/* Traces of the baseline and a side that may lack events are its first reason. */
static bool find_damage(struct comparing *self)
{
    struct text *damage = memory_zeroed(self->sides.count, sizeof *damage);
    for (size_t i = 0; i < self->sides.count; i++)
        if (!side_add_damage(&self->sides.items[i], &damage[i], self->error))
            return false;
    for (size_t side = 1; side < self->sides.count; side++) {
        struct text words = {0}, found = {0}, *undecided = &self->undecided[side - 1];
        size_t count = 0;
        for (size_t i = 0; i <= side; i += side) {
            if (!damage[i].count)
                continue;
            text_add_string(&found, count++ ? "; " : "");
            visible_add(&found, view_of(self->sides.items[i].name));
            text_format(&found, ": %s", damage[i].items);
        }
        if (!count)
            continue;
        incomplete_add(count, &found, &words);
        text_format(&words, "%s%s", undecided->count ? "; " : incomplete_hint,
                    undecided->count ? undecided->items : "");
        *undecided = words;
        self->is_incomplete = true;
    }
    return true;
}

bool comparing_check_machines(struct comparing *self)
{
    struct text base[SIDE_FACT_KINDS] = {{0}}, lines = {0};
    self->undecided = memory_zeroed(self->sides.count, sizeof *self->undecided);
    /* The number of steps matters where values are of whole traces, not of a step or token. */
    bool by_trace = unit_of_values(self->arguments) == VALUES_BY_TRACE &&
                    !arguments_has(self->arguments, "step");
    size_t kinds = by_trace ? SIDE_FACT_KINDS : SIDE_STEP_COUNTS;
    bool done = side_list_facts(&self->sides.items[0], kinds, base, self->error);
    for (size_t i = 1; i < self->sides.count && done; i++) {
        /* Adds what differs between a side and the baseline. */
        static const struct {
            const char *one, *all;
        } names[SIDE_FACT_KINDS] = {{"device", "devices"},
                                    {"world size", "world sizes"},
                                    {"number of steps", "numbers of steps"}};
        const struct side *sides = self->sides.items;
        struct text own[SIDE_FACT_KINDS] = {{0}};
        done = side_list_facts(&sides[i], kinds, own, self->error);
        for (size_t j = 0; j < kinds && done; j++) {
            struct text *undecided = &self->undecided[i - 1];
            if (base[j].count && own[j].count && strcmp(base[j].items, own[j].items) != 0) {
                text_format(undecided, "%sother %s: %s; %s", undecided->count ? "; " : "",
                            names[j].one, base[j].items, own[j].items);
                text_format(&lines, "%s and %s have different %s: %s; %s\n", sides[0].name,
                            sides[i].name, names[j].all, base[j].items, own[j].items);
            }
        }
    }
    if (done && lines.count && arguments_has(self->arguments, "strict-compare"))
        return error_set(self->error, STATUS_BAD_INPUT, "%.*s", (int)strcspn(lines.items, "\n"),
                         lines.items);
    if (!done || !touches_read(&self->touches, self->sides.items, self->sides.count, self->error))
        return false;

    /* Where the user says so, figures that findings touch have their basis. */
    bool is_allowed = arguments_has(self->arguments, "allow-incomplete");
    for (size_t i = 0; i < self->touches.count; i++)
        self->touches.items[i].abstains &= !is_allowed;
    return is_allowed || find_damage(self);
}

bool comparing_end_undecided(const struct comparing *self, const char *words)
{
    const char *status = arguments_value(self->arguments, "undecided");
    const char *verb = self->arguments->verb->name;
    if (status && strcmp(status, "pass") == 0) {
        session_sayf("%s: %s", verb, words);
        return true;
    }
    return error_set(self->error, status ? STATUS_CHECK_FAILED : STATUS_UNDECIDED, "%s: %s", verb,
                     words);
}

/* ------------------------------------------------------------------ the comparison */

bool comparing_alpha(const struct comparing *self, double *alpha)
{
    const char *text = arguments_value(self->arguments, "alpha");
    char *end;
    *alpha = text ? strtod(text, &end) : 0.01;
    return !text || (*text && !*end && *alpha > 0 && *alpha < 1) ||
           error_set(self->error, STATUS_USAGE,
                     "tpq %s: --alpha is a p-value between 0 and 1, not '%.100s'",
                     self->arguments->verb->name, text);
}

bool comparing_read(struct comparing *self, const struct doc_object *report, const char *metric,
                    struct values *values)
{
    struct values_options reading = {.metric = metric, .unit = unit_of_values(self->arguments)};
    struct text lines = {0}; /* what keys do not include */
    if (!arguments_number(self->arguments, "warmup", 0, 1000000, -1, &reading.warmup,
                          self->error) ||
        !values_read(values, report, self->sides.items, self->sides.count, &reading, self->error))
        return false;
    common_key_take(values);
    common_key_remarks(values, &lines);
    if (lines.count && (!self->said.count || !strstr(self->said.items, lines.items)))
        session_say_lines(lines.items);
    text_add_view(&self->said, text_view(&lines));
    return true;
}

bool comparing_select(struct comparing *self)
{
    ARRAY(int64_t) traces = {0};
    struct selection selection = selection_options_narrow(self->arguments);
    struct text words = {0};
    bool done = true, is_empty;
    for (size_t i = 0; i < self->sides.count && done; i++)
        done = add_side_traces(&self->sides.items[i], &traces, self->error);
    selection.is_part = true;
    selection.traces = traces.items;
    selection.trace_count = traces.count;
    return done && selection_apply(self->sides.items[0].warehouse, &selection, &is_empty, &words,
                                   self->error);
}

/* Parts of the time, once for values of steps and once for others. */
static bool find_time_parts(struct comparing *self, const struct values *values)
{
    bool is_by_step = values->has_step_times;
    if (self->has_parts[is_by_step] || values->are_rows_samples)
        return true;
    self->has_parts[is_by_step] = true;
    if (!time_parts_read(&self->parts[is_by_step], values, self->sides.items, self->error))
        return false;
    time_parts_touch(&self->parts[is_by_step], &self->touches);
    return true;
}

bool comparing_make(struct comparing *self, const struct doc_object *report, const char *metric,
                    struct comparison *comparison)
{
    struct comparison_options judging = {.undecided = self->undecided,
                                         .is_incomplete = self->is_incomplete,
                                         .touches = &self->touches,
                                         .single_ok = arguments_has(self->arguments, "single-ok")};
    struct values values = {0};
    if (!comparing_alpha(self, &judging.alpha) || !comparing_read(self, report, metric, &values) ||
        !find_time_parts(self, &values))
        return false;
    judging.parts = values.are_rows_samples ? NULL : &self->parts[values.has_step_times];
    comparison_make(comparison, &values, &judging);
    return true;
}

/* ------------------------------------------------------------------ what is said of it */

bool comparing_identify(struct comparing *self)
{
    if (!account_identify(&self->account, self->sides.items, self->sides.count, self->error))
        return false;
    bool has_roles = option_is_in("compare gate", self->arguments->verb->name);
    enum { FIELDS_NAMED = 8 };
    const run_field_list *fields = &self->account.fields;
    bool is_done = run_fields_read(&self->account.fields, self->sides.items, self->sides.count,
                                   !has_roles, self->error);
    struct text *differs = &self->account.identity.differs, head = {0};
    for (size_t i = 0; i < self->sides.count && has_roles; i++) {
        bool many = self->sides.count > 2;
        self->account.identity.sides.items[i].role = i ? "candidate" : "baseline";
        text_clear(&head);
        text_format(&head, "%sOther setup%s%s: ", self->setup.count ? "\n" : "", many ? " of " : "",
                    many ? self->sides.items[i].name : "");
        run_fields_add(fields, i, FIELDS_NAMED, false, head.items, ".", &self->setup);
    }
    for (size_t i = 0; i < fields->count && has_roles; i++)
        text_format(differs, "%c%s", i ? ',' : '[', fields->items[i].json);
    text_add_string(differs, !has_roles ? "" : fields->count ? "]" : "[]");
    return is_done;
}

void comparing_add_first_lines(struct comparing *self, const struct text *words)
{
    for (const char *at = words->count ? words->items : ""; *at;) {
        size_t length = strcspn(at, "\n");
        identity_add_first_line(&self->account.identity, memory_part(at, length), NULL, NULL, NAN);
        at += length + (at[length] == '\n');
    }
}

bool comparing_add_notes(struct comparing *self, const struct doc_object *report, bool is_empty)
{
    return account_add_report(&self->account, report, is_empty, self->sides.items,
                              self->sides.count, self->error);
}
