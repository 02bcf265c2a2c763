/* verb_split: `tpq split`, a trace cut into steps, windows or phases, and equal parts of two. */
#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ingest/ingest.h"
#include "query/split/block_match.h"
#include "query/split/split.h"
#include "sql/asked.h"
#include "src/base/text.h"
#include "src/command/session.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct call {
    const struct arguments *arguments;
    struct error *error;
    const char *directory;
    struct warehouse warehouse;
    bool is_open;
    ARRAY(int64_t) traces;
    struct split sides[2];
    char *bases[2]; /* names of their files */
    long num_steps;
    double concurrency, output_length, ratio; /* -1 = not given */
};

/* ------------------------------------------------------------------ inputs */

static bool verb_split_is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word) && !warehouse_exists(word);
}

static void take_trace(void *context, const struct ingest_outcome *outcome)
{
    struct call *self = context;
    if (outcome->result == INGEST_STORED || outcome->result == INGEST_KNOWN)
        array_add(&self->traces, outcome->trace_id);
}

/* Each file into a run of its own: so the same content twice is two traces. */
static bool ingest_file(struct call *self, const char *path, const char *run, bool into_file)
{
    input_list inputs = {0};
    struct ingest_options options = {.database = session_database(self->arguments),
                                     .into = into_file ? NULL : &self->warehouse,
                                     .run = run};
    struct ingest_observer observer = {take_trace, self, NULL};
    return session_wait_ms(self->arguments, &options.wait_ms, self->error) &&
           discover_inputs(&path, 1, &inputs, self->error) &&
           ingest_run(&options, &inputs, &observer, self->error);
}

static bool open_inputs(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    size_t count = arguments->operands.count, numbers = 0;
    for (size_t i = 0; i < count; i++)
        numbers += verb_split_is_number(arguments->operands.items[i]);
    if (numbers && numbers < count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq split: either files or numbers of traces, not both");
    self->is_open =
        numbers ? session_open(arguments, WAREHOUSE_READ, &self->warehouse, self->error)
                : warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, self->error);
    if (!self->is_open)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *word = arguments->operands.items[i];
        int64_t number;
        if (!numbers && !ingest_file(self, word, i ? "second" : "first", false))
            return false;
        if (!numbers)
            continue;
        if (!session_integer(arguments, "trace number", word, &number, self->error))
            return false;
        array_add(&self->traces, number);
    }
    return self->traces.count == count ||
           error_set(self->error, STATUS_USAGE,
                     "tpq split: a part is cut out of one trace; an operand has more, or none");
}

/* ------------------------------------------------------------------ numbers */

static bool read_split_number(struct call *self, const char *option, double *number)
{
    const char *value = arguments_value(self->arguments, option);
    char *end;
    *number = -1;
    if (!value)
        return true;
    *number = strtod(value, &end);
    return (*value && !*end && *number >= 0 && *number <= 1e9) ||
           error_set(self->error, STATUS_USAGE, "tpq split: --%s must be a number, not '%s'",
                     option, value);
}

static bool read_split_numbers(struct call *self)
{
    bool matches = arguments_has(self->arguments, "match");
    return arguments_number(self->arguments, "num-steps", matches ? 0 : 1, 1000000,
                            matches ? 16 : 32, &self->num_steps, self->error) &&
           read_split_number(self, "CONC", &self->concurrency) &&
           read_split_number(self, "OSL", &self->output_length) &&
           read_split_number(self, "R", &self->ratio);
}

