/* hlo_attributes: tables name the fields of a message, and each field becomes a list. A backend's
 * configuration is JSON, read for matrix products only, or pairs of the typed interface, which are
 * no JSON: their numbers and truth values are kept. */
#include "ingest/xplane/hlo_reader.h"

#include "ingest/input/json_text.h"
#include "ingest/xplane/xplane_fields.h"
#include "src/base/number.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ lists of numbers */

/* A message of repeated numbers: each known field becomes a list. */
struct list_name {
    uint32_t number;
    const char *name;
    bool is_single; /* one number, 0 when absent */
};

static bool read_lists(struct hlo_reader *self, struct message all, const struct list_name *names)
{
    struct text numbers = {0};
    bool done = true;
    for (; names->name && done; names++) {
        struct message span = all;
        struct wire_field field;
        enum wire_step step;
        text_clear(&numbers);
        while (done && (step = message_next(&span, &field)) != WIRE_END)
            if (step == WIRE_FAILED)
                done = hlo_corrupt(self);
            else if (field.number == names->number)
                hlo_add_numbers(&numbers, &field);
        if (done && names->is_single)
            hlo_add_attribute(self, names->name, numbers.count ? numbers.items : "0");
        else {
            if (done)
                hlo_add_list(self, names->name, &numbers);
        }
    }
    text_free(&numbers);
    return done;
}

static const struct list_name dot_lists[] = {
    {DOT_LHS_CONTRACTING, "lhs_contracting", false},
    {DOT_RHS_CONTRACTING, "rhs_contracting", false},
    {DOT_LHS_BATCH, "lhs_batch", false},
    {DOT_RHS_BATCH, "rhs_batch", false},
    {0},
};

static const struct list_name convolution_lists[] = {
    {CONVOLUTION_KERNEL_INPUT_FEATURE, "kernel_input_feature", true},
    {CONVOLUTION_KERNEL_OUTPUT_FEATURE, "kernel_output_feature", true},
    {CONVOLUTION_KERNEL_SPATIAL, "kernel_spatial", false},
    {CONVOLUTION_INPUT_BATCH, "input_batch", true},
    {CONVOLUTION_INPUT_FEATURE, "input_feature", true},
    {CONVOLUTION_INPUT_SPATIAL, "input_spatial", false},
    {CONVOLUTION_OUTPUT_BATCH, "output_batch", true},
    {CONVOLUTION_OUTPUT_FEATURE, "output_feature", true},
    {CONVOLUTION_OUTPUT_SPATIAL, "output_spatial", false},
    {0},
};

bool hlo_read_dot(struct hlo_reader *self, struct message all)
{
    return read_lists(self, all, dot_lists);
}

bool hlo_read_convolution(struct hlo_reader *self, struct message all)
{
    return read_lists(self, all, convolution_lists);
}

bool hlo_read_window(struct hlo_reader *self, struct message all)
{
    static const struct list_name lists[] = {
        {WINDOW_SIZE, "window_size", false},
        {WINDOW_STRIDE, "window_stride", false},
        {WINDOW_PADDING_LOW, "window_padding_low", false},
        {WINDOW_PADDING_HIGH, "window_padding_high", false},
        {WINDOW_DILATION, "window_dilation", false},
        {WINDOW_BASE_DILATION, "base_dilation", false},
        {0},
    };
    struct text numbers = {0};
    bool done = true;
    for (const struct list_name *list = lists; list->name && done; list++) {
        struct message span = all;
        struct wire_field field, inner;
        enum wire_step step = WIRE_END;
        text_clear(&numbers);
        while (done && (step = message_next(&span, &field)) == WIRE_FIELD) {
            if (field.number != WINDOW_DIMENSIONS || field.type != WIRE_LENGTH)
                continue;
            struct message dimension = field.bytes;
            int64_t value = 0;
            while ((step = message_next(&dimension, &inner)) == WIRE_FIELD)
                if (inner.number == list->number)
                    value = (int64_t)inner.value;
            done = step == WIRE_END || hlo_corrupt(self);
            if (done)
                text_format(&numbers, "%s%lld", numbers.count ? "," : "", (long long)value);
        }
        done = done && (step == WIRE_END || hlo_corrupt(self));
        if (done)
            hlo_add_list(self, list->name, &numbers);
    }
    text_free(&numbers);
    return done;
}

/* ------------------------------------------------------------------ what backends are told */

