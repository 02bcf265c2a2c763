/* page: see page.h. What a sheet or a report is called nobody here knows: they declare where they
 * are shown. */
#include "query/page/page.h"

#include "query/page/blocks.h"
#include "query/page/overview.h"
#include "query/page/page.sql.h"
#include "query/page/page_parts.h"
#include "query/page/sheet_text.h"
#include "query/page/tracks.h"
#include "query/report/report.h"
#include "sql/database.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/provider.h"

/* In every page: its style, the program that a browser runs, and the hashes by which the page
 * allows these two and no other. embed_tool makes them of the files of this folder when tpq is
 * built. */
extern const char page_style[], page_style_hash[], page_script[], page_script_hash[];

enum { CONTRACT = 1, FRAME_BYTES = 40000 }; /* contents, about */

struct page_sheet {
    char *name, *label, *title, *tab; /* tab: "" = none */
    size_t rows, block;
};

struct page_sink {
    struct sink base;
    struct sink_target to;
    struct page_source source;
    ARRAY(struct page_sheet) sheets;
    struct page_blocks blocks;
    struct overview overview;
    struct sheet_text sheet; /* in hand */
    struct tracks tracks;
    struct shared_views shared;
    struct track_wish wish;        /* events that rows are about */
    struct text sides;             /* JSON: two runs that the flame has beside each other */
    struct text not_included;      /* JSON texts with commas between */
    struct text not_included_html; /* the same as paragraphs */
    bool is_passed, in_overview, has_ranks;
};

static bool wants(const struct page_sink *self, const char *view)
{
    const char *list = self->source.views;
    if (!list)
        return true;
    for (struct view name; (name = docs_next_name(&list)).length;)
        if (view_equal(name, view_of(view)))
            return true;
    return false;
}

/* ------------------------------------------------------------------ sheets */

static bool page_passes(struct sink *sink, const char *tab)
{
    const struct page_sink *self = (const struct page_sink *)sink;
    return !wants(self, "tables") && !(tab && wants(self, tab));
}

static bool page_begin(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct page_sink *self = (struct page_sink *)sink;
    const char *tab = sheet->tab ? sheet->tab : "";
    self->is_passed = page_passes(sink, sheet->tab);
    self->in_overview = strcmp(tab, "overview") == 0;
    if (!self->is_passed) {
        struct page_sheet *added = array_push(&self->sheets);
        *added = (struct page_sheet){.name = memory_text(sheet->name ? sheet->name : ""),
                                     .label = memory_text(sheet->name ? sheet_heading(sheet) : ""),
                                     .title = memory_text(sheet->title ? sheet->title : ""),
                                     .tab = memory_text(sheet->tab ? sheet->tab : "")};
        sheet_text_begin(&self->sheet, sheet);
        if (self->in_overview)
            overview_begin(&self->overview, sheet);
    }
    return true;
}

static bool page_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct page_sink *self = (struct page_sink *)sink;
    if (self->is_passed)
        return true;
    sheet_text_row(&self->sheet, cells);
    if (self->in_overview)
        overview_row(&self->overview, cells);

    /* Rows that say an event's place in the file lead to it. */
    const struct sheet *sheet = self->sheet.sheet;
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct view name = view_of(sheet->columns[i].name);
        bool is_place = view_equal(name, VIEW("uid")) || view_equal(name, VIEW("ex_uid"));
        if (is_place && cells[i].type == CELL_INTEGER)
            track_wish_add(&self->wish, cells[i].integer);
    }
    return true;
}

static bool page_footer(struct sink *sink, const struct cell *cells, struct error *error)
{
    struct page_sink *self = (struct page_sink *)sink;
    (void)error;
    if (!self->is_passed)
        sheet_text_footer(&self->sheet, cells);
    return true;
}

