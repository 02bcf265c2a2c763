/* extension_file: the files that the user names, read, in the order in which they come into effect;
 * and whom to blame when one of them does not work. extension.h says what they are for.
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

enum extension_kind { EXTENSION_CSV, EXTENSION_SQL, EXTENSION_LIBRARY };

struct extension_file {
    enum extension_kind kind;
    char *path;
    char *text; /* of .csv and .sql */
    size_t length;
    bool has_failed;
};

typedef ARRAY(struct extension_file) extension_file_list;

/* A file, or all of a directory. */
bool extension_files_add(extension_file_list *self, const char *path, struct error *error);

/* The words of a failure of the database that a row or statement has caused: "FILE:LINE: op 'NAME':
 * reason". */
bool extension_blame(struct warehouse *warehouse, const char *path, int line, struct error *error);
