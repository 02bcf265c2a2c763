/* warehouse: A new file is locked beside its place and renamed when whole; a killed process's files
 * are removed. Opening trusts nothing of a file before its schema was judged. */
#include "sql/warehouse/warehouse.h"

#include "sql/asked.h"
#include "sql/binding/context.h"
#include "sql/build/embed.h"
#include "sql/register.h"
#include "sql/warehouse/opening.h"
#include "sql/warehouse/provider.h"
#include "sql/warehouse/schema.h"
#include "src/base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static sqlite3_mem_methods usual;
static bool is_watched;
static _Thread_local bool has_failed;

static void *watched(void *block)
{
    has_failed |= !block;
    return block;
}

static void *watched_malloc(int size)
{
    return watched(usual.xMalloc(size));
}

static void *watched_realloc(void *block, int size)
{
    return watched(usual.xRealloc(block, size));
}

/* Has what SQLite asks for watched. Comes before SQLite is started; a result code of it. */
static int allocation_watch(void)
{
    int result = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = watched_malloc;
    methods.xRealloc = watched_realloc;
    if (result == SQLITE_OK)
        result = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    is_watched = result == SQLITE_OK;
    return result;
}

bool allocation_failed(void)
{
    return has_failed || !is_watched;
}

/* recovery: what a process that died left half done.
 *
 * SQLite undoes it with the journal that lies beside the file, which is a write. Reading never
 * writes, so it is undone in a copy. A journal may be a stranger's like its file: one that names
 * another journal has SQLite remove the file of that name. */

/* Ends a journal that names another one, and begins each. */
static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/* Refuses a journal that belongs to several databases: playing it would change other files, too. */
static bool recovery_is_safe(sqlite3 *db, const char *path, struct error *error)
{
    const char *file_name = sqlite3_db_filename(db, "main");
    int file = open(sqlite3_filename_journal(file_name), O_RDONLY | O_CLOEXEC);
    unsigned char end[sizeof magic];
    struct stat status;
    bool names_another =
        file >= 0 && fstat(file, &status) == 0 && status.st_size > (off_t)sizeof end &&
        pread(file, end, sizeof end, status.st_size - (off_t)sizeof end) == (ssize_t)sizeof end &&
        memcmp(end, magic, sizeof end) == 0;
    if (file >= 0)
        close(file);
    return !names_another ||
           error_set(error, STATUS_DATABASE,
                     "%s: its journal is part of a transaction over several databases; open it "
                     "with sqlite3 if you trust it",
                     path);
}