static bool page_end(struct sink *sink, struct error *error)
{
    (void)error;
    struct page_sink *self = (struct page_sink *)sink;
    if (self->is_passed)
        return true;
    struct page_sheet *sheet = &self->sheets.items[self->sheets.count - 1];
    if (self->in_overview)
        overview_end(&self->overview);
    sheet_text_end(&self->sheet);
    sheet->rows = self->sheet.rows;
    sheet->block = self->blocks.list.count;
    page_blocks_add(&self->blocks, "sheet", &self->sheet.json, NULL);
    sheet_text_free(&self->sheet);
    self->sheet = (struct sheet_text){0};
    return true;
}

/* ------------------------------------------------------------------ reports of views */

static bool has_sheet(const struct page_sink *self, const struct doc_object *report)
{
    const char *name = catalog_sheet(report, self->source.set);
    for (size_t i = 0; i < self->sheets.count; i++)
        if (strcmp(self->sheets.items[i].name, name ? name : report->name) == 0)
            return true;
    return false;
}

/* True if the set has reports of its own for a view. Else reports of other sets are taken, where
 * they have rows. */
static bool has_own(const struct page_sink *self, const char *tab)
{
    bool has = false;
    for (size_t i = 0; i < self->source.docs->count && !has; i++) {
        const struct doc_object *report = &self->source.docs->items[i];
        const char *other = docs_declared(report, "tab");
        has = other && strcmp(other, tab) == 0 && catalog_in_set(report, self->source.set);
    }
    return has;
}

/* Reports that declare the view that they are shown in. Those about ranks need several. */
static bool is_of_page(const struct page_sink *self, const struct doc_object *report,
                       bool has_ranks)
{
    const char *tab = docs_declared(report, "tab");
    if (!tab || !catalog_is_report(report) || !wants(self, tab) || has_sheet(self, report))
        return false;
    if (strcmp(tab, "ranks") == 0)
        return has_ranks;
    return catalog_in_set(report, self->source.set) || !has_own(self, tab);
}

static bool share(struct page_sink *self, const struct doc_object *report, struct error *error)
{
    bool done = true;
    const char *list = docs_declared(report, "shares");
    for (struct view name; done && list && (name = docs_next_name(&list)).length;) {
        done = shared_views_add(&self->shared, self->source.warehouse->db, name, error);
        database_let_go(self->source.warehouse->db);
    }
    return done;
}

static bool make_one(struct page_sink *self, const struct doc_object *report, struct error *error)
{
    struct report_options options = {.set = self->source.set,
                                     .abstentions = self->source.abstentions};
    struct sink *sinks[] = {&self->base};
    size_t sheets = 0;
    return share(self, report, error) &&
           report_make(self->source.warehouse, report, &options, false, sinks, 1, &sheets, error);
}

/* The overview reads its reports one after the other; other views have theirs by position. */
static bool stands_before(const struct doc_object *report, const struct doc_object *other)
{
    const char *tab = docs_declared(report, "tab"), *at = docs_declared(report, "position");
    const char *other_tab = docs_declared(other, "tab"), *its = docs_declared(other, "position");
    return strcmp(tab, "overview") != 0 && strcmp(tab, other_tab) == 0 && at && its &&
           atoi(at) < atoi(its);
}

static bool make_others(struct page_sink *self, struct error *error)
{
    bool done = true;
    report_list reports = {0};
    if (!self->source.warehouse || !self->source.docs)
        return true;
    self->base.has_charts = true; /* now, so that a page is the same beside a workbook and alone */
    for (size_t i = 0; i < self->source.docs->count; i++) {
        const struct doc_object *report = &self->source.docs->items[i];
        if (is_of_page(self, report, self->has_ranks)) {
            array_add(&reports, report);
            size_t at = reports.count - 1;
            for (; at && stands_before(report, reports.items[at - 1]); at--)
                reports.items[at] = reports.items[at - 1];
            reports.items[at] = report;
        }
    }
    for (size_t i = 0; i < reports.count && done; i++)
        done = has_sheet(self, reports.items[i]) || make_one(self, reports.items[i], error);
    if (!done)
        return false;

    /* Reports to which the overview leads. */
    for (size_t i = 0; i < self->overview.rows.count && done && wants(self, "tables"); i++) {
        const char *name = self->overview.rows.items[i].texts[OVERVIEW_REPORT];
        const struct doc_object *report =
            *name ? report_find(self->source.docs, name, self->source.set) : NULL;
        if (report && !has_sheet(self, report))
            done = make_one(self, report, error);
    }
    return done;
}

