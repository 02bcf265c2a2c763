/* annotations: see annotations.h. What is added to the text may fail; the end asks. */
#include "ingest/snapshot/annotations.h"

#include "ingest/snapshot/snapshot_reader.h"

#include <stdio.h>

/* A pickle may refer to one value again and again. */
enum { JSON_BYTES_MAX = 32 << 20 };

static void add_scalar(const struct snapshot *self, const struct value *value, struct text *json)
{
    char digits[24];
    if (value->type == VALUE_TEXT) {
        text_add_json(json, intern_view(&self->trace->strings, (uint32_t)value->number));
        return;
    }
    snprintf(digits, sizeof digits, value->type == VALUE_UNSIGNED ? "%llu" : "%lld",
             (unsigned long long)value->number);
    text_add_json(json, view_of(digits));
}

/* A value that is no text and no dict becomes null, and one in a dict a number: whoever checks the
 * JSON says so. */
static void add_entry(const struct snapshot *self, const struct value *value, struct text *json)
{
    const struct node *node = value->type == VALUE_NODE ? snapshot_node(self, value) : NULL;
    const char *between = "";
    if (value->type == VALUE_TEXT)
        add_scalar(self, value, json);
    else
        text_add_string(json, node && node->kind == NODE_DICT ? "{" : "null");
    if (!node || node->kind != NODE_DICT)
        return;
    for (size_t i = 0; i + 1 < node->items.count && json->count <= JSON_BYTES_MAX; i += 2) {
        const struct value *key = &node->items.items[i], *item = key + 1;
        if (key->type != VALUE_TEXT)
            continue;
        text_add_string(json, between);
        add_scalar(self, key, json);
        text_add_byte(json, ':');
        if (item->type == VALUE_TEXT)
            add_scalar(self, item, json);
        else
            text_add_string(json, item->type == VALUE_NONE ? "null" : "0");
        between = ",";
    }
    text_add_byte(json, '}');
}

static bool add_entries(struct snapshot *self, const struct value *value, struct text *json)
{
    const value_list *list = snapshot_list(self, value);
    text_add_string(json, list ? "[" : "null");
    for (size_t i = 0; list && i < list->count && json->count <= JSON_BYTES_MAX; i++) {
        text_add_string(json, i ? "," : "");
        add_entry(self, &list->items[i], json);
    }
    text_add_string(json, list ? "]" : "");
    return json->count <= JSON_BYTES_MAX ||
           pickle_refuse(&self->pickle, "refers to its values too often");
}

static bool add_nodes(struct snapshot *self, const struct value *top, struct text *json)
{
    const struct node *node = top->type == VALUE_NODE ? snapshot_node(self, top) : NULL;
    if (!node || node->kind != NODE_DICT)
        return pickle_refuse(&self->pickle, "has no dict of graph nodes");
    text_add_byte(json, '{');
    for (size_t i = 0; i + 1 < node->items.count; i += 2) {
        const struct value *key = &node->items.items[i];
        if (key->type != VALUE_INTEGER && key->type != VALUE_UNSIGNED && key->type != VALUE_TEXT)
            return pickle_refuse(&self->pickle, "has a key that is no graph node");
        text_add_string(json, i ? "," : "");
        add_scalar(self, key, json);
        text_add_byte(json, ':');
        if (!add_entries(self, key + 1, json))
            return false;
    }
    text_add_byte(json, '}');
    return text_done(json, self->error);
}

bool annotations_of_pickle(struct source *source, struct text *json, struct error *error)
{
    struct trace words;
    struct value top;
    trace_init(&words);
    struct snapshot *self = snapshot_open(source, &words, "annotations", error);
    bool done = self && snapshot_run(self, &top) && add_nodes(self, &top, json);
    snapshot_close(self);
    trace_free(&words);
    return done;
}
