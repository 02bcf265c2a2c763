/* report_choice: which reports there are and which of them are made, from their declarations. */
#include "query/report/report_maker.h"

#include "sql/binding/options.h"
#include "sql/warehouse/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* True if a word stands in a list, separated by spaces or commas. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at;) {
        at += strspn(at, ", ");
        size_t span = strcspn(at, ", ");
        if (span == length && strncasecmp(at, word, length) == 0)
            return true;
        at += span;
    }
    return false;
}

const struct doc_object *report_find(const doc_list *docs, const char *name, const char *set)
{
    const struct doc_object *found = NULL;
    int best = 0;
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        int fit;
        if (catalog_is_report(object)) {
            /* How well a name fits a report: best in its own set, and the name of the view before
             * others. */
            const char *sheet = docs_declared(object, "sheet"),
                       *other = catalog_sheet_elsewhere(object);
            bool in_set = !set || catalog_in_set(object, set);
            bool is_other_name = has_word(docs_declared(object, "alias"), name) ||
                                 (sheet && strcasecmp(sheet, name) == 0) ||
                                 (other && strcasecmp(other, name) == 0);
            if (strcasecmp(object->name, name) == 0)
                fit = in_set ? 4 : 2;
            else
                fit = !is_other_name ? 0 : in_set ? 3 : 1;
        } else
            fit = 0;
        if (fit > best) {
            best = fit;
            found = object;
        }
    }
    return found;
}

bool report_is_met(struct view condition, const struct context *context)
{
    char option[64];
    snprintf(option, sizeof option, "%.*s", (int)condition.length, condition.bytes);
    char *more = strstr(option, " and ");
    if (more && !report_is_met(view_of(more + strlen(" and ")), context))
        return false;
    if (more)
        *more = '\0';
    bool is_not = strncmp(option, "not ", 4) == 0;
    char *name = is_not ? option + 4 : option, *word = strchr(name, '=');
    if (word)
        *word++ = '\0';
    const char *value = context_get(context, name);
    return is_not != (value && (!word || view_option_lists(value, view_of(word))));
}

static bool is_shown(const struct doc_object *report, const struct context *context)
{
    const char *when = docs_declared(report, "when");
    if (!when)
        return true;
    if (strcmp(when, "never") == 0)
        return false;
    for (const char *at = when; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ",");
        if (!report_is_met((struct view){at, span}, context))
            return false;
        at += span;
    }
    return true;
}

/* The n-th of the positions of a report, from 1; NULL when it has no more. */
static const char *nth_position(const struct doc_object *report, const char *set, size_t n)
{
    const char *at = catalog_position(report, set);
    for (; at && n > 1; n--)
        at = (at = strchr(at, ',')) ? at + 1 : NULL;
    return at;
}

typedef ARRAY(int) position_list;

/* Few reports: insertion keeps them in order. */
static void add_at(report_list *reports, position_list *positions, const struct doc_object *report,
                   int position)
{
    array_push(reports);
    array_push(positions);
    size_t at = reports->count - 1;
    for (; at && positions->items[at - 1] > position; at--) {
        reports->items[at] = reports->items[at - 1];
        positions->items[at] = positions->items[at - 1];
    }
    reports->items[at] = report;
    positions->items[at] = position;
}

void report_defaults(const doc_list *docs, const struct context *context, const char *set,
                     report_list *reports)
{
    enum { LAST = 1000 };
    position_list positions = {0};
    report_list found = {0}; /* they come behind those that are there */

    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];
        if (!catalog_is_report(object) || !catalog_in_set(object, set) ||
            !is_shown(object, context))
            continue;
        const char *position = nth_position(object, set, 1);
        add_at(&found, &positions, object, position ? atoi(position) : LAST);
        for (size_t n = 2; (position = nth_position(object, set, n)); n++)
            add_at(&found, &positions, object, atoi(position));
    }
    /* Parts of a report that nothing stands between are made together. */
    size_t kept = 0;
    for (size_t i = 0; i < found.count;) {
        const struct doc_object *report = found.items[i];
        size_t beside = 1, all = 0;
        while (i + beside < found.count && found.items[i + beside] == report)
            beside++;
        for (size_t j = 0; j < found.count; j++)
            all += found.items[j] == report;
        for (size_t j = 0; j < (beside == all ? 1 : beside); j++)
            found.items[kept++] = report;
        i += beside;
    }
    found.count = kept;
    array_reserve(reports, found.count);
    for (size_t i = 0; i < found.count; i++)
        reports->items[reports->count++] = found.items[i];
}

void report_defaults_without_ops(const doc_list *docs, const char *set, report_list *reports)
{
    position_list positions = {0};
    report_list found = {0};
    for (size_t i = 0; i < docs->count; i++) {
        const struct doc_object *object = &docs->items[i];

        /* The place behind the defaults of a set: of PyTorch's it stands alone. */
        const char *position;
        const char *at = docs_declared(object, "without-ops");
        if (!at || strcmp(set, "pytorch") == 0)
            position = at;
        else {
            at = strstr(at, set);
            position = at ? at + strlen(set) : NULL;
        }
        bool is_new = position != NULL;
        for (size_t j = 0; j < reports->count; j++)
            is_new = is_new && reports->items[j] != object;
        if (is_new)
            add_at(&found, &positions, object, atoi(position));
    }
    for (size_t i = 0; i < found.count; i++)
        array_add(reports, found.items[i]);
}

size_t report_part(const report_list *reports, size_t index)
{
    size_t part = 1, all = 0;
    for (size_t i = 0; i < reports->count; i++) {
        all += reports->items[i] == reports->items[index];
        part += i < index && reports->items[i] == reports->items[index];
    }
    return all > 1 ? part : 0;
}

/* The value whose sheet stands at the n-th position; empty: all that stand at no other. */
static struct view value_at(const struct doc_object *report, size_t n)
{
    const char *at = nth_position(report, NULL, n);
    at = at ? at + strspn(at, " 0123456789") : "";
    size_t length = strcspn(at, ",");
    while (length && at[length - 1] == ' ')
        length--;
    return (struct view){at, length};
}

bool report_is_in_part(const struct doc_object *report, size_t part, struct view value)
{
    struct view wanted = value_at(report, part);
    if (part == 0)
        return true;
    if (wanted.length)
        return view_equal(wanted, value);
    for (size_t n = 1; nth_position(report, NULL, n); n++)
        if (view_equal(value_at(report, n), value))
            return false;
    return true;
}