/* ------------------------------------------------------------------ slices */

/* Slices shorter than this are told together, if need be; ordered as they are tried. */
static const int64_t bundle_ns[] = {2000,   3000,   5000,    7000,     10000,     15000,     20000,
                                    30000,  50000,  70000,   100000,   150000,    200000,    300000,
                                    500000, 700000, 1000000, 10000000, 100000000, 1000000000};

static void add_not_included(struct page_sink *self, const char *words)
{
    text_format_json(&self->not_included, self->not_included.count ? ",%s" : "%s", words);
    page_format(&self->not_included_html, "<p>%s</p>\n", words);
}

enum { BUNDLES = sizeof bundle_ns / sizeof *bundle_ns, STEPS_MOST = 2 * BUNDLES };

/* Steps of bundling: nothing; then slices of the host; then GPU activities, too. */
static struct tracks_bundle bundle_of_step(size_t step)
{
    struct tracks_bundle bundle = {0};
    if (step)
        bundle.frame_ns = bundle.host_ns = bundle_ns[step < BUNDLES ? step - 1 : BUNDLES - 1];
    if (step > BUNDLES)
        bundle.work_ns = bundle_ns[step - BUNDLES - 1];
    return bundle;
}

/* Slices as they are at a step. */
struct trial {
    struct tracks tracks;
    struct page_blocks blocks;
};

static void free_trial(struct trial *trial)
{
    tracks_free(&trial->tracks);
    page_blocks_free(&trial->blocks);
    *trial = (struct trial){0};
}

static bool try_step(struct page_sink *self, size_t step, struct tracks_extent extent,
                     struct trial *trial, struct error *error)
{
    struct tracks_bundle bundle = bundle_of_step(step);
    free_trial(trial);
    extent.wish = &self->wish;
    return tracks_read(&trial->tracks, self->source.warehouse, &bundle, extent, &trial->blocks,
                       error);
}

/* About how many bytes all slices take, by a sample: what is packed grows with them, what is said
 * of blocks hardly does. */
static double guess_bytes(const struct trial *sample, int64_t slices)
{
    double packed = 0, others = 0;
    for (size_t i = 0; i < sample->blocks.list.count; i++) {
        packed += (double)sample->blocks.list.items[i].packed.count;
        others += (double)sample->blocks.list.items[i].entry.count;
    }
    return others + packed * (double)slices / (double)sample->tracks.slices;
}

/* Finer steps than a guess that took samples for larger than they are, while those fit, too. */
static bool refine_step(struct page_sink *self, int64_t room, size_t *step, struct trial *best,
                        struct error *error)
{
    enum { FULL = 8 }; /* less than one part in so many is free */
    struct tracks_extent extent = {.most = (size_t)room};
    struct trial finer = {0};
    bool done = true;
    while (done && *step && (int64_t)best->blocks.bytes < room - room / FULL) {
        done = try_step(self, *step - 1, extent, &finer, error);
        if (!done || (int64_t)finer.blocks.bytes > room)
            break;
        free_trial(best);
        *best = finer;
        finer = (struct trial){0};
        --*step;
    }
    free_trial(&finer);
    return done;
}

