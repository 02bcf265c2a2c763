/* model: see model.h. */
#include "model.h"

#include <errno.h>

/* ------------------------------------------------------------------ one outcome */

static bool add_name(struct text *line, const char *key, const char *value)
{
    return text_format(line, ",\"%s\":", key) &&
           (value && *value ? text_add_json(line, view_of(value)) : text_add_string(line, "null"));
}

static bool add_figure(struct text *line, const char *key, const struct figure *figure)
{
    return text_format(line, ",\"%s\":", key) && figure_add_json(figure, line);
}

static bool add_json(const struct signature *call, const struct model *model,
                     const struct outcome *outcome, struct text *line)
{
    bool done = text_add_string(line, "{\"op\":") && text_add_json(line, view_of(call->op)) &&
                add_name(line, "model", model ? model->op : NULL);
    if (!model)
        return done && text_add_string(line, "}\n");
    char *sheet = model_sheet(model);
    done =
        done && sheet && add_name(line, "status", outcome_names[outcome->status]) &&
        add_name(line, "reason", outcome->reason.items) &&
        text_format(line, ",\"params\":%s", outcome->shown.count ? outcome->shown.items : "{}") &&
        add_figure(line, "flops", &outcome->flops) && add_figure(line, "bytes", &outcome->bytes) &&
        add_figure(line, "flops_bwd", &outcome->flops_bwd) &&
        add_figure(line, "bytes_bwd", &outcome->bytes_bwd) &&
        add_name(line, "category", model->category) &&
        add_name(line, "bwd_category", model->bwd_category) && add_name(line, "sheet", sheet) &&
        add_name(line, "compute_spec", outcome->spec.items) && text_add_string(line, "}\n");
    free(sheet);
    return done;
}

static bool add_word(struct text *line, const char *name, const char *value)
{
    return !value || !*value || text_format(line, "  %-12s %s\n", name, value);
}

static bool add_words_figure(struct text *line, const char *name, const struct figure *figure)
{
    return figure->type == FIGURE_NONE ||
           (text_format(line, "  %-12s ", name) && figure_add_json(figure, line) &&
            text_add_byte(line, '\n'));
}

static bool add_words(const struct signature *call, const struct model *model,
                      const struct outcome *outcome, struct text *line)
{
    if (!model)
        return text_format(line, "%s\n  no model\n", call->op);
    return text_format(line, "%s\n", call->op) &&
           add_word(line, "status", outcome_names[outcome->status]) &&
           add_word(line, "reason", outcome->reason.items) &&
           add_word(line, "parameters", outcome->shown.items) &&
           add_words_figure(line, "FLOPs", &outcome->flops) &&
           add_words_figure(line, "bytes", &outcome->bytes) &&
           add_words_figure(line, "FLOPs bwd", &outcome->flops_bwd) &&
           add_words_figure(line, "bytes bwd", &outcome->bytes_bwd) &&
           add_word(line, "category", model->category) &&
           add_word(line, "peak", outcome->spec.items);
}

bool model_print(const struct signature *call, const struct model *model,
                 const struct outcome *outcome, bool json, FILE *out, struct error *error)
{
    struct text line = {0};
    bool done =
        json ? add_json(call, model, outcome, &line) : add_words(call, model, outcome, &line);
    if (done)
        fwrite(line.items, 1, line.count, out);
    else
        error_memory(error);
    text_free(&line);
    return done;
}

/* ------------------------------------------------------------------ a file of calls */

static bool eval_line(struct evaluator *evaluator, const struct signature *call,
                      struct outcome *outcome, bool json, FILE *out, struct error *error)
{
    struct model *model = evaluator_find(evaluator, call->op);
    if (model && !evaluator_run(evaluator, model, call, outcome))
        return error_memory(error);
    return model_print(call, model, outcome, json, out, error);
}

bool model_eval_file(struct evaluator *evaluator, const char *path, bool json, FILE *out,
                     struct error *error)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdin : fopen(path, "r");
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
        done = signature_read(&call, text)
                   ? eval_line(evaluator, &call, &outcome, json, out, error)
                   : error_set(error, STATUS_BAD_INPUT, "%s: line %d is no JSON object with an op",
                               is_standard ? "standard input" : path, number);
    }
    if (done && ferror(file))
        done = error_set(error, STATUS_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    outcome_free(&outcome);
    signature_free(&call);
    if (!is_standard)
        fclose(file);
    return done;
}
