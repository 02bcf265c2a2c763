/* discover: names decide first; only where they do not, the beginning of a file does. A file beside
 * another that says the same is left out. */
#include "ingest/discover.h"

#include "ingest/discover.sql.h"
#include "ingest/formats.h"
#include "ingest/input/source.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/file.h"
#include "src/base/intern.h"
#include "src/base/order.h"
#include "src/base/process.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ files */

/* Endings of compressed files. */
static const char *const wrappings[] = {".gz", ".zip", NULL};

/* The length of a name without an ending that it has; 0 = it has not, or is nothing else. */
static size_t without(const char *name, size_t length, const char *ending)
{
    size_t tail = strlen(ending);
    bool has = length > tail && memcmp(name + length - tail, ending, tail) == 0;
    return has ? length - tail : 0;
}

static size_t unwrapped(const char *name)
{
    size_t length = strlen(name), rest = 0;
    for (size_t i = 0; wrappings[i] && !rest; i++)
        rest = without(name, length, wrappings[i]);
    return rest ? rest : length;
}

/* The format whose files have such names; NULL = none. `*is_sure` is whether the name says all. */
static const struct format *format_of_name(const char *name, bool *is_sure)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)); i++) {
        *is_sure = !format->prefix || text_starts_with(name, format->prefix);
        bool is_exported = format->exported && without(name, strlen(name), format->exported);
        char *program = is_exported ? process_find(format->name) : NULL;
        is_exported = program != NULL;
        memory_free(program);
        if (is_exported || without(name, unwrapped(name), format->endings[0]))
            return format;
    }
    return NULL;
}

static bool is_of_format(const char *path, const struct format *format)
{
    struct error ignored = {0};
    const unsigned char *bytes;
    struct source *source = source_open(path, false, NULL, &ignored);
    ptrdiff_t length = source ? source_peek(source, &bytes, SOURCE_PEEK_MAX, &ignored) : -1;
    bool is = length > 0 && format->recognises(bytes, (size_t)length);
    source_close(source);
    return is;
}

static void cut(char *name, const char *const *endings)
{
    for (; *endings; endings++) {
        size_t length = without(name, strlen(name), *endings);
        if (length)
            name[length] = '\0';
    }
}

void discover_cut_endings(char *name)
{
    const struct format *format;
    cut(name, wrappings);
    for (size_t i = 0; (format = format_at(i)); i++)
        cut(name, format->endings);
}

/* `status` of a plain file, else NULL. */
static void add(input_list *inputs, const char *path, const struct stat *status,
                bool from_directory, size_t below)
{
    struct input input = {.path = memory_text(path), .from_directory = from_directory, .host = -1};
    input.below = below;
    if (status) {
        input.bytes = status->st_size;
        input.mtime_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
    }
    array_add(inputs, input);
}

static int compare_names(const FTSENT **left, const FTSENT **right)
{
    return strverscmp((*left)->fts_name, (*right)->fts_name);
}

/* A link to nowhere, too: reading it will say what is wrong. */
static bool is_file(const FTSENT *entry)
{
    return entry->fts_info == FTS_F || entry->fts_info == FTS_SLNONE || entry->fts_info == FTS_NS;
}

/* The length of a path without its last part. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* True if a file is there: a path as far as `length`, and an ending, as it is or compressed. */
static bool is_there(const char *path, size_t length, const char *ending)
{
    bool found = false;
    for (size_t i = 0; i < sizeof wrappings / sizeof *wrappings && !found; i++) {
        struct text name = {0};
        text_format(&name, "%.*s%s%s", (int)length, path, ending, wrappings[i] ? wrappings[i] : "");
        found = access(name.items, F_OK) == 0;
        text_free(&name);
    }
    return found;
}

/* True if a file says the same as another one that lies beside it: HOST.trace.json.gz beside
 * HOST.xplane.pb. */
