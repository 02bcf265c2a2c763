/* block_match: steps of a phase are cut into blocks on each side, and each block is held against
 * all of one length on the other side, unless the means of their figures show that the pair cannot
 * win. Of equal pairs the first one stays.
 */
#include "query/split/block_match.h"

#include "src/base/file.h"
#include "src/base/number.h"

#include <math.h>
#include <string.h>

static const struct phase_kind {
    const char *name;
    enum step_phase phase;
    size_t least; /* steps of a run */
} kinds[] = {
    {"decode_only", PHASE_DECODE, 2},
    {"prefilldecode", PHASE_BOTH, 1},
    {"prefill_only", PHASE_PREFILL, 1},
};

enum { KINDS = sizeof kinds / sizeof *kinds, FIGURES = 4 };

struct block {
    struct span span;
    size_t index, original; /* number among the blocks; steps of the run that it is cut from */
    double means[FIGURES];
};

typedef ARRAY(struct block) block_list;

/* Compared from the first figure on. */
struct distance {
    double figures[FIGURES];
    size_t count;
};

struct pair {
    const struct phase_kind *kind;
    struct block blocks[2];
    struct distance distance;
    bool found;
};

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ", ");
        if (span == length && memcmp(at, name, length) == 0)
            return true;
        at += span;
    }
    return false;
}

bool match_check_phases(const char *phases, struct error *error)
{
    for (const char *at = phases; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ", ");
        bool known = false;
        for (size_t i = 0; i < KINDS; i++)
            known |= strlen(kinds[i].name) == span && memcmp(kinds[i].name, at, span) == 0;
        if (!known)
            return error_set(
                error, STATUS_USAGE,
                "tpq split: '%.*s' is no phase; they are prefill_only, decode_only and "
                "prefilldecode",
                (int)span, at);
        at += span;
    }
    return true;
}

/* ------------------------------------------------------------------ figures */

static size_t figures_of(const struct phase_kind *kind)
{
    return kind->phase == PHASE_DECODE ? 2 : FIGURES;
}

/* Figures by which steps of a phase are compared. */
static void read_figures(const struct engine_step *step, const struct phase_kind *kind,
                         double *figures)
{
    const int64_t decode[FIGURES] = {step->g_sq, step->g_sk};
    const int64_t other[FIGURES] = {step->context, step->generation, step->c_sq, step->g_sq};
    for (size_t i = 0; i < figures_of(kind); i++)
        figures[i] = (double)(kind->phase == PHASE_DECODE ? decode : other)[i];
}

/* ------------------------------------------------------------------ blocks */

static bool has_sums(const struct split *side, struct span span)
{
    for (size_t i = span.first; i < span.end; i++)
        if (!side->steps.list.items[i].has_sums)
            return false;
    return true;
}

/* The blocks of a phase; `number` goes on over all phases, in the order of the trace. */
static void find_blocks(const struct split *side, const struct phase_kind *kind, size_t num_steps,
                        block_list *blocks)
{
    span_list runs = {0};
    steps_runs(&side->steps, (struct span){0, side->steps.list.count}, false, &runs);
    for (size_t i = 0; i < runs.count; i++) {
        struct span run = runs.items[i];
        size_t length = run.end - run.first;
        if (step_phase(&side->steps.list.items[run.first]) != kind->phase || length < kind->least)
            continue;
        size_t window = num_steps && length > num_steps ? num_steps : length;
        for (size_t at = run.first; at + window <= run.end; at += window) {
            struct span span = {at, at + window};
            if (!has_sums(side, span))
                continue;
            struct block *block = array_push(blocks);
            *block = (struct block){.span = span, .index = blocks->count - 1, .original = length};
            double steps = (double)(block->span.end - block->span.first), figures[FIGURES];
            for (size_t k = block->span.first; k < block->span.end; k++) {
                read_figures(&side->steps.list.items[k], kind, figures);
                for (size_t j = 0; j < figures_of(kind); j++)
                    block->means[j] += figures[j] / steps;
            }
        }
    }
}

/* ------------------------------------------------------------------ distance */

static struct distance distance_of(const struct split sides[2], const struct phase_kind *kind,
                                   struct span left, struct span right)
{
    struct distance distance = {.count = figures_of(kind)};
    double steps = (double)(left.end - left.first);
    for (size_t i = 0; i < left.end - left.first; i++) {
        double a[FIGURES], b[FIGURES];
        read_figures(&sides[0].steps.list.items[left.first + i], kind, a);
        read_figures(&sides[1].steps.list.items[right.first + i], kind, b);
        for (size_t j = 0; j < distance.count; j++)
            distance.figures[j] += fabs(a[j] - b[j]) / steps;
    }
    return distance;
}

static size_t shorter_original(const struct block *left, const struct block *right)
{
    return left->original < right->original ? left->original : right->original;
}

/* True if a pair is from longer runs than the best one, or as long and with more steps. */
static bool is_longer(const struct pair *best, const struct block *left, const struct block *right)
{
    size_t own = shorter_original(left, right);
    size_t other = shorter_original(&best->blocks[0], &best->blocks[1]);
    if (own != other)
        return own > other;
    return left->span.end - left->span.first >
           best->blocks[0].span.end - best->blocks[0].span.first;
}

