/* schema: what a warehouse is made of.
 *
 * The tables come from schema/; the views (views.h) are made with them. The header of a file says
 * which version its tables have. There is no way from one version to another yet: a file of an
 * older one is refused.
 */
#pragma once

#include "sql/build/embed.h"
#include "sql/sqlite.h"
#include "src/base/error.h"

#include <stdint.h>

enum {
    SCHEMA_APPLICATION_ID = 0x74707177, /* "tpqw" */
    SCHEMA_PAGE_BYTES = 4096,
};

/* Makes all tables and views in an empty database. */
bool schema_create(sqlite3 *db, struct error *error);

/* Whether the database at `path` is a warehouse of this version. */
bool schema_check(sqlite3 *db, const char *path, struct error *error);

/* Why a file whose header has these numbers is not read; NULL: it is read. */
const char *schema_objection(int64_t application_id, int64_t version, enum status *status);
