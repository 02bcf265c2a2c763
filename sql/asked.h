/* asked: a question to a database, and its rows by the types of what takes them.
 *
 *     struct asked asked;
 *     ASK(&asked, db, "SELECT id, name FROM track WHERE trace_id = ?1 AND device = ?2", trace, 0);
 *     while (ASKED_ROW(&asked, &id, &name))
 *         ...
 *     int result = asked_end(&asked);                      or asked_done, which tells an error
 *
 * Parameters are integers, doubles, texts and views. A value goes to an int64_t, a bool, a double
 * or a text (a view of it, too), as SQLite converts it. NULL is 0 or the empty text; with
 * OR_NONE(&id) INT64_MIN or NAN, with OR_NULL(&name) NULL. Texts stay until the next row.
 *
 *     asked_open(&asked, db, sql);                         once, for a question that is asked again
 *     for (...) {
 *         ASKED_ABOUT(&asked, traces[i]);
 *         while (ASKED_ROW(&asked, &id))
 *             ...
 *     }
 *
 *     ASK_AGAIN(&self->asked, db, sql, id);     the same of a struct that is zero at first
 *     bool is_there = ASKED_ROW(&self->asked, &name);
 *     int result = asked_code(&self->asked);               SQLITE_OK without a row, too
 */
#pragma once

#include "sql/database.h"

struct asked {
    sqlite3 *db;
    sqlite3_stmt *statement;
    int result; /* the last one that SQLite gave */
};

/* Prepares a question. What fails shows at the end, and there are no rows. */
void asked_open(struct asked *self, sqlite3 *db, const char *sql);

/* Steps to the next row; false: there is none. */
bool asked_next(struct asked *self);

/* A result code of SQLite: SQLITE_OK unless the last call failed. */
static inline int asked_code(const struct asked *self)
{
    return self->result == SQLITE_ROW || self->result == SQLITE_DONE ? SQLITE_OK : self->result;
}

/* Frees the statement. A result code of SQLite, SQLITE_OK also where not all rows were asked for.
 */
int asked_end(struct asked *self);

/* Frees the statement; false with an error that begins with `what`, a file or some work. */
bool asked_done(struct asked *self, const char *what, struct error *error);

#define ASK(asked, db, sql, ...) (asked_open(asked, db, sql), ASKED_ABOUT(asked, __VA_ARGS__))
#define ASK_AGAIN(asked, db, sql, ...) \
    ((asked)->statement ? (void)0 : asked_open(asked, db, sql), ASKED_ABOUT(asked, __VA_ARGS__))
#define ASKED_ABOUT(asked, ...)                                                      \
    asked_about(asked, (const struct asked_value[]){EACH(ASKED_VALUE, __VA_ARGS__)}, \
                COUNT_OF(__VA_ARGS__))
#define ASKED_ROW(asked, ...)                                                      \
    asked_row(asked, (const struct asked_place[]){EACH(ASKED_PLACE, __VA_ARGS__)}, \
              COUNT_OF(__VA_ARGS__))

/* Parameters and places, by their types. */
enum asked_kind {
    ASKED_INT64,
    ASKED_BOOL,
    ASKED_REAL,
    ASKED_TEXT,
    ASKED_STATED,      /* an int64_t, INT64_MIN for NULL */
    ASKED_STATED_REAL, /* NAN for NULL */
    ASKED_ANY_TEXT,    /* NULL for NULL */
    ASKED_VIEW,        /* a text with its length */
};
struct asked_value {
    enum asked_kind kind;
    int64_t integer;
    double real;
    struct view text;
};
struct asked_place {
    enum asked_kind kind;
    void *at;
};

/* Binds the parameters that the question has, from the first one on; a question that has been asked
 * begins again. */
void asked_about(struct asked *self, const struct asked_value *values, size_t count);
bool asked_row(struct asked *self, const struct asked_place *places, size_t count);

#define OR_NONE(place) \
    _Generic((place), double * : asked_to_stated_real, int64_t * : asked_to_stated)(place)
#define OR_NULL(place) asked_place_of(ASKED_ANY_TEXT, 1 ? (place) : (const char **)0)

