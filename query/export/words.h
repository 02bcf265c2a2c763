/* words: texts of the warehouse as JSON, by number, kept as far as there is room. */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* A name, and that of a category; the members of an argument list and of a signature, each with a
 * comma before it. */
enum words_kind { WORDS_NAME, WORDS_CATEGORY, WORDS_ARGS, WORDS_OP };

struct words {
    struct warehouse *warehouse;
    struct error *error;
    enum words_kind kind;
    sqlite3_stmt *row;
    struct word_kept {
        uint32_t id;
        bool is_there;
        struct text json;
    } * kept;
};

bool words_open(struct words *self, struct warehouse *warehouse, enum words_kind kind,
                struct error *error);

/* Nothing for number 0 but where it is a category; an empty name for a name that is not there.
 * False with an error. */
bool words_add(struct words *self, uint32_t id, struct text *out);