static bool copy_bytes(int from, int to)
{
    char bytes[1 << 16];
    ssize_t count;
    while ((count = read(from, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, part; done < count; done += part)
            if ((part = write(to, bytes + done, (size_t)(count - done))) <= 0)
                return false;
    return count == 0;
}

static bool copy_file(const char *from_path, const char *to_path)
{
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool done = to >= 0 && copy_bytes(from, to);
    int reason = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        done = close(to) == 0 && done;
    errno = reason;
    return done;
}

/* Removes the names of a copy, which stays for those who have it open. */
static void recovery_forget(struct text *copy)
{
    char journal[PATH_MAX];
    char *end = copy->items ? strrchr(copy->items, '/') : NULL;
    if (end) {
        snprintf(journal, sizeof journal, "%s-journal", copy->items);
        unlink(journal);
        unlink(copy->items);
        *end = '\0';
        rmdir(copy->items);
    }
    text_free(copy);
}

/* Settings by measurement (tests/bench): a larger cache or page changes nothing, memory does. It
 * comes first, since other settings have the schema read. */
static const char settings_of_connection[] = "PRAGMA mmap_size = 1099511627776;"
                                             "PRAGMA cache_size = -8192;"
                                             "PRAGMA secure_delete = off;"
                                             "PRAGMA trusted_schema = off;";

/* Sorted and kept rows of one call lie in memory, but for large files: there they come to as much
 * as the file has, and SQLite writes those beyond its cache into a temporary one. */
static const char temporary_in_memory[] = "PRAGMA temp_store = memory;";
static const char temporary_in_files[] = "PRAGMA temp_store = file;";

enum { LARGE_FILE = 256 << 20 };

/* Nobody else sees the file, and on any failure it is thrown away. */
static const char settings_of_building[] = "PRAGMA journal_mode = off;"
                                           "PRAGMA synchronous = off;"
                                           "PRAGMA locking_mode = exclusive;";

/* Databases that tpq itself may have attached at once. */
enum { ATTACHED_MAX = 4 };

static const char building_mark[] = ".building-";

/* The functions know SQLite as an extension does: by a table, which each connection that opens
 * hands to what sqlite3_auto_extension names. */
const sqlite3_api_routines *sqlite3_api;

static int keep_table(sqlite3 *db, char **error, const sqlite3_api_routines *table)
{
    (void)db, (void)error;
    sqlite3_api = table;
    return SQLITE_OK;
}

bool warehouse_start(struct error *error)
{
    if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_URI, 1) != SQLITE_OK || allocation_watch() != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK)
        return error_set(error, STATUS_DATABASE, "SQLite cannot be started");
    sqlite3 *db = NULL;
    bool done = sqlite3_auto_extension((void (*)(void))keep_table) == SQLITE_OK &&
                sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite3_api;
    sqlite3_close(db);
    sqlite3_reset_auto_extension();
    if (!done)
        return error_set(error, STATUS_DATABASE, "SQLite cannot be started");
    return true;
}

bool warehouse_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool warehouse_is(const char *path)
{
    enum { APPLICATION = 68 }; /* its place in the header of SQLite, the high byte first */
    unsigned char head[APPLICATION + 4];
    struct stat status;
    bool is = stat(path, &status) == 0 && S_ISREG(status.st_mode); /* a pipe is read once */
    FILE *file = is ? fopen(path, "rb") : NULL;
    is = file && fread(head, 1, sizeof head, file) == sizeof head &&
         memcmp(head, "SQLite format 3", 16) == 0;
    uint32_t id = 0;
    for (int i = 0; is && i < 4; i++)
        id = id << 8 | head[APPLICATION + i];
    if (file)
        fclose(file);
    return is && id == SCHEMA_APPLICATION_ID;
}

static bool is_large(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size >= LARGE_FILE;
}

bool warehouse_next(const struct warehouse *self, sqlite3_stmt *rows, bool *done,
                    struct error *error)
{
    int result = *done ? sqlite3_step(rows) : SQLITE_DONE;
    *done =
        *done && (result == SQLITE_ROW || result == SQLITE_DONE || warehouse_error(self, error));
    return result == SQLITE_ROW;
}

bool warehouse_error(const struct warehouse *self, struct error *error)
{
    return database_error(self->db, self->path, error);
}

/* A statement or a blob that is still open would keep the connection, and its locks, for good. */
static void close_database(struct warehouse *self)
{
    int result = sqlite3_close(self->db);
    assert(result == SQLITE_OK);
    (void)result;
    self->db = NULL;
}

/* ------------------------------------------------------------------ building */

/* Removes what a killed process has left: files whose lock nobody holds. */
static void remove_abandoned(const char *path)
{
    char *directory_of = memory_text(path), *name_of = memory_text(path);
    DIR *directory = opendir(dirname(directory_of));
    if (directory) {
        const char *name = basename(name_of);
        size_t length = strlen(name);
        const struct dirent *entry;
        while ((entry = readdir(directory))) {
            if (strncmp(entry->d_name, name, length) != 0 ||
                strncmp(entry->d_name + length, building_mark, strlen(building_mark)) != 0)
                continue;
            int file = openat(dirfd(directory), entry->d_name, O_RDWR | O_CLOEXEC);
            if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
                unlinkat(dirfd(directory), entry->d_name, 0);
            if (file >= 0)
                close(file);
        }
        closedir(directory);
    }
    memory_free(directory_of);
    memory_free(name_of);
}

