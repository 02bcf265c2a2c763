/* identity: Facts keep the order in which they were first added, and each value once. Up to four
 * sides have a line each; more are told together. All text is made valid UTF-8 when it is added, so
 * that every form can write it. Only the worst health is kept. */
#include "query/sink/identity.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 4 };

/* ------------------------------------------------------------------ for people */

const char *identity_label(const struct identity_fact *fact)
{
    return strcmp(fact->name, "version") == 0 ? "tpq" : fact->name;
}

void identity_add_values(const struct identity_fact *fact, struct text *out)
{
    size_t count = fact->values.count, shown = count > VALUES_SHOWN ? VALUES_SHOWN - 1 : count;
    for (size_t i = 0; i < shown; i++)
        text_format(out, "%s%s", i ? ", " : "", fact->values.items[i]);
    if (shown != count)
        text_format(out, " and %zu more", count - shown);
}

static void add_fact(const struct identity_fact *fact, bool is_first, struct text *out)
{
    if (!is_first)
        text_add_string(out, " · ");

    /* A device and a selection say by themselves what they are. */
    if (strcmp(fact->name, "device") != 0 && strcmp(fact->name, "selection") != 0)
        text_format(out, "%s ", identity_label(fact));
    identity_add_values(fact, out);
}

/* A file that is a side has its path as its run: the side's name says which it is, and where it
 * lies is nobody's business. */
static bool is_path(const struct identity_fact *fact)
{
    return strcmp(fact->name, "run") == 0 && fact->values.count == 1 &&
           strchr(fact->values.items[0], '/');
}

void identity_add_facts(const struct identity *self, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < self->facts.count; i++) {
        if ((self->side && is_path(&self->facts.items[i])) ||
            self->facts.items[i].kind == IDENTITY_JSON)
            continue;
        add_fact(&self->facts.items[i], !any, out);
        any = true;
    }
}

static bool has_line_a_side(const struct identity *self)
{
    return self->sides.count && self->sides.count <= VALUES_SHOWN;
}

static size_t head_lines(const struct identity *self)
{
    if (!self || (!self->facts.count && !self->sides.count))
        return 0;
    return has_line_a_side(self) ? self->sides.count : 1;
}

bool identity_is_doubtful(const struct identity *self)
{
    return self->health && strcmp(self->verdict, "complete") != 0;
}

/* The whole, or the side whose health is in doubt; NULL: there are fewer. */
static const struct identity *health_of(const struct identity *self, size_t index)
{
    if (self && !has_line_a_side(self))
        return index == 0 && self->health ? self : NULL;
    for (size_t i = 0; self && i < self->sides.count; i++)
        if (identity_is_doubtful(&self->sides.items[i]) && index-- == 0)
            return &self->sides.items[i];
    return NULL;
}

size_t identity_lines(const struct identity *self)
{
    size_t lines = head_lines(self), about_health = 0;
    while (lines && health_of(self, about_health))
        about_health++;
    return lines + about_health;
}

const char *identity_line_verdict(const struct identity *self, size_t index)
{
    size_t lines = head_lines(self);
    const struct identity *of = index < lines ? NULL : health_of(self, index - lines);
    return of ? of->verdict : NULL;
}

static void add_health_line(const struct identity *of, struct text *out)
{
    if (of->side)
        text_format(out, "%s: ", of->side);
    text_add_string(out, of->health);
}

void identity_add_health(const struct identity *self, struct text *out)
{
    const struct identity *of;
    for (size_t i = 0; (of = health_of(self, i)); i++) {
        if (i)
            text_add_byte(out, '\n');
        add_health_line(of, out);
    }
}

/* Who made it stands in the first line. */
void identity_add_line(const struct identity *self, size_t index, struct text *out)
{
    if (index >= head_lines(self)) {
        add_health_line(health_of(self, index - head_lines(self)), out);
        return;
    }
    if (!has_line_a_side(self)) {
        identity_add_facts(self, out);
        return;
    }
    const struct identity *side = &self->sides.items[index];
    for (size_t i = 0; i < self->facts.count && index == 0; i++)
        if (strcmp(self->facts.items[i].name, "version") == 0) {
            add_fact(&self->facts.items[i], true, out);
            text_add_string(out, " · ");
        }
    text_format(out, "%s%s%s: ", side->role ? side->role : "", side->role ? " " : "", side->side);
    identity_add_facts(side, out);
}

/* ------------------------------------------------------------------ for programs */

static void add_json_facts(const struct identity *self, bool is_first, struct text *out)
{
    for (size_t i = 0; i < self->facts.count; i++) {
        const struct identity_fact *fact = &self->facts.items[i];
        text_format(out, "%s\"%s\": %s", i || !is_first ? ", " : "", fact->name,
                    fact->kind == IDENTITY_TEXT ? "" : "[");
        for (size_t j = 0; j < fact->values.count; j++) {
            if (j)
                text_add_string(out, ", ");
            if (fact->kind >= IDENTITY_NUMBERS)
                text_add_string(out, fact->values.items[j]);
            else
                text_add_json(out, view_of(fact->values.items[j]));
        }
        if (fact->kind != IDENTITY_TEXT)
            text_add_byte(out, ']');
    }
    if (!self->health)
        return;
    text_format(out, "%s\"health\": {\"verdict\": ", self->facts.count || !is_first ? ", " : "");
    text_add_json(out, view_of(self->verdict));
    text_add_string(out, ", \"line\": ");
    text_add_json(out, view_of(self->health));
    text_format(out, ", \"checks\": %s", self->checks);
    if (!self->sides.count) /* traces of several warehouses may have the same number */
        text_format(out, ", \"traces\": %s", self->traces);
    text_add_byte(out, '}');
}

