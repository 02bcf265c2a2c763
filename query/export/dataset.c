/* dataset: a file is built under a name with a lock on it, which goes with the process: a name
 * without a lock is of a process that died, and is removed. Rows of a table are read trace by trace
 * with one statement, and go to the file as they come.
 */
#include "query/export/dataset.h"

#include "query/export/copy_text.h"
#include "src/base/file.h"
#include "src/base/order.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES_MAX = 240 }; /* of what has a folder */

static const char traces_of_run[] = "_traces", first_table[] = "fact_trace", parquet[] = ".parquet";

static bool dataset_fail(const struct dataset *self, const char *path, const char *what)
{
    return error_set(self->error, STATUS_DATABASE, "%s: cannot be %s: %s", path, what,
                     errno ? strerror(errno) : "the disk may be full");
}

void dataset_add_name(struct text *out, const char *name)
{
    text_add(out, "", 0);
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        bool is_plain = byte < 0x80 && (isalnum(byte) || strchr("_.-", byte));
        if (is_plain)
            text_add_byte(out, *name);
        else
            text_format(out, "%%%02X", byte);
    }
}

/* DIR/TABLE/run=RUN/NAME without the parts that are NULL; a table alone is its file of all runs.
 * The path stays until two more are asked for. */
static const char *path_of(struct dataset *self, const char *table, const char *run,
                           const char *name)
{
    struct text *out = &self->paths[self->asked++ % (sizeof self->paths / sizeof *self->paths)];
    text_clear(out);
    text_add_string(out, self->path);
    if (table) {
        text_add_byte(out, '/');
        dataset_add_name(out, table);
    }
    if (run) {
        text_add_string(out, "/run=");
        dataset_add_name(out, run);
    }
    if (name)
        text_format(out, "/%s", name);
    else if (table && !run)
        text_add_string(out, parquet);
    return out->items;
}

bool dataset_check_run(struct dataset *self, const char *run)
{
    struct text name = {0};
    dataset_add_name(&name, run);
    size_t count = name.count;
    text_free(&name);
    return count <= NAME_BYTES_MAX ||
           error_set(self->error, STATUS_DATABASE,
                     "the name of the run %.40s... is too long for a folder: %zu bytes, at "
                     "most %d",
                     run, count, NAME_BYTES_MAX);
}

/* ------------------------------------------------------------------ names in a folder */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names in a folder, in order, in place of what the list had; none without a folder. */
static bool list(const struct dataset *self, const char *path, name_list *names)
{
    DIR *folder = opendir(path);
    name_list_free(names);
    if (!folder)
        return errno == ENOENT || errno == ENOTDIR || dataset_fail(self, path, "read");
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            array_add(names, memory_text(entry->d_name));
    closedir(folder);
    array_sort(names, compare_names);
    return true;
}

static bool is_table(const char *name)
{
    return (text_starts_with(name, "fact_") || text_starts_with(name, "sheet_")) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               '\0';
}

static bool has_file(struct dataset *self, const char *table, bool *has)
{
    name_list runs = {0}, files = {0};
    bool done = list(self, path_of(self, NULL, NULL, table), &runs);
    *has = false;
    for (size_t i = 0; i < runs.count && done && !*has; i++) {
        if (!text_starts_with(runs.items[i], "run="))
            continue;
        done = list(self, path_of(self, table, NULL, runs.items[i]), &files);
        for (size_t j = 0; j < files.count; j++)
            *has |= text_ends_with(files.items[j], parquet);
    }
    name_list_free(&runs);
    name_list_free(&files);
    return done;
}

/* Folders of the directory that are called like tables, or only those with a file; in the layout
 * without folders, files. */