/* The numbers in a list of JSON, which may be written as texts: ["1","2"]. */
static void add_quoted_list(struct hlo_reader *self, const char *name, struct view list)
{
    struct text numbers = {0};
    struct view item;
    while ((item = json_item(&list)).length) {
        if (item.length >= 2 && *item.bytes == '"')
            item = (struct view){item.bytes + 1, item.length - 2};
        int64_t number;
        if (json_integer(item, &number))
            text_format(&numbers, "%s%lld", numbers.count ? "," : "", (long long)number);
    }
    hlo_add_list(self, name, &numbers);
    text_free(&numbers);
}

/* Adds a member whose value is a number or a truth value; others are skipped. */
static void add_pair_value(struct hlo_reader *self, struct view key, struct view word)
{
    struct text value = {0};
    int64_t number;
    char real[40], *stop = real;
    if (json_integer(word, &number)) {
        text_format(&value, "%lld", (long long)number);
    } else if (view_equal(word, VIEW("true")) || view_equal(word, VIEW("false"))) {
        text_add_view(&value, word);
    } else if (word.length < sizeof real) {
        memcpy(real, word.bytes, word.length);
        real[word.length] = '\0';
        double measured = real[strspn(real, "+-.0123456789eE")] ? NAN : strtod(real, &stop);
        if (stop > real && !*stop && isfinite(measured))
            number_add_real(&value, measured);
    }
    if (value.count) {
        text_add_byte(&self->attributes, ',');
        text_add_json(&self->attributes, key);
        text_add_byte(&self->attributes, ':');
        text_add(&self->attributes, value.items, value.count);
    }
    text_free(&value);
}

/* Calls of the typed interface: {key = value : type, ...}. Values that are numbers, truth values
 * or texts are kept. */
static void read_pairs(struct hlo_reader *self, struct view config)
{
    const char *at = config.bytes + 1, *end = config.bytes + config.length;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == ','))
            at++;
        const char *name = at;
        while (at < end && *at != ' ' && *at != '=' && *at != ',' && *at != '}')
            at++;
        struct view key = {name, (size_t)(at - name)};
        while (at < end && (*at == ' ' || *at == '='))
            at++;
        const char *value = at;
        int depth = 0;
        bool quoted = false;
        for (; at < end && (quoted || depth || (*at != ',' && *at != '}')); at++) {
            if (*at == '"' && at[-1] != '\\')
                quoted = !quoted;
            depth += quoted ? 0
                            : (*at == '<' || *at == '[' || *at == '{') -
                                  (*at == '>' || *at == ']' || *at == '}');
        }
        struct view word = {value, 0};
        while (value + word.length < at && (*value == '"' || value[word.length] != ' '))
            word.length++;
        if (key.length && word.length)
            add_pair_value(self, key, word);
        if (at == name || (at < end && *at == '}'))
            break;
    }
}

void hlo_read_config(struct hlo_reader *self, struct message span, uint32_t *number)
{
    hlo_keep_text(self, span, number);
    if (!*number)
        return;
    struct view text = intern_view(&self->hlo->trace->strings, *number);
    struct text *json = &self->hlo->json;
    struct json_repairs repairs = {0};
    text_clear(json);
    if (*text.bytes != '{')
        return;
    if (json_canonical(text, json, &repairs) == JSON_CANON_MALFORMED) {
        read_pairs(self, text);
        return;
    }
    struct view config = {json->items, json->count};
    struct view gemm = json_member(config, "gemm_backend_config");
    if (gemm.length != 0) {
        /* The configuration of a product for cuBLAS and hipBLASLt. */
        static const char *const lists[][2] = {
            {"lhs_contracting_dimensions", "lhs_contracting"},
            {"rhs_contracting_dimensions", "rhs_contracting"},
            {"lhs_batch_dimensions", "lhs_batch"},
            {"rhs_batch_dimensions", "rhs_batch"},
        };
        struct view numbers = json_member(gemm, "dot_dimension_numbers");
        for (size_t i = 0; i < sizeof lists / sizeof *lists && numbers.length; i++)
            add_quoted_list(self, lists[i][1], json_member(numbers, lists[i][0]));
        static const char *const plain[] = {"alpha_real", "beta", "epilogue"};
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
            struct view value = json_member(gemm, plain[i]);
            if (value.length && *value.bytes != '{' && *value.bytes != '[')
                text_format(&self->attributes, ",\"%s\":%.*s", plain[i], (int)value.length,
                            value.bytes);
        }
    }
}