void identity_add_json(const struct identity *self, struct text *out)
{
    if (!self)
        return;
    add_json_facts(self, true, out);
    if (self->sides.count)
        text_add_string(out, ", \"sides\": [");
    for (size_t i = 0; i < self->sides.count; i++) {
        const struct identity *side = &self->sides.items[i];
        text_add_string(out, i ? ", {\"side\": " : "{\"side\": ");
        text_add_json(out, view_of(side->side));
        add_json_facts(side, false, out);
        text_add_byte(out, '}');
    }
    if (self->sides.count)
        text_add_byte(out, ']');
    if (self->abstained.count)
        text_format(out, ", \"abstained\": [%s]", self->abstained.items);
    if (self->differs.count)
        text_format(out, ", \"identity_differs\": %s", self->differs.items);
    if (self->touched.count)
        text_format(out, ", \"touched\": {%s}", self->touched.items);
    for (size_t i = 0; i < self->first_lines.count; i++) {
        text_add_string(out, i ? ", " : ", \"headline\": [");
        text_add_json(out, view_of(self->first_lines.items[i].line));
    }
    if (self->first_lines.count)
        text_add_byte(out, ']');
}

void identity_write(const struct identity *self, struct document *document)
{
    for (size_t i = 0; i < self->facts.count; i++) {
        const struct identity_fact *fact = &self->facts.items[i];
        bool is_list = fact->kind != IDENTITY_TEXT;
        if (is_list)
            document_open(document, fact->name, '[');
        for (size_t j = 0; j < fact->values.count; j++) {
            const char *value = fact->values.items[j], *key = is_list ? NULL : fact->name;
            if (fact->kind >= IDENTITY_NUMBERS)
                document_raw(document, key, value);
            else
                document_text(document, key, value);
        }
        if (is_list)
            document_close(document);
    }
    if (self->health) {
        document_open(document, "health", '{');
        document_text(document, "verdict", self->verdict);
        document_text(document, "line", self->health);
        document_raw(document, "checks", self->checks);
        document_raw(document, "traces", self->traces);
        document_close(document);
    }
}

/* ------------------------------------------------------------------ making it */

static struct identity_fact *fact_of(struct identity *self, const char *name,
                                     enum identity_kind kind)
{
    for (size_t i = 0; i < self->facts.count; i++)
        if (strcmp(self->facts.items[i].name, name) == 0)
            return &self->facts.items[i];
    struct identity_fact *fact = array_push(&self->facts);
    *fact = (struct identity_fact){.name = name, .kind = kind};
    return fact;
}

void identity_add(struct identity *self, const char *name, enum identity_kind kind,
                  const char *value)
{
    struct identity_fact *fact = fact_of(self, name, kind);
    struct text valid = {0};
    text_add(&valid, "", 0);
    text_add_valid(&valid, value);
    bool is_known = false;
    for (size_t i = 0; i < fact->values.count && !is_known; i++)
        is_known = strcmp(fact->values.items[i], valid.items) == 0;
    if (!is_known)
        array_add(&fact->values, valid.items);
}

/* A copy in valid UTF-8; NULL is the copy of NULL. */
static void copy_valid(const char *words, char **copy)
{
    struct text valid = {0};
    if (words) {
        text_add(&valid, "", 0);
        text_add_valid(&valid, words);
    }
    *copy = valid.items;
}

/* The worse one is less. */
static int verdict_place(const char *verdict)
{
    return strcmp(verdict, "not comparable") == 0 ? 0 : strcmp(verdict, "complete") == 0 ? 2 : 1;
}

bool identity_is_worse(const struct identity *self, const char *verdict)
{
    return !self->verdict || verdict_place(self->verdict) > verdict_place(verdict);
}

void identity_set_health(struct identity *self, const char *verdict, const char *line,
                         const char *checks, const char *traces)
{
    if (!identity_is_worse(self, verdict))
        return;
    self->health = self->checks = self->traces = NULL;
    copy_valid(verdict, &self->verdict);
    copy_valid(line, &self->health);
    copy_valid(checks, &self->checks);
    copy_valid(traces, &self->traces);
}

void identity_add_first_line(struct identity *self, const char *line, const char *name,
                             const char *advice, double saves_ms)
{
    struct identity_first *first = array_push(&self->first_lines);
    *first = (struct identity_first){.saves_ms = saves_ms};
    copy_valid(line, &first->line);
    copy_valid(name, &first->name);
    copy_valid(advice, &first->advice);
}

static void join_facts(struct identity *self)
{
    for (size_t i = 0; i < self->facts.count; i++) {
        /* Joins several values of a text, with commas. */
        struct identity_fact *fact = &self->facts.items[i];
        struct text all = {0};
        if (fact->kind != IDENTITY_TEXT || fact->values.count < 2)
            continue;
        for (size_t j = 0; j < fact->values.count; j++)
            text_format(&all, "%s%s", j ? ", " : "", fact->values.items[j]);
        fact->values.items[0] = all.items;
        fact->values.count = 1;
    }
}

void identity_sum_up(struct identity *self)
{
    for (size_t i = 0; i < self->sides.count; i++) {
        join_facts(&self->sides.items[i]);
        const struct identity *side = &self->sides.items[i];
        for (size_t k = 0; k < side->facts.count; k++) {
            const struct identity_fact *fact = &side->facts.items[k];
            for (size_t j = 0; j < fact->values.count; j++)
                identity_add(self, fact->name, fact->kind, fact->values.items[j]);
        }
        if (side->health)
            identity_set_health(self, side->verdict, side->health, side->checks, side->traces);
    }
    join_facts(self);
}