static bool list_tables(struct dataset *self, bool with_files, name_list *tables)
{
    size_t kept = 0;
    bool done = list(self, self->path, tables);
    for (size_t i = 0; i < tables->count; i++) {
        char *name = tables->items[i];
        bool is = done && (self->by_run || text_ends_with(name, parquet));
        if (is && !self->by_run)
            name[strlen(name) - strlen(parquet)] = '\0';
        is = is && is_table(name);
        if (is && self->by_run && with_files)
            done = has_file(self, name, &is);
        if (is)
            tables->items[kept++] = name;
        else
            memory_free(name);
    }
    tables->count = kept;
    return done;
}

bool dataset_tables(struct dataset *self, name_list *tables)
{
    return list_tables(self, true, tables);
}

/* ------------------------------------------------------------------ files */

static const char prefix[] = ".tpq-", ending[] = ".tmp";

bool dataset_open(struct dataset *self, const char *path, bool by_run, struct error *error)
{
    *self = (struct dataset){.path = path, .error = error, .by_run = by_run};
    struct dataset other = *self;
    other.by_run = !by_run;
    name_list tables = {0}, names = {0};
    if (!list_tables(&other, true, &tables))
        return false;
    if (tables.count)
        return error_set(error, STATUS_DATABASE,
                         by_run ? "%s: it has files of all runs, such as %s.parquet: leave "
                                  "--partition and --per-trace out, or use another directory"
                                : "%s: it has files by run, such as %s/run=NAME: use --partition "
                                  "run, or another directory",
                         path, tables.items[0]);
    if (!file_make_folder(path, error) || !list(self, path, &names))
        return false;

    /* A process locks the file that it writes until it ends: files without a lock are left over. */
    for (size_t i = 0; i < names.count; i++) {
        if (!text_starts_with(names.items[i], prefix) || !text_ends_with(names.items[i], ending))
            continue;
        const char *left = path_of(self, NULL, NULL, names.items[i]);
        int file = open(left, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlink(left);
        if (file >= 0)
            close(file);
    }
    return true;
}

/* The descriptor of a new file; -1 with an error. */
static int create(struct dataset *self, struct text *building)
{
    for (struct stat status;;) {
        text_clear(building);
        text_format(building, "%s/%s%ld-%u%s", self->path, prefix, (long)getpid(), ++self->begun,
                    ending);
        int file = open(building->items, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST)
            continue; /* another machine may have a process of that number */
        if (file >= 0)
            flock(file, LOCK_EX); /* where there are no locks nobody removes anything */
        if (file >= 0 && fstat(file, &status) == 0) {
            if (status.st_nlink > 0)
                return file;
            close(file); /* somebody took it for one that was left */
            continue;
        }
        dataset_fail(self, building->items, "made");
        if (file >= 0 && close(file) == 0)
            unlink(building->items);
        return -1;
    }
}

bool dataset_begin(struct dataset *self, struct dataset_file *file)
{
    int number = create(self, &file->building);
    if (number < 0)
        return false;
    file->out = fdopen(number, "wb");
    if (file->out)
        return true;
    unlink(file->building.items);
    close(number);
    memory_fail();
}

bool dataset_end(struct dataset *self, struct dataset_file *file)
{
    errno = 0;
    return (!ferror(file->out) && fflush(file->out) == 0 && fsync(fileno(file->out)) == 0) ||
           dataset_fail(self, file->building.items, "written");
}

bool dataset_place(struct dataset *self, struct dataset_file *file, const char *table,
                   const char *run, const char *name)
{
    bool done = !run || (file_make_own_folder(path_of(self, NULL, NULL, table), self->error) &&
                         file_make_own_folder(path_of(self, table, run, NULL), self->error));
    const char *path = path_of(self, table, run, name);
    done = done && (rename(file->building.items, path) == 0 || dataset_fail(self, path, "made"));
    if (done)
        text_clear(&file->building);
    dataset_drop(file);
    return done;
}

void dataset_drop(struct dataset_file *file)
{
    if (file->out && file->building.count)
        unlink(file->building.items);
    if (file->out)
        fclose(file->out);
    text_free(&file->building);
    *file = (struct dataset_file){.out = NULL};
}

bool dataset_remove(struct dataset *self, const char *table, const char *run, const char *name)
{
    const char *path = path_of(self, table, run, name);
    return unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR ||
           dataset_fail(self, path, "removed");
}

/* ------------------------------------------------------------------ what is there of a run */

static bool remove_files(struct dataset *self, const char *table, const char *run)
{
    name_list files = {0};
    bool done = list(self, path_of(self, table, run, NULL), &files);
    for (size_t i = 0; i < files.count && done; i++)
        done = !(text_ends_with(files.items[i], parquet) ||
                 strcmp(files.items[i], traces_of_run) == 0) ||
               dataset_remove(self, table, run, files.items[i]);
    name_list_free(&files);
    return done;
}

bool dataset_remove_run(struct dataset *self, const char *run)
{
    name_list tables = {0};
    bool done = remove_files(self, first_table, run) && list_tables(self, false, &tables);
    for (size_t i = 0; i < tables.count && done; i++)
        done = remove_files(self, tables.items[i], run);
    name_list_free(&tables);
    return done;
}

/* How many traces are in the files of a run that are not in the list. */
static bool count_strangers(struct dataset *self, const char *run, const name_list *traces,
                            size_t *count)
{
    const char *path = path_of(self, first_table, run, traces_of_run);
    struct text lines = {0};
    *count = 0;
    if (access(path, F_OK) == 0 && !file_read(path, &lines, self->error)) {
        self->error->status = STATUS_DATABASE;
        return false;
    }
    for (char *at = lines.items, *line; (line = strsep(&at, "\n"));)
        *count += *line && !bsearch(&line, traces->items, traces->count, sizeof *traces->items,
                                    compare_names);
    text_free(&lines);
    return true;
}

bool dataset_check_manner(struct dataset *self, const char *run, bool per_trace, name_list *traces,
                          bool *is_there)
{
    array_sort(traces, compare_names);
    size_t strangers = 0;
    *is_there = false;

    /* Looks in all tables for files of the other manner. */
    name_list tables = {0}, files = {0};
    bool done = list_tables(self, false, &tables);
    for (size_t i = 0; i < tables.count && done && !*is_there; i++) {
        done = list(self, path_of(self, tables.items[i], run, NULL), &files);
        for (size_t j = 0; j < files.count; j++)
            *is_there |= text_ends_with(files.items[j], parquet) &&
                         (strcmp(files.items[j], "run.parquet") == 0) == per_trace;
    }
    name_list_free(&tables);
    name_list_free(&files);
    if (!done || (!per_trace && !count_strangers(self, run, traces, &strangers)))
        return false;
    if (*is_there)
        return error_set(self->error, STATUS_DATABASE,
                         per_trace ? "%s: the run %.200s is exported as one file: leave "
                                     "--per-trace out, or use --force"
                                   : "%s: the run %.200s is exported with a file for each trace: "
                                     "use --per-trace, or --force",
                         self->path, run);
    *is_there = strangers > 0;
    return !strangers ||
           error_set(self->error, STATUS_DATABASE,
                     "%s: the run %.200s is exported with %zu trace%s not here: export "
                     "it from a merged warehouse, use --per-trace, or --force",
                     self->path, run, strangers, strangers == 1 ? " that is" : "s that are");
}

/* ------------------------------------------------------------------ columns and rows */

static struct cell integer_cell(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

/* A cell of the row, and of the first one also its field, which come in this order. */
static void set_cell(struct table_file *self, size_t *at, const char *name, enum cell_type type,
                     struct cell cell)
{
    if (!self->is_open) {
        array_add(&self->fields, (struct parquet_field){name, type});
        array_add(&self->cells, cell);
        array_add(&self->rooms, (struct text){0});
    }
    if (cell.type == CELL_TEXT)
        cell.text = copy_mended(cell.text, &self->rooms.items[*at]);
    self->cells.items[(*at)++] = cell;
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = view_of(text)};
}

/* Columns with the origin of a row come first, then columns of the table, then, for traces, columns
 * that say how it was made. By run, the run is a folder. */
static bool set_cells(struct table_file *self, sqlite3_stmt *row, const char *run,
                      const char *trace, int64_t place)
{
    static const enum cell_type types[] = {
        [EXPORT_INTEGER] = CELL_INTEGER, [EXPORT_REAL] = CELL_REAL, [EXPORT_TEXT] = CELL_TEXT};
    const struct export_table *table = self->table;
    size_t at = 0;
    if (!self->dataset->by_run)
        set_cell(self, &at, "run", CELL_TEXT, text_cell(run));
    if (table->kind != SHEET_OF_RUN)
        set_cell(self, &at, "trace", CELL_TEXT, text_cell(trace));
    if (table->kind != FACT_OF_TRACE)
        set_cell(self, &at, "sheet_row", CELL_INTEGER, integer_cell(place));
    for (int i = 0; i < (int)table->columns.count; i++) {
        /* A value of its column's type, or a whole number for a real one. */
        enum cell_type type = types[table->columns.items[i].type];
        int given = sqlite3_column_type(row, i);
        struct cell cell = {.type = given == SQLITE_NULL ? CELL_NULL : type};
        if (!export_cell_check(table, i, given, place, self->error))
            return false;
        if (cell.type == CELL_TEXT) {
            const char *text = database_text(row, i);
            cell.text = (struct view){text, (size_t)sqlite3_column_bytes(row, i)};
        } else if (cell.type == CELL_REAL)
            cell.real = sqlite3_column_double(row, i);
        else if (cell.type == CELL_INTEGER)
            cell.integer = sqlite3_column_int64(row, i);
        set_cell(self, &at, table->columns.items[i].name, type, cell);
    }
    if (table->is_last) {
        set_cell(self, &at, "options", CELL_TEXT, text_cell(self->options));
        set_cell(self, &at, "layout", CELL_INTEGER, integer_cell(FACT_LAYOUT));
    }
    return true;
}

/* The file begins with the first row. */
static bool begin(struct table_file *self)
{
    if (self->is_open)
        return true;
    if (!dataset_begin(self->dataset, &self->place))
        return false;
    self->is_open = true;
    return parquet_open(&self->parquet, self->place.out, self->place.building.items,
                        self->fields.items, self->fields.count, self->tools, self->error);
}

bool table_file_add(struct table_file *self, struct warehouse *warehouse, const char *run,
                    const char *trace, int64_t *rows)
{
    if (!self->rows)
        self->rows = export_table_rows(self->table, warehouse, self->error);
    bool done = self->rows != NULL;
    for (int64_t place = 0; warehouse_next(warehouse, self->rows, &done, self->error); place++) {
        done = set_cells(self, self->rows, run, trace, place) && begin(self) &&
               parquet_add(&self->parquet, self->cells.items);
        *rows += done;
    }
    sqlite3_reset(self->rows);
    return done;
}

/* ------------------------------------------------------------------ the file */

bool table_file_finish(struct table_file *self, const char *run)
{
    char layout[16];
    if (!self->is_open)
        return true;
    snprintf(layout, sizeof layout, "%d", FACT_LAYOUT);
    struct text name = {0};
    const struct parquet_fact facts[] = {
        {"tpq.table", self->table->name},
        {"tpq.layout", layout},
        {"tpq.run", run ? copy_mended(view_of(run), &name).bytes : NULL}};
    return parquet_finish(&self->parquet, facts, run ? 3 : 2) &&
           dataset_end(self->dataset, &self->place);
}

void table_file_drop(struct table_file *self)
{
    if (self->is_open)
        parquet_close(&self->parquet);
    dataset_drop(&self->place);
    for (size_t i = 0; i < self->rooms.count; i++)
        text_free(&self->rooms.items[i]);
    arrays_free(&self->fields, &self->cells, &self->rooms);
    *self = (struct table_file){.table = self->table,
                                .options = self->options,
                                .dataset = self->dataset,
                                .tools = self->tools,
                                .error = self->error,
                                .rows = self->rows};
}