static bool repeats_another(const char *path)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)); i++)
        for (size_t j = 0; format->copies && format->copies[j]; j++) {
            size_t length = without(path, unwrapped(path), format->copies[j]);
            if (length && is_there(path, length, format->endings[0]))
                return true;
        }
    return false;
}

/* Numbers the hosts of each directory. Files of one directory follow each other. */
static void number_hosts(input_list *inputs, size_t first)
{
    const char *last = NULL;
    int64_t hosts = 0;
    for (size_t i = first; i < inputs->count; i++) {
        const char *path = inputs->items[i].path;
        size_t length = directory_length(path);
        bool is_sure;
        const struct format *format = format_of_name(path + length, &is_sure);
        if (!format || !format->is_per_host)
            continue;
        bool is_same = last && directory_length(last) == length && strncmp(path, last, length) == 0;
        hosts = is_same ? hosts + 1 : 0;
        inputs->items[i].host = hosts;
        last = path;
    }
}

static bool is_trace(const FTSENT *entry)
{
    bool is_sure;
    const struct format *format = format_of_name(entry->fts_name, &is_sure);
    return format && !repeats_another(entry->fts_path) &&
           (is_sure || is_of_format(entry->fts_path, format));
}

/* True if the name of a file, or of a directory on the way to it, begins with a dot. */
static bool is_hidden(const FTSENT *entry)
{
    for (; entry && entry->fts_level > FTS_ROOTLEVEL; entry = entry->fts_parent)
        if (entry->fts_name[0] == '.')
            return true;
    return false;
}

/* Why something below a directory is no trace, where its name does not say it; NULL = it does. A
 * directory is no reason: what is in it counts. */
static const char *reason_of(const FTSENT *entry)
{
    switch (entry->fts_info) {
    case FTS_F:
    case FTS_SLNONE:
    case FTS_NS:
        return repeats_another(entry->fts_path) ? "the same as beside it" : NULL;
    case FTS_DC:
        return "a link in a circle";
    case FTS_ERR:
        return strerror(entry->fts_errno);
    default:
        return S_ISFIFO(entry->fts_statp->st_mode)   ? "a pipe"
               : S_ISSOCK(entry->fts_statp->st_mode) ? "a socket"
                                                     : "a device";
    }
}

static bool is_directory(const FTSENT *entry)
{
    return entry->fts_info == FTS_D || entry->fts_info == FTS_DP || entry->fts_info == FTS_DOT;
}

static void skip(input_list *inputs, const FTSENT *entry)
{
    if (is_hidden(entry))
        return;
    const char *reason = reason_of(entry);
    inputs->skipped++;
    text_format(&inputs->skipped_paths, "%s: %s%c", entry->fts_path,
                reason ? reason : "not called like a trace", 0);
}

/* Paths that match a pattern, in the order of names; none when it is the name of a file, too, or
 * matches nothing. To be freed. */
static void expand(const char *path, glob_t *found)
{
    *found = (glob_t){0};
    if (strpbrk(path, "*?[") && access(path, F_OK) != 0 &&
        glob(path, 0, NULL, found) == GLOB_NOSPACE)
        memory_fail();
}

static FTS *open_walk(const char *path)
{
    FTS *walk = fts_open((char *const[]){(char *)(uintptr_t)path, NULL}, FTS_LOGICAL | FTS_NOCHDIR,
                         compare_names);
    if (!walk)
        memory_fail();
    return walk;
}

