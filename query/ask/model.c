/* model: A call in words becomes the JSON of a recorded call, and is read like a line of a file:
 * both go through the same evaluator. Values that are no JSON literal are texts. A device is found
 * by its name or by the longest pattern that fits. */
#include "query/ask/model.h"

#include "query/ask/model.sql.h"
#include "sql/evaluate/helpers.h"
#include "sql/models/models.h"
#include "src/base/visible.h"

#include <ctype.h>
#include <errno.h>

/* ------------------------------------------------------------------ one outcome */

static void add_name(struct text *line, const char *key, const char *value)
{
    text_format(line, ",\"%s\":", key);
    if (value && *value)
        text_add_json(line, view_of(value));
    else
        text_add_string(line, "null");
}

static void add_figure(struct text *line, const char *key, const struct figure *figure)
{
    text_format(line, ",\"%s\":", key);
    figure_add_json(figure, line);
}

static void add_word(struct text *line, const char *name, const char *value)
{
    if (value && *value) {
        text_format(line, "  %-12s ", name);
        visible_add(line, view_of(value));
        text_add_byte(line, '\n');
    }
}

static void add_words_figure(struct text *line, const char *name, const struct figure *figure)
{
    if (figure->type != FIGURE_NONE) {
        text_format(line, "  %-12s ", name);
        figure_add_json(figure, line);
        text_add_byte(line, '\n');
    }
}

void model_print(const struct signature *call, const struct model *model,
                 const struct outcome *outcome, bool json, FILE *out)
{
    struct text line = {0};
    if (json) {
        text_add_string(&line, "{\"op\":");
        text_add_json(&line, view_of(call->op));
        add_name(&line, "model", model ? model->op : NULL);
        if (model) {
            char *sheet = model_sheet(model);
            add_name(&line, "status", outcome_names[outcome->status]);
            add_name(&line, "reason", outcome->reason.items);
            text_format(&line, ",\"params\":%s",
                        outcome->shown.count ? outcome->shown.items : "{}");
            add_figure(&line, "flops", &outcome->flops);
            add_figure(&line, "bytes", &outcome->bytes);
            add_figure(&line, "flops_bwd", &outcome->flops_bwd);
            add_figure(&line, "bytes_bwd", &outcome->bytes_bwd);
            add_name(&line, "category", model->category);
            add_name(&line, "bwd_category", model->bwd_category);
            add_name(&line, "sheet", sheet);
            add_name(&line, "compute_spec", outcome->spec.items);
            memory_free(sheet);
        }
        text_add_string(&line, "}\n");
    } else {
        visible_add(&line, view_of(call->op));
        text_add_byte(&line, '\n');
        if (!model) {
            text_add_string(&line, "  no model\n");
        } else {
            add_word(&line, "status", outcome_names[outcome->status]);
            add_word(&line, "reason", outcome->reason.items);
            add_word(&line, "parameters", outcome->shown.items);
            add_words_figure(&line, "FLOPs", &outcome->flops);
            add_words_figure(&line, "bytes", &outcome->bytes);
            add_words_figure(&line, "FLOPs bwd", &outcome->flops_bwd);
            add_words_figure(&line, "bytes bwd", &outcome->bytes_bwd);
            add_word(&line, "category", model->category);
            add_word(&line, "peak", outcome->spec.items);
        }
    }
    fwrite(line.items, 1, line.count, out);
    text_free(&line);
}

/* ------------------------------------------------------------------ a file of calls */

bool model_eval_file(struct evaluator *evaluator, const char *path, bool json, FILE *out,
                     struct error *error)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdin : fopen(path, "r");
    if (!file && errno == ENOENT && evaluator_find(evaluator, path))
        return error_set(error, STATUS_USAGE,
                         "tpq model: what goes into %s is missing, like 'bf16[4096,4096]'", path);
    if (!file)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    struct signature call = {0};
    struct outcome outcome = {0};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool done = true;
    for (int number = 1; done && (length = getline(&line, &room, file)) >= 0; number++) {
        struct view text = {line, (size_t)length};
        if (strspn(line, " \t\r\n") == text.length)
            continue;
        done = signature_read(&call, text) ||
               error_set(error, STATUS_BAD_INPUT, "%s: line %d is no JSON object with an op",
                         is_standard ? "standard input" : path, number);
        if (done) {
            struct model *model = evaluator_find(evaluator, call.op);
            if (model)
                evaluator_run(evaluator, model, &call, &outcome);
            model_print(&call, model, &outcome, json, out);
        }
    }
    if (done && ferror(file))
        done = error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    if (!is_standard)
        fclose(file);
    return done;
}

/* ------------------------------------------------------------------ a call in words */

struct call_words {
    struct text dims, types, strides, args, kernels, annotation;
    const char *concrete[64]; /* by place; NULL = none */
    size_t operands, inputs;
};