/* `all`, N, or A:B, as far as there are steps. */
static bool read_iterations(const struct call *self, struct span *span, bool *is_all)
{
    const char *words = arguments_value(self->arguments, "iterations");
    size_t count = self->sides[0].steps.list.count;
    *is_all = !words || strcmp(words, "all") == 0;
    *span = (struct span){0, count};
    if (*is_all)
        return true;
    char *end;
    errno = 0;
    unsigned long first = strtoul(words, &end, 10), last = first + 1;
    bool is_good = isdigit((unsigned char)*words) && (*end == '\0' || *end == ':');
    if (is_good && *end == ':') {
        const char *second = end + 1;
        last = strtoul(second, &end, 10);
        is_good = isdigit((unsigned char)*second) && *end == '\0';
    }
    if (!is_good || errno || last <= first)
        return error_set(self->error, STATUS_USAGE,
                         "tpq split: --iterations takes all, N or A:B, not '%s'", words);
    if (first >= count)
        return error_set(self->error, STATUS_USAGE,
                         "tpq split: --iterations %s: the trace has %zu steps", words, count);
    *span = (struct span){first, last < count ? last : count};
    return true;
}

/* ------------------------------------------------------------------ parts */

static bool write_part(struct call *self, struct span span, const char *folder, struct text *name)
{
    return split_write(&self->sides[0], span, name->items, folder, self->error);
}

static bool write_window(struct call *self, struct span span, const char *label)
{
    const struct split *side = &self->sides[0];
    struct text name = {0};
    if (span.end == span.first)
        return true;
    text_format(&name, "%s_", label);
    if (side->steps.is_served) {
        split_add_words(side, span, &name);
        text_add_byte(&name, '_');
        split_add_means(side, span, &name);
        text_add_byte(&name, '_');
    }
    text_add_string(&name, side->base);
    return write_part(self, span, NULL, &name);
}

static bool write_singles(struct call *self, struct span span)
{
    const struct split *side = &self->sides[0];
    for (size_t i = span.first; i < span.end; i++) {
        const struct engine_step *step = &side->steps.list.items[i];
        struct text name = {0};
        text_format(&name, "%s_annotation_iteration_%zu%s", side->base, i,
                    step->is_marked ? "_" : "");
        for (const char *at = step->is_marked ? step->name : ""; *at; at++)
            if (*at != ')' && *at != ':')
                text_add_byte(&name, *at == '(' || *at == ' ' ? '_' : *at);
        if (!write_part(self, (struct span){i, i + 1}, NULL, &name))
            return false;
    }
    return true;
}

static bool write_phases(struct call *self, const span_list *regions)
{
    const struct split *side = &self->sides[0];
    size_t numbers[2] = {0};
    bool done = true;
    for (size_t i = 0; i < regions->count && done; i++) {
        span_list runs = {0};
        steps_runs(&side->steps, regions->items[i], true, &runs);
        for (size_t j = 0; j < runs.count && done; j++) {
            struct span run = runs.items[j];
            bool decodes = step_phase(&side->steps.list.items[run.first]) == PHASE_DECODE;
            const char *phase = decodes ? "decode_only" : "prefilldecodemix";
            struct text name = {0};
            text_format(&name, "%s_chunk%zu_steps%zu_", phase, numbers[decodes]++,
                        run.end - run.first);
            split_add_means(side, run, &name);
            text_add_byte(&name, '_');
            split_add_words(side, run, &name);
            text_format(&name, "_%s", side->base);
            done = write_part(self, run, phase, &name);
        }
    }
    return done;
}

/* ------------------------------------------------------------------ the steady state */

/* The share of prefill by the load of the server, where all of it is known; more steps are looked
 * at where else none of them would be prefill. */
static double wanted_share(struct call *self, const span_list *regions)
{
    if (self->concurrency <= 0 || self->output_length <= 0 || self->ratio < 0)
        return steps_prefill_share(&self->sides[0].steps, regions);
    if (self->ratio > 1) {
        fputs("tpq: --R is more than 1 and taken for 1\n", stderr);
        self->ratio = 1;
    }
    int64_t most = 0;
    for (size_t i = 0; i < self->sides[0].steps.list.count; i++) {
        int64_t requests = step_requests(&self->sides[0].steps.list.items[i]);
        most = requests > most ? requests : most;
    }
    if ((double)most != self->concurrency)
        fprintf(stderr, "tpq: --CONC is %g, but steps have at most %lld requests\n",
                self->concurrency, (long long)most);
    double share = 2 * self->concurrency / (self->output_length * (1 + self->ratio));
    double need = ceil(1 / share);
    if (need > (double)self->num_steps) {
        self->num_steps = need < 1e6 ? (long)need : 1000000;
        fprintf(stderr, "tpq: windows have %ld steps, so that prefill is among them\n",
                self->num_steps);
    }
    return share;
}

