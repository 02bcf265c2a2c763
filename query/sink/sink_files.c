/* sink_files: files of their own for every sheet, DIRECTORY/NAME_SHEET.csv and .xlsx. */
#include "query/sink/forms.h"
#include "src/base/file.h"

#include <string.h>

struct files_sink {
    struct sink base;
    struct sink_target to;
    char *directory, *name;
    struct new_file file;
    struct sink *made[2]; /* for the sheet in hand */
};

static bool make_path(const struct files_sink *self, const char *sheet, const char *ending,
                      struct text *path, struct error *error)
{
    text_clear(path);
    text_format(path, "%s/%s_", self->directory, self->name);
    size_t start = path->count;
    text_add_string(path, sheet);
    text_add_string(path, ending);
    for (char *at = path->items + start; *at; at++)
        if (*at == '/')
            *at = '_';
    return sink_check_path(path->items, self->to.inputs, error);
}

static bool open_csv(struct files_sink *self, const char *path, struct error *error)
{
    if (!new_file_open(&self->file, path, error))
        return false;
    struct sink_target target = {
        .out = self->file.out, .raw = self->to.raw, .csv_notes = self->to.csv_notes};
    self->made[0] = sink_csv(&target, error);
    return self->made[0] != NULL;
}

static bool files_begin(struct sink *base, const struct sheet *sheet, struct error *error)
{
    struct files_sink *self = (struct files_sink *)base;
    struct text path = {0};
    bool done = true;
    if (self->to.csv)
        done =
            make_path(self, sheet->name, ".csv", &path, error) && open_csv(self, path.items, error);
    if (done && self->to.xlsx) {
        done = make_path(self, sheet->name, ".xlsx", &path, error);
        struct sink_target target = {.path = path.items,
                                     .overwrite = true,
                                     .identity = self->to.identity,
                                     .notes = self->to.notes};
        self->made[1] = done ? sink_xlsx(&target, error) : NULL;
        done = self->made[1] != NULL;
    }
    for (int i = 0; i < 2 && done; i++)
        done = !self->made[i] || self->made[i]->begin(self->made[i], sheet, error);
    return done;
}

static bool files_row(struct sink *base, const struct cell *cells, struct error *error)
{
    struct files_sink *self = (struct files_sink *)base;
    bool done = true;
    for (int i = 0; i < 2 && done; i++)
        done = !self->made[i] || self->made[i]->row(self->made[i], cells, error);
    return done;
}

static bool close_sheet(struct files_sink *self, bool done, struct error *error)
{
    for (int i = 0; i < 2; i++) {
        sink_free(self->made[i]);
        self->made[i] = NULL;
    }
    return self->file.out ? new_file_close(&self->file, done, error) : done;
}

static bool files_end(struct sink *base, struct error *error)
{
    struct files_sink *self = (struct files_sink *)base;
    bool done = true;
    for (int i = 0; i < 2 && done; i++)
        done = !self->made[i] ||
               (self->made[i]->end(self->made[i], error) && sink_finish(self->made[i], error));
    return close_sheet(self, done, error);
}

static void files_free(struct sink *base)
{
    struct files_sink *self = (struct files_sink *)base;
    struct error none = {0};
    close_sheet(self, false, &none);
}

/* With the folders around it. */
static bool make_directory(char *path, struct error *error)
{
    for (char *at = *path ? strchr(path + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
        *at = '\0';
        bool made = file_make_folder(path, error);
        *at = '/';
        if (!made)
            return false;
    }
    return file_make_folder(path, error);
}

struct sink *sink_files(const struct sink_target *target, struct error *error)
{
    struct sink base = {.begin = files_begin,
                        .row = files_row,
                        .end = files_end,
                        .free = files_free,
                        .has_notes =
                            (target->csv && target->csv_notes) || (target->xlsx && target->notes)};
    struct files_sink *self = sink_new(sizeof *self, base);
    self->to = *target;
    self->directory = memory_text(target->path);
    self->name = memory_text(target->name);
    return make_directory(self->directory, error) ? &self->base : NULL;
}