/* bf16[4096, 8192] */
static bool add_operand(struct call_words *self, const char *word)
{
    enum { RANK_MAX = 16 };
    long long dims[RANK_MAX], stride = 1;
    size_t length = strcspn(word, "[");
    char type[80];
    int rank = 0;
    if (length == 0 || length >= sizeof type || !word[length])
        return false;
    memcpy(type, word, length);
    type[length] = '\0';
    const char *at = word + length + 1;
    at += strspn(at, " ");
    while (*at != ']') {
        char *end;
        if (rank == RANK_MAX || !isdigit((unsigned char)*at))
            return false;
        errno = 0;
        dims[rank++] = strtoll(at, &end, 10);
        if (errno)
            return false;
        at = end + strspn(end, " ");
        if (*at == ',')
            at += 1 + strspn(at + 1, " ");
        else if (*at != ']')
            return false;
    }
    if (at[1])
        return false;
    const char *comma = self->operands++ ? "," : "";
    text_format(&self->dims, "%s[", comma);
    text_format(&self->strides, "%s[", comma);
    text_add_string(&self->types, comma);
    text_add_json(&self->types, view_of(dtype_long_name(type)));
    for (int i = 0; i < rank; i++) {
        stride = 1;
        for (int k = i + 1; k < rank; k++)
            stride = (long long)((unsigned long long)stride * (unsigned long long)dims[k]);
        text_format(&self->dims, "%s%lld", i ? "," : "", dims[i]);
        text_format(&self->strides, "%s%lld", i ? "," : "", stride);
    }
    text_add_byte(&self->dims, ']');
    text_add_byte(&self->strides, ']');
    return true;
}

/* A value that is no number, truth or list is a text. */
static void model_add_value(struct text *out, const char *value)
{
    struct literals values = {0};
    int place = literal_read(&values, view_of(value));
    if (place >= 0)
        literal_add_json(&values, place, out);
    else
        text_add_json(out, view_of(value));
}

static bool add_setting(struct call_words *self, const char *word, const char *equals)
{
    char *end;
    unsigned long place = isdigit((unsigned char)*word) ? strtoul(word, &end, 10) : 0;
    struct view key = {word, (size_t)(equals - word)};
    if (isdigit((unsigned char)*word) && end == equals) {
        if (place >= sizeof self->concrete / sizeof *self->concrete)
            return false;
        self->concrete[place] = equals + 1;
        if (place >= self->inputs)
            self->inputs = place + 1;
        return true;
    }
    if (view_equal(key, VIEW("kernel"))) {
        text_add_string(&self->kernels, self->kernels.count ? "," : "");
        text_add_json(&self->kernels, view_of(equals + 1));
    } else if (view_equal(key, VIEW("annotation"))) {
        text_add_json(&self->annotation, view_of(equals + 1));
    } else {
        text_add_string(&self->args, self->args.count ? "," : "");
        text_add_json(&self->args, key);
        text_add_byte(&self->args, ':');
        model_add_value(&self->args, equals + 1);
    }
    return true;
}

static const char *items(const struct text *text)
{
    return text->items ? text->items : "";
}

bool model_read_words(const char *op, const char *const *words, size_t count,
                      struct signature *call, struct error *error)
{
    struct call_words parts = {0};
    struct text json = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        const char *equals = strchr(words[i], '=');
        done = (equals && equals > words[i] ? add_setting(&parts, words[i], equals)
                                            : add_operand(&parts, words[i])) ||
               error_set(error, STATUS_USAGE,
                         "tpq model: '%s' is neither an operand like bf16[4096,4096] nor a "
                         "KEY=VALUE",
                         words[i]);
    }
    if (parts.operands > parts.inputs)
        parts.inputs = parts.operands < sizeof parts.concrete / sizeof *parts.concrete
                           ? parts.operands
                           : sizeof parts.concrete / sizeof *parts.concrete;
    if (done) {
        /* The words as the JSON of a recorded call. */
        text_add_string(&json, "{\"op\":");
        text_add_json(&json, view_of(op));
        text_format(&json,
                    ",\"input_dims\":[%s],\"input_types\":[%s],\"input_strides\":[%s],"
                    "\"kernel_names\":[%s],\"extra_args\":{%s},\"concrete_inputs\":[",
                    items(&parts.dims), items(&parts.types), items(&parts.strides),
                    items(&parts.kernels), items(&parts.args));
        for (size_t i = 0; i < parts.inputs; i++) {
            text_add_string(&json, i ? "," : "");
            text_add_json(&json, view_of(parts.concrete[i] ? parts.concrete[i] : ""));
        }
        text_add_byte(&json, ']');
        if (parts.annotation.count)
            text_format(&json, ",\"annotation\":%s", parts.annotation.items);
        text_add_byte(&json, '}');
        done = signature_read(call, text_view(&json)) ||
               error_set(error, STATUS_USAGE, "tpq model: a value is nested too deep");
    }
    return done;
}

/* ------------------------------------------------------------------ rooflines */