/* ------------------------------------------------------------------ the verb */

static bool add_as_run(struct call *self)
{
    const char *run = arguments_value(self->arguments, "as-run");
    bool done = true;
    if (!run)
        return true;
    warehouse_close(&self->warehouse);
    self->is_open = false;
    for (size_t i = 0; i < 2 && done; i++)
        for (size_t j = 0; j < self->sides[i].parts.count && done; j++)
            done = ingest_file(self, self->sides[i].parts.items[j].path, run, true);
    return done;
}

static bool open_side(struct call *self, size_t i)
{
    int64_t trace = self->traces.items[i];

    /* The name of a trace's file without its endings, where parts can be cut out of it. */
    char **base = &self->bases[i];
    struct asked row;
    const char *path, *name;
    ASK(&row, self->warehouse.db, "SELECT path, format FROM trace WHERE id = ?1", trace);
    bool is_there = ASKED_ROW(&row, &path, &name), done = is_there;
    const struct format *format = is_there ? format_find(name) : NULL;
    if (is_there && (!format || !format->can_be_split))
        done = error_set(self->error, STATUS_USAGE,
                         "%s: parts are cut out of Kineto traces, not out of other profiles", path);
    if (done) {
        const char *slash = strrchr(path, '/');
        *base = memory_text(strcmp(path, "-") == 0 ? "trace" : slash ? slash + 1 : path);
        discover_cut_endings(*base);
    }
    if (!asked_done(&row, self->warehouse.path, self->error) || (is_there && !done))
        return false;
    return is_there
               ? split_open(&self->sides[i], &self->warehouse, trace, self->bases[i],
                            self->directory, self->error)
               : error_set(self->error, STATUS_USAGE, "there is no trace %lld", (long long)trace);
}

static void print_parts(const struct split *side)
{
    for (size_t i = 0; i < side->parts.count; i++) {
        const struct part *part = &side->parts.items[i];
        session_print(stdout, part->path);
        printf("  iterations %zu-%zu, %lld GPU activities, %.3f ms busy\n", part->span.first,
               part->span.end - 1, (long long)part->work, (double)part->busy_ns / 1e6);
    }
}

static bool cut_part(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    struct split *side = &self->sides[0];
    struct span span;
    bool is_all;
    span_list regions = {0};
    if (!open_side(self, 0) || !read_iterations(self, &span, &is_all))
        return false;
    bool phases = arguments_has(arguments, "divide-phases");
    bool steady = arguments_has(arguments, "find-steady-state") && !phases;
    bool is_served = side->steps.is_served;
    bool singles = arguments_has(arguments, "store-single-iteration") ||
                   !(is_served || steady || arguments_value(arguments, "iterations"));
    bool done =
        is_served || !phases ||
        error_set(self->error, STATUS_USAGE,
                  "tpq split: --divide-phases is for served models; %s has no phases", side->base);
    if (done && (phases || steady)) {
        /* Phases and steady states lie in regions of like steps. */
        bool is_guess = false;
        if (is_all)
            steps_regions(&self->sides[0].steps, (size_t)self->num_steps, &regions, &is_guess);
        else
            array_add(&regions, span);
        if (is_guess)
            fputs("tpq: no steps with a steady number of requests; the middle of the trace is "
                  "taken\n",
                  stderr);
    }
    if (done && singles)
        done = write_singles(self, span);
    if (done && phases)
        done = write_phases(self, &regions);
    if (done && steady) {
        /* A steady state: mixed steps, then the longest decode and prefill. */
        const struct steps *steps = &self->sides[0].steps;
        struct span widest = regions.items[0];
        for (size_t i = 1; i < regions.count; i++)
            if (regions.items[i].end - regions.items[i].first > widest.end - widest.first)
                widest = regions.items[i];
        double share = wanted_share(self, &regions);
        size_t wanted = (size_t)self->num_steps;
        done = write_window(self, steps_mixed(steps, widest, wanted, share),
                            is_served ? "mixed_steady_state" : "steady_state") &&
               (!is_served || (write_window(self, steps_longest(steps, widest, wanted, false),
                                            "decode_only_steady_state") &&
                               write_window(self, steps_longest(steps, widest, wanted, true),
                                            "prefilldecode_steady_state")));
    }
    if (done && !phases && !steady && !singles) {
        char label[64];
        snprintf(label, sizeof label, "iterations_%zu_%zu", span.first, span.end);
        done = write_window(self, span, label);
    }
    if (!done || !split_index(side, self->error))
        return false;
    print_parts(side);
    return true;
}

