/* key_text: see key_text.h. */
#include "query/compare/key_text.h"

#include "src/base/literal.h"
#include "src/base/order.h"

#include <string.h>

struct member {
    const char *name;
    int value; /* its place */
};

typedef ARRAY(struct member) member_list;

ORDER_BY(compare_members, struct member, BY(strcmp(a->name, b->name)));

/* The members that are not null, by their names. */
static void find_members(const struct literals *values, int root, member_list *members)
{
    for (int name = literal_at(values, root)->first; name >= 0;) {
        int value = literal_at(values, name)->next;
        const char *text = literal_text(values, name);
        if (literal_type(values, value) != LITERAL_NULL)
            array_add(members, ((struct member){text ? text : "", value}));
        name = literal_at(values, value)->next;
    }
    if (members->count)
        array_sort(members, compare_members);
}

bool key_text_add(struct text *out, struct view text)
{
    struct literals values = {0};
    bool may_be = text.length && *text.bytes == '{';
    int root = may_be ? literal_read(&values, text) : LITERAL_NONE;
    /* Numbers that are whole, and truths, get the form of whole numbers. */
    for (size_t i = 0; i < values.values.count; i++) {
        struct literal *value = &values.values.items[i];
        bool is_truth = value->type == LITERAL_FALSE || value->type == LITERAL_TRUE;
        bool is_whole = value->type == LITERAL_REAL && value->real > -1e15 && value->real < 1e15 &&
                        value->real == (double)(int64_t)value->real;
        if (is_whole)
            value->integer = (int64_t)value->real;
        if (is_whole || is_truth)
            value->type = LITERAL_INTEGER;
    }
    bool done = true;
    if (done) {
        if (root >= 0 && literal_type(&values, root) == LITERAL_OBJECT) {
            /* @add_object */
            member_list members = {0};
            find_members(&values, root, &members);
            text_add_byte(out, '{');
            for (size_t i = 0; i < members.count; i++) {
                if (i != 0)
                    text_add_byte(out, ',');
                text_add_json(out, view_of(members.items[i].name));
                text_add_byte(out, ':');
                literal_add_json(&values, members.items[i].value, out);
            }
            array_free(&members);
            text_add_byte(out, '}');
        } else
            text_add_view(out, text);
    }
    literal_free(&values);
    return done;
}

/* A text has its length before it, so that the cell behind it begins where it ends. */
bool key_text_of(const struct cell *cells, size_t count, struct text *out, struct text *scratch)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        text_add_byte(out, (char)cells[i].type);
        if (cells[i].type != CELL_TEXT) {
            cell_add_text(&cells[i], FORM_PLAIN, out);
            continue;
        }
        text_clear(scratch);
        done = key_text_add(scratch, cells[i].text);
        if (done)
            text_format(out, "%zu ", scratch->count);
        text_add_view(out, text_view(scratch));
    }
    return done;
}