static bool add_path(input_list *inputs, const char *path, struct error *error)
{
    struct stat status = {0};
    bool known = strcmp(path, "-") != 0 && stat(path, &status) == 0;
    if (known && S_ISDIR(status.st_mode)) {
        FTS *walk = open_walk(path);
        size_t before = inputs->count;
        for (FTSENT *entry; (entry = fts_read(walk));) {
            /* a directory that lets nobody in fails like a file when it is its turn */
            if (entry->fts_info == FTS_DNR || (is_file(entry) && is_trace(entry)))
                add(inputs, entry->fts_path, entry->fts_info == FTS_F ? entry->fts_statp : NULL,
                    true, strlen(path) + !text_ends_with(path, "/"));
            else if (!is_directory(entry))
                skip(inputs, entry);
        }
        fts_close(walk);
        number_hosts(inputs, before);
        if (inputs->count > before)
            return true;

        /* Says what was looked for, and found instead. */
        const struct format *format;
        struct text names = {0};
        for (size_t i = 0; (format = format_at(i)); i++)
            text_format(&names, "%s*%s", i ? ", " : "", format->endings[0]);
        text_add_string(&names, ", also compressed)");
        if (inputs->skipped)
            text_format(&names, "; skipped %zu file%s", inputs->skipped,
                        inputs->skipped == 1 ? "" : "s");

        error_set(error, STATUS_BAD_INPUT, "%s: no traces below this directory (looked for %s",
                  path, names.items);
        text_free(&names);
        return false;
    }
    add(inputs, path, S_ISREG(status.st_mode) ? &status : NULL, false, 0);
    return true;
}

/* Files below a directory whose paths match a pattern with any number of directories in it. */
static void add_deep(input_list *inputs, const char *pattern)
{
    struct text flat = {0};
    for (const char *at = pattern; *at; at++)
        if (strncmp(at, "**/", 3) == 0) {
            text_add_byte(&flat, '*');
            at += 2;
        } else
            text_add_byte(&flat, *at);
    size_t fixed = strcspn(pattern, "*?[");
    while (fixed && pattern[fixed - 1] != '/')
        fixed--;
    char *root = fixed ? memory_part(pattern, fixed) : memory_text(".");
    FTS *walk = open_walk(root);
    for (FTSENT *entry; (entry = fts_read(walk));) {
        const char *path = entry->fts_path + (fixed ? 0 : 2);
        if (is_file(entry) && fnmatch(flat.items, path, 0) == 0)
            add(inputs, path, entry->fts_info == FTS_F ? entry->fts_statp : NULL, false, 0);
    }
    fts_close(walk);
    memory_free(root);
    text_free(&flat);
}

bool discover_inputs(const char *const *paths, size_t count, input_list *inputs,
                     struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        size_t before = inputs->count;
        if (strstr(paths[i], "**/") && access(paths[i], F_OK) != 0)
            add_deep(inputs, paths[i]);
        if (inputs->count > before)
            continue;
        glob_t found;
        expand(paths[i], &found);
        for (size_t j = 0; j < found.gl_pathc && done; j++)
            done = add_path(inputs, found.gl_pathv[j], error);
        if (done && !found.gl_pathc)
            done = add_path(inputs, paths[i], error);
        globfree(&found);
    }
    return done;
}

void discover_free(input_list *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        memory_free(inputs->items[i].path);
    array_free(inputs);
    text_free(&inputs->skipped_paths);
    inputs->skipped = 0;
    for (size_t i = 0; i < inputs->runs.count; i++) {
        memory_free(inputs->runs.items[i].path);
        memory_free(inputs->runs.items[i].name);
        name_list_free(&inputs->runs.items[i].labels);
    }
    array_free(&inputs->runs);
}

int64_t discover_bytes(const input_list *inputs)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < inputs->count; i++)
        bytes += inputs->items[i].bytes;
    return bytes;
}

/* Many files are called so. */
static bool is_plain(const char *name)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)); i++)
        for (size_t j = 0; format->plain_names && format->plain_names[j]; j++)
            if (strcmp(name, format->plain_names[j]) == 0)
                return true;
    return false;
}

/* Cuts a path to what names its run, and gives the last part. */
static char *naming_part(char *path, bool is_directory)
{
    if (!is_directory)
        discover_cut_endings(path);
    char *last = path + directory_length(path);
    while (!is_directory && (!*last || is_plain(last)) && last > path + 1) {
        last[-1] = '\0';
        last = path + directory_length(path);
    }
    return *last ? last : path;
}