static bool match(struct call *self)
{
    const struct arguments *arguments = self->arguments;
    const char *phases = arguments_value(arguments, "phases");
    struct match_options options = {.phases = phases ? phases : "decode_only,prefilldecode",
                                    .num_steps = (size_t)self->num_steps,
                                    .write_parts = !arguments_has(arguments, "no-extract")};
    if (!match_check_phases(options.phases, self->error))
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (!open_side(self, i))
            return false;
        options.names[i] = self->sides[i].base;
    }
    if (!match_write(self->sides, self->directory, &options, self->error))
        return false;
    print_parts(&self->sides[0]);
    print_parts(&self->sides[1]);
    return true;
}

/* Obstacles to the parts are found before any of them is made. */
static bool check_outputs(const struct call *self, bool matches)
{
    if (!self->directory || strcmp(self->directory, "-") == 0)
        return error_set(self->error, STATUS_USAGE, "tpq split: -o DIRECTORY is required");
    if (arguments_has(self->arguments, "as-run") && !arguments_has(self->arguments, "db") &&
        !warehouse_exists(session_database(self->arguments)))
        return error_set(self->error, STATUS_USAGE,
                         "%s: no such warehouse for --as-run; --db FILE makes one",
                         session_database(self->arguments));
    struct text index = {0};
    bool done = true;
    text_format(&index, "%s/%s", self->directory,
                matches ? "match_report.json" : "execution_details.json");
    if (access(index.items, F_OK) == 0 && !arguments_has(self->arguments, "force"))
        done = error_set(self->error, STATUS_DATABASE, "%s: exists already (--force overwrites it)",
                         index.items);
    return done;
}

static bool run_split(const struct arguments *arguments, struct error *error)
{
    struct call self = {.arguments = arguments,
                        .error = error,
                        .directory = arguments_value(arguments, "output-dir")};
    bool plans = arguments_has(arguments, "plan-window");
    bool matches = arguments_has(arguments, "match");
    size_t operands = plans ? 0 : matches ? 2 : 1;

    /* Options that would do nothing are refused. */
    const char *other = arguments_any(
        self.arguments,
        plans     ? "phases no-extract iterations store-single-iteration find-steady-state "
                    "divide-phases match as-run"
        : matches ? "iterations store-single-iteration find-steady-state divide-phases CONC OSL R"
                  : "phases no-extract");
    bool done =
        !other || error_set(self.error, STATUS_USAGE, "tpq split: --%s says nothing %s", other,
                            plans     ? "with --plan-window"
                            : matches ? "with --match"
                                      : "without --match");
    done = done && session_operands(arguments, operands, operands, error);
    if (done)
        done = read_split_numbers(&self);
    if (done && plans) {
        /* How long to profile a server, and when to begin. */
        if (self.concurrency <= 0 || self.output_length <= 0 || self.ratio < 0)
            return error_set(self.error, STATUS_USAGE,
                             "tpq split: --plan-window needs --CONC, --OSL and --R");
        double steps = 16 * self.output_length / self.concurrency;
        double delay = (self.ratio + 1) / 2 * 5 * self.output_length - steps / 2;
        printf("profile %.0f steps, %.0f steps after the start\n", steps, fmax(delay, 0));
        return true;
    }
    done = done && check_outputs(&self, matches);
    done = done && open_inputs(&self) && (matches ? match(&self) : cut_part(&self));
    if (done)
        done = add_as_run(&self);
    if (self.is_open)
        warehouse_close(&self.warehouse);
    return done;
}