/* The first step that fits. */
static bool find_step(struct page_sink *self, int64_t room, size_t *step, struct trial *best,
                      struct error *error)
{
    if (room > 0) {
        /* The first step that fits by samples, where there is much to read. */
        enum { SAMPLE_LEAST = 32768, SAMPLE_ENOUGH = 160000, SAMPLED_LEAST = 16 };
        struct tracks_extent extent = {0};
        struct trial sample = {0};
        int64_t slices;
        bool done = tracks_count(self->source.warehouse, &slices, error);
        extent.sampled =
            slices / SAMPLE_ENOUGH > SAMPLED_LEAST ? slices / SAMPLE_ENOUGH : SAMPLED_LEAST;
        size_t to = slices >= SAMPLE_LEAST * SAMPLED_LEAST ? STEPS_MOST : 0;
        for (*step = 0; done && *step < to;) {
            size_t middle = (*step + to) / 2;
            done = try_step(self, middle, extent, &sample, error);
            if (sample.tracks.slices < SAMPLE_LEAST) /* which says nothing */
                to = *step = 0;
            else if (guess_bytes(&sample, slices) <= (double)room)
                to = middle;
            else
                *step = middle + 1;
        }
        free_trial(&sample);
        if (!done)
            return false;
    }
    if (room <= 0)
        *step = STEPS_MOST; /* to say how many bytes it takes */
    for (size_t guess = *step;; ++*step) {
        struct tracks_extent extent = {.most = *step < STEPS_MOST ? (size_t)room : 0};
        if (!try_step(self, *step, extent, best, error))
            return false;
        if ((int64_t)best->blocks.bytes <= room) {
            if (*step > guess)
                return true;
            return refine_step(self, room, step, best, error);
        }
        if (*step == STEPS_MOST)
            return error_set(error, STATUS_USAGE,
                             "a page of the selection takes %lld bytes; --html-limit takes that "
                             "or 0, --html-views fewer views",
                             (long long)(self->source.limit - room + (int64_t)best->blocks.bytes));
    }
}

/* Every slice, or where that makes the file too large, several of the short ones as one. */
static bool read_slices(struct page_sink *self, int64_t others, struct error *error)
{
    struct trial best = {0};
    size_t step = 0;
    if (!self->source.warehouse || !wants(self, "timeline"))
        return true;
    int64_t room = self->source.limit - others - (int64_t)self->blocks.bytes;
    bool done = self->source.limit ? find_step(self, room, &step, &best, error)
                                   : try_step(self, 0, (struct tracks_extent){0}, &best, error);
    if (done)
        page_blocks_move(&self->blocks, &best.blocks);
    self->tracks = best.tracks;
    struct tracks_bundle bundle = bundle_of_step(step);
    if (done && step) {
        /* Says what stands for several slices. */
        char words[400];
        snprintf(
            words, sizeof words,
            "Timeline: %lld slices in %lld rows, so that the file is not larger than %lld bytes: "
            "CPU slices below %lld us are joined with their neighbours%s. --html-limit 0 has all "
            "of them, --step and --rank fewer.",
            (long long)self->tracks.slices, (long long)self->tracks.rows,
            (long long)self->source.limit, (long long)(bundle.frame_ns / 1000),
            bundle.work_ns ? ", and so is GPU activity" : "; GPU activity is complete");
        add_not_included(self, words);
        fprintf(stderr, "tpq: %s\n", words);
    }
    return done;
}

/* ------------------------------------------------------------------ contents */

/* The traces, in the order in which blocks number them. */
static bool add_traces(struct page_sink *self, struct text *out, struct error *error)
{
    if (!self->source.warehouse)
        text_add_string(out, "[]");
    return !self->source.warehouse ||
           page_ask(self->source.warehouse, trace_list, self->has_ranks, out, error);
}

/* Records that ingest could not use, for the foot of the overview. */
static bool add_notes(struct page_sink *self, struct text *out, struct error *error)
{
    static const char sql[] = "SELECT detail, printf('%,d', sum(count)) FROM ingest_note WHERE "
                              "trace_id IN (SELECT trace_id FROM scope) "
                              "GROUP BY kind, detail ORDER BY kind, detail";
    if (!self->source.warehouse)
        return true;
    sqlite3_stmt *rows = warehouse_prepare(self->source.warehouse, sql, error);
    bool done = rows != NULL, any = false;
    for (; warehouse_next(self->source.warehouse, rows, &done, error); any = true) {
        const char *detail = (const char *)sqlite3_column_text(rows, 0);
        const char *count = (const char *)sqlite3_column_text(rows, 1);
        text_add_string(out, any ? "" : "<section><h2>Notes of ingest</h2><ul>\n");
        page_format(out, "<li><b>%s</b> \xC3\x97 %s</li>\n", count ? count : "",
                    detail ? detail : "");
    }
    database_finalize(rows);
    text_add_string(out, any ? "</ul></section>\n" : "");
    return done;
}