/* clang-format off */
#define ASKED_VALUE(value) _Generic((value), double: asked_real, char *: asked_text, \
    const char *: asked_text, struct view: asked_view, default: asked_integer)(value)
#define ASKED_PLACE(place) _Generic((place), int64_t *: asked_to_int64, bool *: asked_to_bool, \
    double *: asked_to_real, const char **: asked_to_text, struct view *: asked_to_view, \
    struct asked_place: asked_to_place)(place)
/* clang-format on */

static inline struct asked_value asked_integer(int64_t value)
{
    return (struct asked_value){.kind = ASKED_INT64, .integer = value};
}
static inline struct asked_value asked_real(double value)
{
    return (struct asked_value){.kind = ASKED_REAL, .real = value};
}
static inline struct asked_value asked_text(const char *value)
{
    return (struct asked_value){.kind = ASKED_TEXT,
                                .text = value ? view_of(value) : (struct view){0}};
}
static inline struct asked_value asked_view(struct view value)
{
    return (struct asked_value){.kind = ASKED_TEXT, .text = value};
}
static inline struct asked_place asked_place_of(enum asked_kind kind, void *at)
{
    return (struct asked_place){kind, at};
}
static inline struct asked_place asked_to_place(struct asked_place place)
{
    return place;
}
#define ASKED_TO(name, kind, type)                             \
    static inline struct asked_place asked_to_##name(type *at) \
    {                                                          \
        return asked_place_of(kind, at);                       \
    }
ASKED_TO(int64, ASKED_INT64, int64_t)
ASKED_TO(bool, ASKED_BOOL, bool)
ASKED_TO(real, ASKED_REAL, double)
ASKED_TO(text, ASKED_TEXT, const char *)
ASKED_TO(view, ASKED_VIEW, struct view)
ASKED_TO(stated, ASKED_STATED, int64_t)
ASKED_TO(stated_real, ASKED_STATED_REAL, double)
#undef ASKED_TO

/* Applies a macro to each of up to eighteen arguments, and counts them. */
/* clang-format off */
#define COUNT_OF(...) COUNT_OF_(__VA_ARGS__, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, count, ...) count
#define EACH(apply, ...) EACH_(COUNT_OF(__VA_ARGS__), apply, __VA_ARGS__)
#define EACH_(count, apply, ...) EACH_OF(count, apply, __VA_ARGS__)
#define EACH_OF(count, apply, ...) EACH_##count(apply, __VA_ARGS__)
#define EACH_1(apply, one) apply(one)
#define EACH_2(apply, one, ...) apply(one), EACH_1(apply, __VA_ARGS__)
#define EACH_3(apply, one, ...) apply(one), EACH_2(apply, __VA_ARGS__)
#define EACH_4(apply, one, ...) apply(one), EACH_3(apply, __VA_ARGS__)
#define EACH_5(apply, one, ...) apply(one), EACH_4(apply, __VA_ARGS__)
#define EACH_6(apply, one, ...) apply(one), EACH_5(apply, __VA_ARGS__)
#define EACH_7(apply, one, ...) apply(one), EACH_6(apply, __VA_ARGS__)
#define EACH_8(apply, one, ...) apply(one), EACH_7(apply, __VA_ARGS__)
#define EACH_9(apply, one, ...) apply(one), EACH_8(apply, __VA_ARGS__)
#define EACH_10(apply, one, ...) apply(one), EACH_9(apply, __VA_ARGS__)
#define EACH_11(apply, one, ...) apply(one), EACH_10(apply, __VA_ARGS__)
#define EACH_12(apply, one, ...) apply(one), EACH_11(apply, __VA_ARGS__)
#define EACH_13(apply, one, ...) apply(one), EACH_12(apply, __VA_ARGS__)
#define EACH_14(apply, one, ...) apply(one), EACH_13(apply, __VA_ARGS__)
#define EACH_15(apply, one, ...) apply(one), EACH_14(apply, __VA_ARGS__)
#define EACH_16(apply, one, ...) apply(one), EACH_15(apply, __VA_ARGS__)
#define EACH_17(apply, one, ...) apply(one), EACH_16(apply, __VA_ARGS__)
#define EACH_18(apply, one, ...) apply(one), EACH_17(apply, __VA_ARGS__)
/* clang-format on */
