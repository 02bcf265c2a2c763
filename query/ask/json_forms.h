/* json_forms: which cells of a statement hold JSON, so that a shape is a list and no text.
 *
 *     SELECT input_dims FROM time_above_roofline    a report declares a column of this name as a
 * list SELECT json(input_dims) AS shape               a JSON function of SQLite has just made it
 *
 * A text that only looks like JSON stays a text. render asks.
 */
#pragma once

#include "query/sink/sheet.h"

/* Gives the columns that reports declare so the form of JSON. A database that says nothing of
 * columns has none. False: memory is out. */
bool json_forms_declare(sqlite3 *db, struct column *columns, size_t count);

/* Makes the form of the other columns that of their cells in this row: FORM_LIST or FORM_PLAIN. */
bool json_forms_of_row(sqlite3_stmt *row, struct column *columns, size_t count);