/* Where the worst examples of checks that are not passed stand on the timeline. */
static bool add_marks(struct page_sink *self, struct text *out, struct error *error)
{
    return !self->source.warehouse || page_ask(self->source.warehouse, health_marks, 0, out, error);
}

static bool add_contents(struct page_sink *self, const struct text *title, struct text *out,
                         struct error *error)
{
    text_format_json(out, "{\"contract\":%d,\"tpq\":%s,\"title\":%s", CONTRACT, TPQ_VERSION,
                     title->items);
    /* A member that is a list of texts: lines of what the page is about. */
    struct text line = {0};
    text_add_string(out, ",\"about\":[");
    for (size_t i = 0; i < identity_lines(self->to.identity); i++) {
        text_clear(&line);
        identity_add_line(self->to.identity, i, &line);
        text_add_string(out, i ? "," : "");
        text_add_json(out, text_view(&line));
    }
    text_add_byte(out, ']');
    text_format(out, ",\"compat\":%d,\"traces\":", self->source.compat);
    bool done = add_traces(self, out, error);
    if (done)
        done = add_marks(self, out, error);

    /* The views that are wanted, by name. */
    const char *list = PAGE_VIEWS, *between = "";
    text_add_string(out, ",\"views\":[");
    while (*list) {
        char name[16] = {0};
        size_t length = strcspn(list, " ");
        memcpy(name, list, length < sizeof name ? length : sizeof name - 1);
        if (wants(self, name)) {
            text_format(out, "%s\"%s\"", between, name);
            between = ",";
        }
        list += length + (list[length] == ' ');
    }
    text_add_byte(out, ']');
    text_add_string(out, ",\"sheets\":[");
    for (size_t i = 0; i < self->sheets.count; i++) {
        const struct page_sheet *sheet = &self->sheets.items[i];
        text_add_string(out, i ? "," : "");
        text_format_json(
            out, "{\"rows\":%zu,\"block\":%zu,\"label\":%s,\"name\":%s,\"title\":%s,\"tab\":%s}",
            sheet->rows, sheet->block, sheet->label, sheet->name, sheet->title, sheet->tab);
    }
    text_add_byte(out, ']');
    text_format(out, ",\"slices\":%lld,\"tracks\":%s,\"sides\":%s,\"not_included\":[",
                (long long)self->tracks.slices,
                self->tracks.list.count ? self->tracks.list.items : "[]",
                self->sides.count ? self->sides.items : "[]");
    text_add_text(out, &self->not_included);
    text_add_string(out, "],\"blocks\":");
    page_blocks_add_entries(&self->blocks, out);
    text_add_byte(out, '}');
    return done;
}

/* ------------------------------------------------------------------ the file */

/* The verdict beside the title; behind it the checks that are not ok. */
static bool add_health(const struct page_sink *self, struct text *out, struct error *error)
{
    static const char sql[] =
        "SELECT CASE WHEN trace_id IS NOT NULL THEN format('%s, trace %d', run, trace_id) ELSE run "
        "END, \"check\", verdict, words FROM trace_health WHERE verdict NOT IN ('ok', 'cannot "
        "tell')";
    static const char head[] =
        "<table><thead><tr><th>of</th><th>check</th><th>verdict</th><th>finding</th></tr></thead>"
        "<tbody>\n";
    const struct identity *identity = self->to.identity;
    if (!identity || !identity->health || !self->source.warehouse)
        return true;
    page_format(out, "<details><summary class=\"%s\" title=\"%s\">%s</summary>",
                strcmp(identity->verdict, "complete") == 0         ? "good"
                : strcmp(identity->verdict, "not comparable") == 0 ? "bad"
                                                                   : "fair",
                identity->health, identity->verdict);
    bool any, done = page_add_rows(self->source.warehouse, sql, 0, head, &any, out, error);
    text_add_string(out, any ? "</tbody></table></details>" : "No check found anything.</details>");
    return done;
}