static bool start_building(struct warehouse *self, struct error *error)
{
    remove_abandoned(self->path);

    /* Makes the file and locks it. Before it is locked, another process that starts at the same
     * time may take it for abandoned and remove it; then the next one has its turn. */
    struct text name = {0};
    struct stat status = {0};
    do {
        if (self->building_lock >= 0)
            close(self->building_lock);
        text_clear(&name);
        text_format(&name, "%s%sXXXXXX", self->path, building_mark);
        self->building_lock = mkostemp(name.items, O_CLOEXEC);
        if (self->building_lock < 0) {
            error_set(error, STATUS_DATABASE, "%s: cannot be created: %s", self->path,
                      strerror(errno));
            text_free(&name);
            return false;
        }
    } while (flock(self->building_lock, LOCK_EX) == 0 && fstat(self->building_lock, &status) == 0 &&
             status.st_nlink == 0);
    self->building = name.items;
    if (!(status.st_nlink > 0 || error_set(error, STATUS_DATABASE, "%s: cannot be locked: %s",
                                           self->path, strerror(errno))))
        return false;
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(self->building_lock, 0666 & ~mask) != 0)
        return error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", self->path,
                         strerror(errno));

    /* It begins as the image of an empty warehouse. */
    int file = self->building_lock;
    for (size_t done = 0; done < image_size;) {
        ssize_t written = write(file, image_bytes + done, image_size - done);
        if (written < 0 && errno != EINTR)
            return error_set(error, STATUS_DATABASE, "%s: cannot be written: %s", self->path,
                             strerror(errno));
        if (written > 0)
            done += (size_t)written;
    }
    return true;
}

/* The directory that a file lies in; -1 when it cannot be read, and then it cannot be synced. */
static void open_directory(const char *path, int *directory)
{
    char *copy = memory_text(path);
    *directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    memory_free(copy);
}