char *discover_run_name(const char *const *paths, size_t count)
{
    struct stat status;
    glob_t found;
    if (count == 0 || strcmp(paths[0], "-") == 0)
        return memory_text("stdin");
    expand(paths[0], &found);
    const char *first = found.gl_pathc ? found.gl_pathv[0] : paths[0];
    char *path = file_real_path(first); /* "." has a name, too */
    if (!path)
        path = memory_text(first);
    globfree(&found);
    bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    char *name = memory_text(naming_part(path, is_directory));
    memory_free(path);
    return name;
}

/* ------------------------------------------------------------------ ranks */

struct rank_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    int group; /* of that name, else the first one, else the match */
};

static const char usual_pattern[] = "rank[\\[\\-_/]?(?<rank>\\d+)]?";

static struct rank_pattern *open_pattern(const char *what, const char *pattern, const char *group,
                                         struct error *error)
{
    struct rank_pattern *self = memory_zeroed(1, sizeof *self);
    int number;
    PCRE2_SIZE place;
    uint32_t groups = 0;
    self->code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &number, &place, NULL);
    if (!self->code) {
        unsigned char reason[128];
        pcre2_get_error_message(number, reason, sizeof reason);
        error_set(error, STATUS_USAGE, "%s '%s': %s at character %d", what, pattern, reason,
                  (int)place + 1);
        memory_free(self);
        return NULL;
    }
    self->match = pcre2_match_data_create_from_pattern(self->code, NULL);
    if (!self->match) {
        rank_pattern_close(self);
        memory_fail();
    }
    int named = pcre2_substring_number_from_name(self->code, (PCRE2_SPTR)group);
    pcre2_pattern_info(self->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    self->group = named > 0 ? named : groups > 0;
    return self;
}

struct rank_pattern *rank_pattern_open(const char *pattern, struct error *error)
{
    struct rank_pattern *self =
        open_pattern("rank pattern", pattern ? pattern : usual_pattern, "rank", error);
    if (self && !self->group) {
        struct text wider = {0};
        text_format(&wider, "(?:%s)(\\d+)", pattern);
        rank_pattern_close(self);
        self = open_pattern("rank pattern", wider.items, "rank", error);
        text_free(&wider);
    }
    return self;
}

void rank_pattern_close(struct rank_pattern *self)
{
    if (!self)
        return;
    pcre2_match_data_free(self->match);
    pcre2_code_free(self->code);
    memory_free(self);
}

/* As pcre2_match: above 0 where it matches. */
static int match_text(const struct rank_pattern *self, const char *text)
{
    return pcre2_match(self->code, (PCRE2_SPTR)text, strlen(text), 0, 0, self->match, NULL);
}

static int64_t find_in(const struct rank_pattern *self, const char *text)
{
    if (match_text(self, text) < 0)
        return -1;
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(self->match) + 2 * self->group;
    if (ends[0] == PCRE2_UNSET || ends[1] - ends[0] == 0 || ends[1] - ends[0] > 9)
        return -1;
    int64_t rank = 0;
    for (PCRE2_SIZE i = ends[0]; i < ends[1]; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        rank = rank * 10 + (text[i] - '0');
    }
    return rank;
}

int64_t rank_pattern_find(const struct rank_pattern *self, const char *path)
{
    const char *slash = strrchr(path, '/');
    int64_t rank = find_in(self, slash ? slash + 1 : path);
    return rank >= 0 || !slash ? rank : find_in(self, path);
}

/* ------------------------------------------------------------------ runs */

/* Appends the name of a file without what the pattern matches and the _, - or . before it. */
static void add_without_rank(const struct rank_pattern *self, const char *name, struct text *out)
{
    size_t from = strlen(name), to = from;
    if (find_in(self, name) >= 0) {
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(self->match);
        const PCRE2_SIZE *group = ends + 2 * self->group;
        bool is_all = ends[0] == 0 && strcspn(name, "_-.") + 1 < group[0]; /* not a word for it */
        from = is_all ? group[0] : ends[0];
        to = is_all ? group[1] : ends[1];
        while (from > 0 && strchr("_-.", name[from - 1]))
            from--;
        to += from ? 0 : strspn(name + to, "_-");
    }
    text_add(out, name, from);
    text_add_string(out, name + to);
}

