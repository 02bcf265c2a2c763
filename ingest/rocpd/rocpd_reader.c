/* rocpd_reader: see rocpd_reader.h: words, processes and tables that the parts read. */
#include "ingest/rocpd/rocpd_reader.h"

uint32_t rocpd_keep(struct rocpd *self, struct view text)
{
    return intern_add(&self->words, text.bytes, text.length);
}

/* ------------------------------------------------------------------ processes */

struct rocpd_process *rocpd_process(struct rocpd *self, struct view guid)
{
    if (self->last_process) {
        struct rocpd_process *last = &self->processes.items[self->last_process - 1];
        if (view_equal(intern_view(&self->words, last->guid), guid))
            return last;
    }
    uint32_t word = rocpd_keep(self, guid);
    for (size_t i = 0; i < self->processes.count; i++)
        if (self->processes.items[i].guid == word)
            return &self->processes.items[i];
    struct draft *draft = desk_add_draft(&self->desk);
    array_add(&self->processes, (struct rocpd_process){.guid = word, .draft = draft});
    return &self->processes.items[self->processes.count - 1];
}

struct draft *rocpd_draft(struct rocpd *self, struct rows_of *rows, size_t guid)
{
    struct view text;
    if (self->part.draft)
        return self->part.draft;
    rows_text(rows, guid, &text);
    struct rocpd_process *process = rocpd_process(self, text);
    self->last_process = (uint32_t)(process - self->processes.items) + 1;
    return process->draft;
}

/* ------------------------------------------------------------------ tables */

/* A table, and who reads it. */
struct reading {
    struct rocpd *rocpd;
    const struct rocpd_table *table;
};

static bool read_row(void *context, struct rows_of *rows)
{
    const struct reading *self = context;
    return self->table->read(self->rocpd, rows);
}

bool rocpd_read_table(struct rocpd *self, const struct rocpd_table *table)
{
    text_clear(&self->name);
    text_format(&self->name, "%s%s", table->name, self->part.ending);
    if (!database_has(self->database, self->name.items))
        return true;
    struct rows_of *rows = database_rows(self->database, self->name.items, table->columns,
                                         table->count, NULL, self->desk.error);
    int64_t first = self->desk.uid;
    bool done = rows && desk_read(&self->desk, rows, table->needed, self->options, read_row,
                                  &(struct reading){self, table});
    database_rows_close(rows);
    if (done && table->is_counted) {
        desk_note_table(&self->desk, &self->tables, table->name, first);
        return true;
    }
    self->desk.uid = first;
    return done;
}

bool rocpd_read_tables(struct rocpd *self, const struct rocpd_table *tables)
{
    bool done = true;
    for (; tables->name && done; tables++)
        done = rocpd_read_table(self, tables);
    return done;
}
