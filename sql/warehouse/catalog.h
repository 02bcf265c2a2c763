/* catalog: the rows that are shipped with tpq, in a database.
 *
 * catalog/ holds them as SQL; the tables `report` and `report_column` are filled from what the
 * files in reports/ say. Rows of the user stay, and win where keys collide.
 */
#pragma once

#include "sql/docs.h"
#include "sql/sqlite.h"
#include "src/base/error.h"

/* Replaces the rows whose source is tpq, inside the caller's transaction. */
bool catalog_fill(sqlite3 *db, struct error *error);

/* True for a view that is a report: one of a file in reports/ that declares its set. */
bool catalog_is_report(const struct doc_object *object);

/* Whether a report is in a set: its own, or the one that it says it is in, too. */
bool catalog_in_set(const struct doc_object *report, const char *set);

/* The report's sheet and place as declared for the set; NULL: none. Without a set its own is meant.
 */
const char *catalog_sheet(const struct doc_object *report, const char *set);
const char *catalog_sheet_elsewhere(const struct doc_object *report); /* in the set not its own */
const char *catalog_position(const struct doc_object *report, const char *set);
