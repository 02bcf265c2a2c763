/* kept: see kept.h. */
#include "sql/binding/kept.h"

SQLITE_EXTENSION_INIT3

bool kept_make(struct kept *self, sqlite3 *db, const struct context *context, sqlite3_value *run,
               const char *traces)
{
    const char *name = run ? (const char *)sqlite3_value_text(run) : NULL;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &self->data_version);
    self->changes = sqlite3_total_changes(db);
    self->context_changes = context->changes;
    return text_format(&self->wanted, "%s\n%d%s", traces ? traces : "", run != NULL,
                       name ? name : "\n"); /* no run is named so */
}

bool kept_equal(const struct kept *left, const struct kept *right)
{
    return left->data_version == right->data_version && left->changes == right->changes &&
           left->context_changes == right->context_changes &&
           view_equal((struct view){left->wanted.items, left->wanted.count},
                      (struct view){right->wanted.items, right->wanted.count});
}

void kept_free(struct kept *self)
{
    text_free(&self->wanted);
}