bool model_print_roofline(struct warehouse *warehouse, const char *device,
                          const struct outcome *outcome, FILE *out, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(warehouse, device_of_name, error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, device, -1, SQLITE_STATIC);
    if (outcome)
        sqlite3_bind_text(statement, 2, outcome->spec.items, -1, SQLITE_STATIC);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW && outcome) {
        const char *kind = (const char *)sqlite3_column_text(statement, 1);
        fprintf(out, "  %-12s %s, %s figures (%s)\n", "device",
                (const char *)sqlite3_column_text(statement, 0), kind,
                (const char *)sqlite3_column_text(statement, 4));
        if (sqlite3_column_type(statement, 2) == SQLITE_NULL) {
            fprintf(out, "  %-12s its peak for %s is not known\n", "roofline",
                    outcome->spec.count ? outcome->spec.items : "this op");
        } else {
            double tflops = sqlite3_column_double(statement, 2),
                   gbps = sqlite3_column_double(statement, 3);
            double computing = roofline_us(outcome->flops.real, 0, tflops, gbps);
            double moving = roofline_us(0, outcome->bytes.real, tflops, gbps);
            fprintf(out,
                    "  %-12s %.6g us, bound by %s (%.6g us at %g TFLOP/s, %.6g us at %g GB/s)\n",
                    "roofline", computing > moving ? computing : moving,
                    computing >= moving ? "computing" : "memory", computing, tflops, moving, gbps);
        }
    } else if (result == SQLITE_DONE)
        error_set(error, STATUS_USAGE,
                  "tpq model: no device is called '%s'; SELECT device FROM device_model lists them",
                  device);
    else if (result != SQLITE_ROW)
        warehouse_error(warehouse, error);
    database_finalize(statement);
    return result == SQLITE_ROW;
}

/* ------------------------------------------------------------------ rows */

/* A text of several lines, with its other control characters made visible. */
static void add_lines(struct text *out, const char *value)
{
    while (*value) {
        size_t length = strcspn(value, "\n");
        visible_add(out, (struct view){value, length});
        if (value[length])
            text_add_byte(out, '\n');
        value += length + (value[length] == '\n');
    }
}

bool model_show(struct evaluator *evaluator, const char *op, FILE *out, struct error *error)
{
    const struct model *found = evaluator_find(evaluator, op);
    if (!found)
        return error_set(error, STATUS_USAGE, "tpq model: no model of '%s'; tpq model list has all",
                         op);
    struct text shown = {0};

    /* The row itself, without what it leaves empty. */
    const struct {
        const char *name, *value;
    } parts[] = {
        {"match", found->match},         {"profile", found->profile},
        {"from", found->source},         {"family", found->family},
        {"parameters", found->params},   {"shown", found->shown},
        {"FLOPs", found->flops},         {"bytes", found->bytes},
        {"FLOPs bwd", found->flops_bwd}, {"bytes bwd", found->bytes_bwd},
        {"valid", found->valid},         {"category", found->category},
        {"peak", found->ceiling},        {"precision", found->precision},
    };
    text_format(&shown, "%s\n", found->op);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *value = parts[i].value;
        if (value && *value && strcmp(value, "{}") != 0) {
            text_format(&shown, "  %-12s ", parts[i].name);
            add_lines(&shown, value);
            text_add_byte(&shown, '\n');
        }
    }
    fwrite(shown.items, 1, shown.count, out);

    /* Other rows that match the op, and lose. */
    const model_list *models = evaluator_models(evaluator);
    for (size_t i = 0; i < models->count; i++) {
        const struct model *model = &models->items[i];
        if (model != found && evaluator_matches(evaluator, model, op))
            fprintf(out, "  %-12s %s (%s, priority %lld, from %s)\n", "beats", model->op,
                    model->match, (long long)model->priority, model->source);
    }
    return true;
}

bool model_print_rows(struct warehouse *warehouse, const char *path, FILE *out, struct error *error)
{
    struct text prefix = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, rows_of_file, error);
    bool done = rows;
    if (done) {
        text_format(&prefix, "%s:", path);
        sqlite3_bind_text(rows, 1, prefix.items, -1, SQLITE_STATIC);
    }
    bool is_first = true;
    while (warehouse_next(warehouse, rows, &done, error)) {
        if (!sqlite3_column_int(rows, 1))
            continue;
        fprintf(out, "%s%s %d", is_first ? path : "", is_first ? ":" : ",",
                sqlite3_column_int(rows, 1));
        fprintf(out, " %s", (const char *)sqlite3_column_text(rows, 0));
        is_first = false;
    }
    if (done)
        fprintf(out, "%s%s\n", is_first ? path : "", is_first ? ": it adds no rows" : "");
    database_finalize(rows);
    return done;
}

void model_helpers(FILE *out)
{
    for (int i = 0; i < helper_list_count; i++)
        for (const struct helper *helper = helper_lists[i]; helper->name; helper++)
            fprintf(out, "%-36s %s%s\n", helper->call, helper->meaning,
                    helper->has_forward ? "; fwd_ before it: of the forward op" : "");
}