/* Nearer; among equals the longer one, then the one that was found first. */
static bool is_better(const struct pair *pair, const struct block *left, const struct block *right,
                      const struct distance *distance)
{
    if (!pair->found)
        return true;
    for (size_t i = 0; i < distance->count; i++)
        if (distance->figures[i] != pair->distance.figures[i])
            return distance->figures[i] < pair->distance.figures[i];
    return is_longer(pair, left, right);
}

/* Two blocks are no nearer in a figure than their means are: most pairs are told apart by that,
 * without a look at their steps. It holds up to the first figure in which the best pair differs;
 * where that differs in none, only one from longer runs is better. */
static bool cannot_win(const struct pair *best, const struct block *left, const struct block *right)
{
    static const double margin = 1e-9; /* for what rounding does */
    if (!best->found)
        return false;
    for (size_t i = 0; i < best->distance.count; i++) {
        double figure = best->distance.figures[i];
        if (fabs(left->means[i] - right->means[i]) > figure + margin * (1 + fabs(left->means[i])))
            return true;
        if (figure > 0)
            return false;
    }
    return !is_longer(best, left, right);
}

static void find_pair(const struct split sides[2], size_t num_steps, struct pair *pair,
                      size_t counts[2])
{
    block_list blocks[2] = {0};
    find_blocks(&sides[0], pair->kind, num_steps, &blocks[0]);
    find_blocks(&sides[1], pair->kind, num_steps, &blocks[1]);
    for (size_t i = 0; i < blocks[0].count; i++)
        for (size_t j = 0; j < blocks[1].count; j++) {
            const struct block *left = &blocks[0].items[i], *right = &blocks[1].items[j];
            if (left->span.end - left->span.first != right->span.end - right->span.first ||
                cannot_win(pair, left, right))
                continue;
            struct distance distance = distance_of(sides, pair->kind, left->span, right->span);
            if (is_better(pair, left, right, &distance))
                *pair = (struct pair){pair->kind, {*left, *right}, distance, true};
        }
    for (size_t i = 0; i < 2; i++)
        counts[i] = blocks[i].count;
}

/* ------------------------------------------------------------------ the report */

struct means {
    double context, generation, c_sq, c_sk, g_sq, g_sk;
};

static struct means means_of(const struct split *side, struct span span)
{
    struct means means = {0};
    double count = (double)(span.end - span.first);
    for (size_t i = span.first; i < span.end; i++) {
        const struct engine_step *step = &side->steps.list.items[i];
        means.context += (double)step->context / count;
        means.generation += (double)step->generation / count;
        means.c_sq += (double)step->c_sq / count;
        means.c_sk += (double)step->c_sk / count;
        means.g_sq += (double)step->g_sq / count;
        means.g_sk += (double)step->g_sk / count;
    }
    return means;
}

static void add_real(struct text *out, const char *before, double value, double parts)
{
    text_add_string(out, before);
    number_add_real(out, round(value * parts) / parts);
}

static void add_side(struct text *out, const struct split *side, const struct block *block,
                     const char *name, const char *path, char letter)
{
    struct means means = means_of(side, block->span);
    size_t count = block->span.end - block->span.first;
    text_format(out, ", \"Trace%c\": {\"block_index\": %zu, \"trace\": ", letter, block->index);
    text_add_json(out, view_of(name));
    text_add_string(out, ", \"output_path\": ");
    if (path)
        text_add_json(out, view_of(path));
    else
        text_add_string(out, "null");
    add_real(out, ", \"avg_c_req\": ", means.context, 1e3);
    add_real(out, ", \"avg_g_req\": ", means.generation, 1e3);
    add_real(out, ", \"avg_c_sq\": ", means.c_sq, 1e3);
    add_real(out, ", \"avg_c_sk\": ", means.c_sk, 1e3);
    add_real(out, ", \"avg_g_sq\": ", means.g_sq, 1e3);
    add_real(out, ", \"avg_g_sk\": ", means.g_sk, 1e3);
    text_format(out,
                ", \"start\": %zu, \"end\": %zu, \"num_steps\": %zu, "
                "\"original_num_steps\": %zu, \"truncated\": %s, \"steps\": [",
                block->span.first, block->span.end, count, block->original,
                block->original > count ? "true" : "false");
    for (size_t i = block->span.first; i < block->span.end; i++) {
        const struct engine_step *step = &side->steps.list.items[i];
        text_format(out, "%s{\"step\": %zu, \"name\": ", i > block->span.first ? ", " : "", i);
        text_add_json(out, view_of(step->name));
        text_format(out,
                    ", \"num_context\": %lld, \"num_generation\": %lld, \"c_sq\": %lld, "
                    "\"c_sk\": %lld, \"g_sq\": %lld, \"g_sk\": %lld}",
                    (long long)step->context, (long long)step->generation, (long long)step->c_sq,
                    (long long)step->c_sk, (long long)step->g_sq, (long long)step->g_sk);
    }
    text_add_string(out, "]}");
}