/* The path that says which run a file is of: without the rank and endings, or that of its
 * directory. */
static void add_run_path(const struct rank_pattern *ranks, const char *path, bool by_file,
                         struct text *out)
{
    size_t length = directory_length(path);
    char *given = length ? memory_part(path, length) : memory_text(".");
    char *real = file_real_path(given);
    text_format(out, "%s%s", real ? real : given, by_file ? "/" : "");
    if (by_file) {
        add_without_rank(ranks, path + length, out);
        discover_cut_endings(out->items);
        out->count = strlen(out->items);
    }
    memory_free(real);
    memory_free(given);
}

/* Labels of a run: other named groups that matched. A rank is none: it is of a file. The key gets
 * them, too, each behind a zero. Returns the end of the last group in the path. */
static size_t add_group_labels(const struct rank_pattern *self, const char *path, struct text *key,
                               name_list *labels)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(self->match);
    size_t end = ends[2 * self->group + 1];
    uint32_t count = 0, size = 0;
    PCRE2_SPTR entry = NULL; /* two bytes with the number of a group, and its name */
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMETABLE, &entry);
    for (uint32_t i = 0; i < count; i++, entry += size) {
        int group = entry[0] << 8 | entry[1];
        size_t from = ends[2 * group], to = ends[2 * group + 1];
        struct text label = {0};
        if (group == self->group || from == PCRE2_UNSET || from >= to ||
            strcmp((const char *)entry + 2, "rank") == 0)
            continue;
        end = to > end ? to : end;
        text_format(&label, "%s=", (const char *)entry + 2);
        text_add(&label, path + from, to - from);
        array_add(labels, label.items);
        text_add(key, "", 1);
        text_add_text(key, &label);
    }
    return end;
}

ORDER_BY(compare_run_names, struct input_run *, BY(strcmp((*a)->name, (*b)->name)));

/* Runs of one name get longer and longer ends of their paths, until these differ. */
static void make_names_differ(input_list *inputs)
{
    ARRAY(struct input_run *) runs = {0};
    for (size_t i = 0; i < inputs->runs.count; i++)
        array_add(&runs, &inputs->runs.items[i]);
    for (bool is_changed = true; is_changed;) {
        bool is_like_next = false;
        is_changed = false;
        array_sort(&runs, compare_run_names);
        for (size_t i = 0; i < runs.count; i++) {
            struct input_run *run = runs.items[i];
            bool is_alone = !is_like_next;
            is_like_next = i + 1 < runs.count && strcmp(run->name, runs.items[i + 1]->name) == 0;
            if ((is_alone && !is_like_next) || !run->first)
                continue;
            const char *path = run->end ? run->path : run->first; /* after the whole path */
            run->first = run->end ? run->first : NULL;
            while (run->end > 0 && --run->end > 0 && path[run->end - 1] != '/')
                ;
            memory_free(run->name);
            run->name = memory_text(path + run->end);
            is_changed = true;
        }
    }
    array_free(&runs);
}

/* Groups keep the run that has their files already, so that names do not depend on the call. A run
 * with files of two groups is none of theirs; of a group's runs its own name counts first. */