static bool add_body(struct page_sink *self, const char *title, struct text *out,
                     struct error *error)
{
    struct text line = {0};
    page_format(
        out,
        "<body>\n<a class=\"skip\" href=\"#view\">Skip to the view</a>\n<header>\n<h1>%s</h1>"
        "\n",
        title);
    bool done = add_health(self, out, error);
    text_add_string(out, "<p id=\"about\">");
    done = done && about_add_files(self->source.warehouse, out, error);
    for (size_t i = 0; i < identity_lines(self->to.identity) && done; i++) {
        text_clear(&line);
        identity_add_line(self->to.identity, i, &line);
        text_add_string(out, i ? "<br>" : "");
        page_add_html(out, text_view(&line));
    }
    done = done && about_add_setup(self->source.warehouse, out, error);
    text_add_string(out, "</p>\n</header>\n<nav id=\"tabs\" aria-label=\"Views\"></nav>\n"
                         "<main id=\"view\" tabindex=\"-1\">\n<div id=\"overview\">\n");
    if (wants(self, "overview"))
        overview_add_html(&self->overview, out);
    if (!self->overview.rows.count && self->source.docs)
        text_add_string(out, "<p class=\"none\">The selection has no GPU time.</p>\n");
    if (done)
        done = add_notes(self, out, error);
    done = done && about_add_html(self->source.warehouse, self->source.compat,
                                  &self->not_included_html, out, error);
    text_add_string(out, "</div>\n<noscript><p>Timelines and tables need JavaScript. "
                         "<code>tpq report --csv DIRECTORY</code> writes all sheets as files.</p>"
                         "</noscript>\n</main>\n");
    about_add_keys(out);
    return done;
}

static bool print(struct page_sink *self, struct text *out)
{
    bool done = fwrite(out->items, 1, out->count, self->to.out) == out->count;
    text_clear(out);
    return done;
}

/* Write errors show at the end of the stream. */
static bool print_page(struct page_sink *self, struct text *out, struct error *error)
{
    struct text title = {0}, json = {0};

    /* The title: the runs, or the sides that are compared while they are few. */
    const struct identity *identity = self->to.identity;
    enum { FEW = 4 };
    bool are_few = identity && identity->sides.count <= FEW;
    for (size_t i = 0; are_few && i < identity->sides.count; i++) {
        const char *side = identity->sides.items[i].side;
        text_format(&title, "%s%s", i ? " against " : "", side ? side : "");
    }
    for (size_t i = 0; identity && i < identity->facts.count && !title.count; i++)
        if (strcmp(identity->facts.items[i].name, "run") == 0)
            identity_add_values(&identity->facts.items[i], &title);
    if (!title.count)
        text_add_string(&title, "tpq");
    page_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n<title>%s - tpq</title>\n<style>",
        page_script_hash, page_style_hash, title.items);
    text_add_string(out, page_style);
    text_add_string(out, "</style>\n</head>\n");
    bool done = add_body(self, title.items, out, error) && add_contents(self, &title, &json, error);

    text_add_string(out, "<script type=\"application/json\" id=\"page\">");
    page_add_script(out, text_view(&json));
    text_format(out, "</script>\n<script>%s</script>\n", page_script);
    for (size_t i = 0; i < self->blocks.list.count && done && print(self, out); i++)
        page_blocks_print(&self->blocks, i, out);
    text_format(out,
                "<script type=\"application/json\" id=\"end\">{\"blocks\":%zu}</script>\n</body>\n"
                "</html>\n",
                self->blocks.list.count);
    if (done)
        print(self, out);
    return done;
}