static void add_field(struct text *out, const char *field)
{
    text_add_string(out, ",\"");
    if (*field && strchr("=+-@\t\r", *field))
        text_add_byte(out, '\'');
    for (; *field; field++) {
        if (*field == '"')
            text_add_byte(out, '"');
        text_add_byte(out, *field);
    }
    text_add_byte(out, '"');
}

struct report {
    struct text json, csv, notes;
    size_t matches, missing;
};

static void add_header(struct report *report)
{
    static const char *const sides[] = {"TraceA", "TraceB"};
    static const char *const columns[] = {
        "trace",     "block_index", "start",      "end",      "original_num_steps",
        "truncated", "avg_c_req",   "avg_g_req",  "avg_c_sq", "avg_c_sk",
        "avg_g_sq",  "avg_g_sk",    "output_path"};
    text_add_string(&report->csv, "match_id,phase,num_steps,distance");
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
            text_format(&report->csv, ",%s_%s", sides[i], columns[j]);
    text_add_byte(&report->csv, '\n');
}

static void add_pair(struct report *report, const struct split sides[2], const struct pair *pair,
                     const char *const names[2], const char *const paths[2])
{
    size_t steps = pair->blocks[0].span.end - pair->blocks[0].span.first;
    struct text *json = &report->json, *csv = &report->csv;
    text_format(json,
                "%s{\"match_id\": %zu, \"phase\": \"%s\", \"num_steps\": %zu, "
                "\"distance\": [",
                report->matches ? ",\n" : "\n", report->matches, pair->kind->name, steps);
    text_format(csv, "%zu,%s,%zu,", report->matches, pair->kind->name, steps);
    for (size_t i = 0; i < pair->distance.count; i++) {
        add_real(json, i ? ", " : "", pair->distance.figures[i], 1e6);
        add_real(csv, i ? "|" : "", pair->distance.figures[i], 1e6);
    }
    text_add_byte(json, ']');
    for (size_t i = 0; i < 2; i++) {
        add_side(json, &sides[i], &pair->blocks[i], names[i], paths[i], "AB"[i]);

        const struct block *block = &pair->blocks[i];
        const char *path = paths[i];
        struct means means = means_of(&sides[i], block->span);
        bool is_cut = block->original > block->span.end - block->span.first;
        add_field(csv, names[i]);
        text_format(csv, ",%zu,%zu,%zu,%zu,%s", block->index, block->span.first, block->span.end,
                    block->original, is_cut ? "True" : "False");
        add_real(csv, ",", means.context, 1e3);
        add_real(csv, ",", means.generation, 1e3);
        add_real(csv, ",", means.c_sq, 1e3);
        add_real(csv, ",", means.c_sk, 1e3);
        add_real(csv, ",", means.g_sq, 1e3);
        add_real(csv, ",", means.g_sk, 1e3);
        add_field(csv, path ? path : "");
    }
    report->matches++;
    text_add_byte(json, '}');
    text_add_byte(csv, '\n');
}

static void add_note(struct report *report, const struct phase_kind *kind, const size_t counts[2])
{
    const char *reason = counts[0] == 0   ? "the first trace has no such run of steps with sums"
                         : counts[1] == 0 ? "the second trace has no such run of steps with sums"
                                          : "no run of one has as many steps as one of the other";
    text_format(&report->notes, "%s{\"phase\": \"%s\", \"reason\": \"%s\"}",
                report->missing++ ? ",\n" : "\n", kind->name, reason);
}

bool match_write(struct split sides[2], const char *directory, const struct match_options *options,
                 struct error *error)
{
    struct report report = {0};
    add_header(&report);
    text_add_byte(&report.json, '[');
    text_add_byte(&report.notes, '[');
    bool done = true;
    for (size_t i = 0; i < KINDS && done; i++) {
        struct pair pair = {.kind = &kinds[i]};
        size_t counts[2] = {0};
        const char *paths[2] = {NULL, NULL};
        if (!is_listed(options->phases, kinds[i].name))
            continue;
        find_pair(sides, options->num_steps, &pair, counts);
        if (pair.found && options->write_parts) {
            /* Each block as a trace of its own. */
            for (size_t j = 0; j < 2 && done; j++) {
                struct text name = {0};
                text_format(&name, "%s_best_A%zu_B%zu_%c_%s", pair.kind->name, pair.blocks[0].index,
                            pair.blocks[1].index, "AB"[j], sides[j].base);
                done =
                    split_write(&sides[j], pair.blocks[j].span, name.items, pair.kind->name, error);
                if (done)
                    paths[j] = sides[j].parts.items[sides[j].parts.count - 1].path;
            }
        }
        if (done) {
            if (pair.found)
                add_pair(&report, sides, &pair, options->names, paths);
            else
                add_note(&report, &kinds[i], counts);
        }
    }
    if (done) {
        text_add_string(&report.json, "\n]\n");
        text_add_string(&report.notes, "\n]\n");
    }
    return done && file_make_folder(directory, error) &&
           split_write_text(directory, "match_report.json", &report.json, error) &&
           split_write_text(directory, "match_report.csv", &report.csv, error) &&
           split_write_text(directory, "match_notes.json", &report.notes, error);
}