static const struct option options[] = {
    OPTION_DATABASE,
    {"output-dir", 'o', "DIRECTORY", "where the parts go; it is made when it is not there", NULL},
    {"iterations", 0, "WHICH", "these steps: all, N, or A:B up to but without B (all)", NULL},
    {"store-single-iteration", 0, NULL, "a part for each step", NULL},
    {"find-steady-state", 0, NULL, "windows where the server is busy: mixed, decode, prefill",
     NULL},
    {"divide-phases", 0, NULL, "a part for each run of steps of one phase, while it is busy", NULL},
    {"num-steps", 0, "N", "steps of a window (32; 16 with --match, where 0 = any number)", NULL},
    {"CONC", 0, "N", "requests that the server was given at a time", NULL},
    {"OSL", 0, "N", "tokens that it had to write for each", NULL},
    {"R", 0, "RATIO", "the least part of them, from 0 to 1", NULL},
    {"plan-window", 0, NULL, "tell from those three how long to profile, and when", NULL},
    {"match", 0, NULL, "the parts of two traces that are most alike, and a report about them",
     NULL},
    {"phases", 0, "LIST", "of these phases (decode_only,prefilldecode; also prefill_only)", NULL},
    {"no-extract", 0, NULL, "the report, but not the parts", NULL},
    {"force", 0, NULL, "overwrite what is in the directory already", NULL},
    {"as-run", 0, "NAME", "take the parts into the warehouse, too, as traces of this run", NULL},
    OPTION_WAIT,
    OPTION_END,
};

static const struct stand_in stand_ins[] = {
    {"TraceLens_split_inference_trace", NULL, "FILE",
     "output-dir iterations store-single-iteration find-steady-state divide-phases num-steps",
     NULL},
    {0},
};

static const struct example examples[] = {
    {"tpq split trace.json.gz -o parts --store-single-iteration", "each step as a file"},
    {"tpq split 7 -o parts --find-steady-state --as-run steady", "of a trace in the warehouse"},
    {"tpq split trace.json.gz -o parts --iterations 10:20", "ten steps in one file"},
    {"tpq split --match a.json.gz b.json.gz -o pairs", "equal parts of two traces"},
    {NULL, NULL},
};

const struct verb verb_split = {
    .name = "split",
    .operands = "[OPTION]... -o DIRECTORY FILE | TRACE | --match FILE|TRACE FILE|TRACE",
    .summary = "cut a trace into steps, windows or phases",
    .details =
        "Steps are what an engine that serves a model has marked, else steps of the profiler, "
        "else what repeats in the call tree. Parts are traces in Kineto's JSON, which every "
        "viewer opens. They have the host events that start in the steps, on all threads, and "
        "the GPU activities that they launched. Traces are files, or numbers of traces in the "
        "warehouse, whose files are not read again. Beside the parts, execution_details.json "
        "and .csv say what is in each.\n\nWithout any option about parts, each step becomes a "
        "file; of served models, and with --iterations, the steps become one.",
    .options = options,
    .stand_ins = stand_ins,
    .examples = examples,
    .run = run_split,
};