bool warehouse_publish(struct warehouse *self, bool *taken, struct error *error)
{
    *taken = false;
    if (sqlite3_next_stmt(self->db, NULL))
        return error_set(error, STATUS_DATABASE, "%s: statements are still open", self->path);
    if (!views_save(self->db, error))
        return error_context(error, "%s", self->path);
    close_database(self);
    int directory; /* opened first, because nothing may go wrong once the file is in its place */
    open_directory(self->path, &directory);
    bool done = fsync(self->building_lock) == 0;
    if (done) {
        /* Renaming leaves nothing behind, whenever a process dies. Where a file system cannot
         * rename without replacing, the file gets its name beside the old one. */
        if (renameat2(AT_FDCWD, self->building, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0) {
            memory_free(self->building);
            self->building = NULL;
        } else {
            done = errno != EEXIST && link(self->building, self->path) == 0;
        }
    }
    *taken = !done && errno == EEXIST;
    if (done && directory >= 0 && fsync(directory) != 0 && errno != EINVAL && errno != ENOTSUP)
        done = error_set(error, STATUS_DATABASE, "%s: made, but its folder cannot be synced: %s",
                         self->path, strerror(errno));
    else if (!done && !*taken)
        error_set(error, STATUS_DATABASE, "%s: cannot be created: %s", self->path, strerror(errno));
    if (directory >= 0)
        close(directory);
    return done || *taken;
}

/* ------------------------------------------------------------------ opening */

/* Memory may be out without SQLite, which then has no words for it. */
static bool is_bound(struct warehouse *self, int result, struct error *error)
{
    if (result == SQLITE_NOMEM)
        memory_fail();
    return result == SQLITE_OK || warehouse_error(self, error);
}

static bool bind_functions(struct warehouse *self, struct error *error)
{
    return is_bound(self, functions_register(self->db, self->context), error);
}

static bool bind_provider(struct warehouse *self, struct error *error)
{
    self->hides_views = true;
    return is_bound(self, provider_bind(self->db), error);
}

/* The file may be a stranger's: none of its triggers run, and nothing is attached but by
 * warehouse_attach. */
static void run_nothing_of_the_file(sqlite3 *db)
{
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

static int took_long(void *self)
{
    return clock_thread_seconds() - ((const struct warehouse *)self)->reading_since > 0.5;
}

/* With a schema SQLite reads the tables sqlite_stat1 and so on, whose columns may be a stranger's
 * expressions. Texts and time are bounded while it does. */
static void bound_reading(struct warehouse *self, bool is_bounded)
{
    enum { TEXT_MAX = 4 << 20, STEPS = 100 };
    self->reading_since = clock_thread_seconds();
    sqlite3_limit(self->db, SQLITE_LIMIT_LENGTH, is_bounded ? TEXT_MAX : INT_MAX);
    if (is_bounded)
        sqlite3_progress_handler(self->db, STEPS, took_long, self);
    else
        bounds_set(self->db, self->context, self->context->bounds);
}

static bool open_file(struct warehouse *self, int flags, int wait_ms, struct error *error)
{
    const char *file = self->copy.count ? self->copy.items
                       : self->building ? self->building
                                        : self->path;
    int result = sqlite3_open_v2(file, &self->db, SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (!self->db)
        memory_fail();
    if (result != SQLITE_OK)
        return warehouse_error(self, error);
    sqlite3_busy_timeout(self->db, wait_ms);
    bound_reading(self, true);
    if (flags == SQLITE_OPEN_READWRITE && !recovery_is_safe(self->db, self->path, error))
        return false;
    if (!warehouse_run(self, settings_of_connection, error) ||
        !warehouse_run(self, is_large(file) ? temporary_in_files : temporary_in_memory, error) ||
        (self->building && !warehouse_run(self, settings_of_building, error)))
        return false;
    bound_reading(self, false);
    sqlite3_db_config(self->db, SQLITE_DBCONFIG_DEFENSIVE, !self->building, NULL);
    run_nothing_of_the_file(self->db);
    return bind_functions(self, error);
}

static bool open_to_write(struct warehouse *self, int wait_ms, struct error *error)
{
    return open_file(self, SQLITE_OPEN_READWRITE, wait_ms, error) &&
           schema_check(self->db, self->path, error) &&
           opening_check(self->db, "main", self->path, error) && bind_provider(self, error) &&
           (views_remake(self->db, false, error) || error_context(error, "%s", self->path)) &&
           schema_watch(self->db, error);
}

/* Opens a copy in which what a dead process left is undone. Nothing has a name of it any more once
 * it is open. */
static bool open_undone(struct warehouse *self, int wait_ms, struct error *error)
{
    /* Copies the file of a connection and its journal into a new folder; `copy` is the file's name.
     */
    struct text *copy = &self->copy;
    struct text journal = {0};
    const char *from = sqlite3_db_filename(self->db, "main");
    errno = 0;

    /* In a folder that nobody else can enter. */
    bool done;
    const char *folder = getenv("TMPDIR");
    text_format(copy, "%s/tpq-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(copy->items))
        done = false;
    else {
        text_add_string(copy, "/copy.db");
        done = true;
    }
    if (done) {
        text_format(&journal, "%s-journal", copy->items);
        done = copy_file(from, copy->items) &&
               copy_file(sqlite3_filename_journal(from), journal.items);
    }
    if (!done)
        error_set(error, STATUS_DATABASE,
                  "%s: a process died while it wrote; undoing that in a copy in $TMPDIR failed: %s",
                  self->path, strerror(errno ? errno : ENOMEM));
    text_free(&journal);
    static const int ways[] = {SQLITE_OPEN_READWRITE, SQLITE_OPEN_READONLY};
    for (size_t i = 0; i < sizeof ways / sizeof *ways && done; i++) {
        close_database(self);
        done = (open_file(self, ways[i], wait_ms, error) &&
                schema_check(self->db, self->path, error)) ||
               error_context(error, "a process died while it wrote, and a copy does not undo it");
    }
    recovery_forget(&self->copy);
    self->is_copy = true;
    return done;
}

static bool open_to_read(struct warehouse *self, enum warehouse_mode mode, int wait_ms,
                         struct error *error)
{
    bool done = open_file(self, SQLITE_OPEN_READONLY, wait_ms, error) &&
                schema_check(self->db, self->path, error) &&
                warehouse_ask(self, "PRAGMA data_version", 0, &self->version, error);
    bool is_left_over = !done && sqlite3_extended_errcode(self->db) == SQLITE_READONLY_ROLLBACK;
    if (!done && !(is_left_over && open_undone(self, wait_ms, error)))
        return false;
    return mode == WAREHOUSE_CHECK ||
           (opening_check(self->db, "main", self->path, error) && bind_provider(self, error) &&
            (views_remake(self->db, true, error) || error_context(error, "%s", self->path)));
}

/* Where a new file is to be: a link may lead to a place where nothing is yet. */
static char *follow_links(const char *path)
{
    enum { LINKS_MAX = 40 }; /* as many as the system follows */
    char *place = memory_text(path);
    char target[PATH_MAX];
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t length = readlink(place, target, sizeof target - 1);
        if (length < 0)
            break;
        target[length] = '\0';
        struct text next = {0};
        if (target[0] == '/')
            text_add_string(&next, target);
        else
            text_format(&next, "%s/%s", dirname(place), target);
        memory_free(place);
        place = next.items;
    }
    return place;
}

/* An empty warehouse without a file. */
static bool open_in_memory(struct warehouse *self, struct error *error)
{
    int result =
        sqlite3_open_v2(":memory:", &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!self->db)
        memory_fail();
    if (result != SQLITE_OK)
        return warehouse_error(self, error);
    unsigned char *copy = sqlite3_malloc64(image_size);
    if (!copy)
        memory_fail();
    memcpy(copy, image_bytes, image_size);
    sqlite3_int64 no_limit = INT64_MAX;
    if (sqlite3_deserialize(
            self->db, "main", copy, (sqlite3_int64)image_size, (sqlite3_int64)image_size,
            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK ||
        sqlite3_file_control(self->db, "main", SQLITE_FCNTL_SIZE_LIMIT, &no_limit) != SQLITE_OK)
        return warehouse_error(self, error);
    run_nothing_of_the_file(self->db);
    return warehouse_run(self, settings_of_connection, error) &&
           warehouse_run(self, temporary_in_memory, error) && bind_functions(self, error) &&
           bind_provider(self, error);
}

bool warehouse_show_views(struct warehouse *self, struct error *error)
{
    if (!self->hides_views)
        return true;
    self->hides_views = false;
    warehouse_guard_text(self, TEXT_OWN);
    return views_write_here(self->db, error);
}

static void (*guard_of_all)(sqlite3 *db),
    (*guard_of_texts)(struct warehouse *, enum warehouse_text);

void warehouse_guard(void (*guard)(sqlite3 *db),
                     void (*texts)(struct warehouse *, enum warehouse_text))
{
    guard_of_all = guard;
    guard_of_texts = texts;
}

void warehouse_guard_text(struct warehouse *self, enum warehouse_text text)
{
    if (guard_of_texts)
        guard_of_texts(self, text);
}

bool warehouse_is_guarded(void)
{
    return guard_of_all != NULL;
}

static void close_lost(void *warehouse)
{
    struct warehouse *self = warehouse;
    if (self->end_rollups)
        self->end_rollups(self, true);
    warehouse_close(self);
}

bool warehouse_open(struct warehouse *self, const char *path, enum warehouse_mode mode, int wait_ms,
                    struct error *error)
{
    *self = (struct warehouse){.building_lock = -1, .mode = mode};
    memory_at_end(close_lost, self);
    self->path = mode == WAREHOUSE_BUILD ? follow_links(path) : memory_text(path);
    self->context = context_new();
    memory_forget(self->context); /* it is closed with the rest */
    bool done = true, is_new = mode == WAREHOUSE_BUILD || mode == WAREHOUSE_MEMORY;
    if (!is_new && !warehouse_exists(path))
        done = error_set(error, STATUS_USAGE,
                         "%s: no such warehouse; tpq ingest TRACE... makes one", path);
    if (done && !is_new) {
        struct stat status;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            done = error_set(error, STATUS_USAGE, "%s: a directory, not a database", path);
    }
    if (done && mode == WAREHOUSE_MEMORY)
        done = open_in_memory(self, error);
    else if (done && (mode == WAREHOUSE_READ || mode == WAREHOUSE_CHECK))
        done = open_to_read(self, mode, wait_ms, error);
    else if (done && mode == WAREHOUSE_WRITE)
        done = open_to_write(self, wait_ms, error);
    else if (done)
        done =
            start_building(self, error) && open_file(self, SQLITE_OPEN_READWRITE, wait_ms, error);
    if (done) {
        self->context->trusts_rows = opening_trusts();
        self->context->hides_places = warehouse_is_guarded();
    }
    if (done && (mode == WAREHOUSE_READ || mode == WAREHOUSE_MEMORY)) {
        statements_keep(self->context);
        if (guard_of_all && mode == WAREHOUSE_READ)
            done = warehouse_run(self, "PRAGMA query_only = 1", error);
        if (guard_of_all)
            guard_of_all(self->db);
    }
    if (!done)
        warehouse_close(self);
    return done;
}

void warehouse_close(struct warehouse *self)
{
    memory_forget(self);
    if (self->end_rollups)
        self->end_rollups(self, false);
    if (self->context)
        statements_drop(self->context);
    close_database(self);
    if (self->copy.count)
        recovery_forget(&self->copy);
    if (self->building)
        unlink(self->building);
    if (self->building_lock >= 0)
        close(self->building_lock);
    context_release(self->context);
    memory_free(self->building);
    memory_free(self->path);
    *self = (struct warehouse){.building_lock = -1};
}

/* ------------------------------------------------------------------ statements */

bool warehouse_run(struct warehouse *self, const char *sql, struct error *error)
{
    return database_run(self->db, sql) == SQLITE_OK || warehouse_error(self, error);
}

bool warehouse_roll_back(struct warehouse *self, const char *sql, struct error *error)
{
    statements_forget(self->context);
    return warehouse_run(self, sql, error);
}

bool warehouse_attach(struct warehouse *self, const char *sql, struct error *error)
{
    bool is_attach = text_starts_with(sql, "ATTACH"); /* else it may take its time */
    sqlite3_limit(self->db, SQLITE_LIMIT_ATTACHED, ATTACHED_MAX);
    if (is_attach)
        bound_reading(self, true);
    bool done = warehouse_run(self, sql, error);
    if (is_attach)
        bound_reading(self, false);
    sqlite3_limit(self->db, SQLITE_LIMIT_ATTACHED, 0);
    return done;
}

sqlite3_stmt *warehouse_prepare(struct warehouse *self, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (database_prepare(self->db, sql, &statement, NULL) != SQLITE_OK)
        warehouse_error(self, error);
    return statement;
}

bool warehouse_ask(struct warehouse *self, const char *sql, int64_t id, int64_t *answer,
                   struct error *error)
{
    return database_ask(self->db, sql, id, answer) == SQLITE_OK || warehouse_error(self, error);
}

bool warehouse_ask_about(struct warehouse *self, const char *sql, const char *text, int64_t *answer,
                         struct error *error)
{
    struct asked asked;
    ASK(&asked, self->db, sql, text);
    ASKED_ROW(&asked, answer);
    return asked_done(&asked, self->path, error);
}