/* Curves over the time of a timeline. */
static bool add_curves(struct page_sink *self, struct error *error)
{
    size_t not_included;
    char words[120];
    bool done = curves_add_block(self->source.warehouse, &self->blocks, &not_included, error);
    if (done && not_included) {
        snprintf(words, sizeof words,
                 "Timeline: %zu counters are not in the file; tpq export has them, and the report "
                 "counters sums them up.",
                 not_included);
        add_not_included(self, words);
        fprintf(stderr, "tpq: %s\n", words);
    }
    return done;
}

/* Flame graphs are of the first two runs. */
static bool add_flame(struct page_sink *self, struct error *error)
{
    size_t runs = 0;
    char words[80];
    if (!flame_add_blocks(self->source.warehouse, self->source.base, &self->blocks, &self->sides,
                          &runs, error))
        return false;
    snprintf(words, sizeof words, "Flame: the first two of %zu runs; --run selects others.", runs);
    if (runs > 2)
        add_not_included(self, words);
    return true;
}

static bool page_finish(struct sink *sink, struct error *error)
{
    struct page_sink *self = (struct page_sink *)sink;
    struct text out = {0};
    /* Compared runs can be more than a page has beside each other. */
    char words[120];
    snprintf(words, sizeof words,
             "Overview, timeline and flame: only the first %zu of %zu that are compared.",
             self->source.runs, self->source.runs_of);
    if (self->source.runs < self->source.runs_of)
        add_not_included(self, words);
    bool done = make_others(self, error);
    if (self->source.warehouse)
        shared_views_drop(&self->shared, self->source.warehouse->db);
    if (done && self->source.warehouse && wants(self, "flame"))
        done = add_flame(self, error);
    if (done && self->source.warehouse && wants(self, "memory"))
        done = snapshot_add_block(self->source.warehouse, &self->blocks, error);
    if (done && self->has_ranks && wants(self, "timeline"))
        done = tracks_add_together(self->source.warehouse, &self->blocks, error);
    if (done && self->source.warehouse && wants(self, "timeline"))
        done = tracks_add_edges(self->source.warehouse, &self->blocks, error) &&
               add_curves(self, error);
    done = done && add_body(self, "", &out, error); /* to know how long it is */
    int64_t others = FRAME_BYTES + (int64_t)(out.count + strlen(page_style) + strlen(page_script));
    text_clear(&out);
    done = done && read_slices(self, others, error) && print_page(self, &out, error);
    if (self->source.warehouse)
        sqlite3_progress_handler(self->source.warehouse->db, 0, NULL, NULL);
    return done;
}

/* A page goes through all of the file several times, and has a use for little of it at once. */
static int let_go(void *db)
{
    database_let_go(db);
    return 0;
}

struct sink *sink_page(const struct sink_target *target, struct error *error)
{
    struct sink base = {.out = target->out,
                        .begin = page_begin,
                        .row = page_row,
                        .end = page_end,
                        .finish = page_finish,
                        .footer = page_footer,
                        .passes = page_passes,
                        .titles_lead = true,
                        .has_notes = true,
                        .has_names = true};
    struct page_sink *self = sink_new(sizeof *self, base);
    self->to = *target;
    if (target->source)
        self->source = *target->source;
    enum { STEPS = 1000000 }; /* of SQLite: some hundred thousand rows */
    if (self->source.warehouse)
        sqlite3_progress_handler(self->source.warehouse->db, STEPS, let_go,
                                 self->source.warehouse->db);
    bool has_reports = self->source.warehouse && self->source.docs;
    if (has_reports) {
        /* Views that several reports of the page stand on, for rows or notes, are made once, before
         * them.
         */
        static const char sql[] =
            "SELECT count(DISTINCT trace_id) > count(DISTINCT run) FROM scope";
        int64_t answer = 0;
        bool done = warehouse_ask(self->source.warehouse, sql, 0, &answer, error);
        self->has_ranks = answer != 0;
        for (size_t i = 0; i < self->source.docs->count && done && !self->source.is_parted; i++) {
            const struct doc_object *report = &self->source.docs->items[i];
            done = !is_of_page(self, report, self->has_ranks) || share(self, report, error);
        }
        if (!done)
            return NULL;
    }
    return &self->base;
}
