/* report_files: the reports there are: those shipped with tpq, and the user's own in a directory.
 */
#ifndef TPQ_REPORT_FILES_H
#define TPQ_REPORT_FILES_H

#include "docs.h"
#include "warehouse.h"

struct report_files {
    doc_list docs;              /* of the user's files, then the shipped ones */
    ARRAY(struct sql_file) own; /* path and text, ours to free */
    struct sql_file *all;
};

/* Reads the .sql files of a directory; NULL = only the shipped ones. */
bool report_files_read(struct report_files *self, const char *directory, struct error *error);

/* Makes the user's views, for this connection only. */
bool report_files_install(const struct report_files *self, struct warehouse *warehouse,
                          struct error *error);

void report_files_free(struct report_files *self);

#endif