static bool keep_known_names(const char *database, int wait_ms, input_list *inputs,
                             struct error *error)
{
    struct warehouse warehouse;
    struct text files = {0};
    if (!warehouse_exists(database))
        return true;
    if (!warehouse_open(&warehouse, database, WAREHOUSE_READ, wait_ms, error))
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        char *real = file_real_path(input->path);
        text_format_json(&files, i ? ",[%zu,%s,%s]" : "[[%zu,%s,%s]", input->run,
                         inputs->runs.items[input->run].name, real ? real : input->path);
        memory_free(real);
    }
    text_add_byte(&files, ']');
    sqlite3_stmt *rows = warehouse_prepare(&warehouse, names_known, error);
    bool done = rows != NULL;
    sqlite3_bind_text(rows, 1, files.items, -1, SQLITE_STATIC);
    while (warehouse_next(&warehouse, rows, &done, error)) {
        struct input_run *run = &inputs->runs.items[sqlite3_column_int64(rows, 0)];
        memory_free(run->name);
        run->name = memory_text(database_text(rows, 1));
        run->first = NULL;
    }
    database_finalize(rows);
    warehouse_close(&warehouse);
    text_free(&files);
    return done;
}

bool discover_runs(const char *per, const char *rank_pattern, const char *const *labels,
                   const char *database, int wait_ms, input_list *inputs, struct error *error)
{
    struct intern keys = {0}; /* their numbers are those of runs, from 1 */
    size_t kept = 0;
    bool by_file = strcmp(per, "file") == 0;
    inputs->by_pattern = !by_file && strcmp(per, "directory") != 0;
    struct rank_pattern *pattern = inputs->by_pattern ? open_pattern("--run-per", per, "run", error)
                                                      : rank_pattern_open(rank_pattern, error);
    for (size_t i = 0; i < inputs->count && pattern && !error->status; i++) {
        struct input *input = &inputs->items[i];
        const char *path = input->path + (inputs->by_pattern ? input->below : 0);
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(pattern->match) + 2 * pattern->group;
        struct text key = {0};
        name_list stated = {0};
        int found = inputs->by_pattern ? match_text(pattern, path) : 0;
        if (found < PCRE2_ERROR_NOMATCH)
            error_set(error, STATUS_USAGE, "--run-per '%s' takes too many steps on %s", per, path);
        if (!inputs->by_pattern)
            add_run_path(pattern, path, by_file, &key);
        else if (found > 0 && ends[0] != PCRE2_UNSET && ends[0] < ends[1]) {
            text_add(&key, path + ends[0], ends[1] - ends[0]);
            while (key.count && key.items[key.count - 1] == '/')
                key.items[--key.count] = '\0';
        }
        if (!key.count) {
            text_format(&inputs->skipped_paths, "%s: --run-per does not match it%c", input->path,
                        0);
            inputs->unmatched++;
            continue; /* the path ends with the memory in use */
        }
        size_t end = inputs->by_pattern ? add_group_labels(pattern, path, &key, &stated) : 0;
        input->run = intern_add(&keys, key.items, key.count) - 1;
        inputs->items[kept++] = *input;
        if (input->run == inputs->runs.count) {
            size_t length = end ? end : key.count;
            while (length && (end ? path : key.items)[length - 1] == '/')
                length--;
            struct input_run run = {.path = memory_part(end ? path : key.items, length),
                                    .first = input->path,
                                    .labels = stated};
            const char *name = end ? key.items : naming_part(key.items, !by_file);
            bool is_root = strcmp(name, "/") == 0;
            run.name = memory_text(is_root ? "root" : name);
            run.end = is_root ? 0 : (end ? ends[0] : (size_t)(name - key.items)) + 1;
            stated = (name_list){0};
            for (const char *const *label = labels; *label; label++)
                array_add(&run.labels, memory_text(*label));
            array_add(&run.labels, NULL);
            array_add(&inputs->runs, run);
        }
        name_list_free(&stated);
        text_free(&key);
    }
    if (pattern && !error->status && !kept && inputs->count)
        error_set(error, STATUS_BAD_INPUT, "--run-per '%s' matches no path, such as %s", per,
                  inputs->items[0].path + inputs->items[0].below);
    inputs->count = kept;
    bool done = !error->status && keep_known_names(database, wait_ms, inputs, error);
    make_names_differ(inputs);
    intern_free(&keys);
    rank_pattern_close(pattern);
    return done;
}
