/* configuration: ranks are read from names by the pattern; files are gathered by directory, then
 * put in order and checked for gaps. */
#include "ingest/configuration.h"

#include "src/base/file.h"
#include "src/base/order.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

struct finder {
    const struct configuration_search *search;
    configuration_list *list;
    struct text *warnings;
    struct error *error;
    char *root;   /* absolute path of the base */
    size_t first; /* configuration below it */
};

const char *configuration_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

__attribute__((format(printf, 2, 3))) static void warn(struct finder *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat(self->warnings, format, arguments);
    text_add_byte(self->warnings, '\n');
    va_end(arguments);
}

/* ------------------------------------------------------------------ names */

/* The number behind the first place of the pattern that has one; -1 when there is none. */
static int64_t rank_of(const char *name, const char *pattern)
{
    enum { DIGITS_MAX = 9 };
    size_t length = strlen(pattern);
    for (const char *at = strstr(name, pattern); at; at = *at ? strstr(at + 1, pattern) : NULL) {
        size_t digits = strspn(at + length, "0123456789");
        if (digits > 0 && digits <= DIGITS_MAX)
            return strtoll(at + length, NULL, 10);
    }
    return -1;
}

/* A filter for one rank that stands before further digits took another rank. */
static bool takes_longer(const char *filter, const char *pattern, const char *name)
{
    size_t length = strlen(pattern), digits = strlen(filter) > length ? strlen(filter) - length : 0;
    const char *at = strstr(name, filter);
    return digits && strncmp(filter, pattern, length) == 0 &&
           strspn(filter + length, "0123456789") == digits && at &&
           strspn(at + strlen(filter), "0123456789") > 0;
}

/* ------------------------------------------------------------------ gathering */

static struct configuration *configuration_of(struct finder *self, const char *directory,
                                              size_t length)
{
    configuration_list *list = self->list;
    /* the files of a directory come together */
    struct configuration *last = list->count > self->first ? &list->items[list->count - 1] : NULL;
    if (last && strlen(last->directory) == length &&
        strncmp(last->directory, directory, length) == 0)
        return last;
    array_add(list, (struct configuration){.directory = memory_part(directory, length)});
    return &list->items[list->count - 1];
}

/* `path` as the user would write it, `relative` what stands of it behind the base. */
static void take_file(struct finder *self, const char *path, const char *relative, int64_t bytes)
{
    const char *name = configuration_file_name(path);
    const char *extension = self->search->extension;
    size_t length = strlen(name), tail = strlen(extension);
    if (length <= tail + 1 || name[length - tail - 1] != '.' ||
        strcmp(name + length - tail, extension) != 0)
        return;
    const char *const *filters = self->search->filters;
    for (; *filters; filters++)
        if (!strstr(path, *filters))
            return;
    struct text absolute = {0};
    text_format(&absolute, "%s/%s", strcmp(self->root, "/") == 0 ? "" : self->root, relative);
    length = (size_t)(strrchr(absolute.items, '/') - absolute.items);
    struct configuration *configuration =
        configuration_of(self, length ? absolute.items : "/", length ? length : 1);
    text_free(&absolute);
    int64_t rank = rank_of(name, self->search->pattern);
    if (rank < 0) {
        warn(self, "%s: its name has no rank behind \"%s\" (passed over)", path,
             self->search->pattern);
        return;
    }
    array_add(
        &configuration->inputs,
        (struct input){
            .path = memory_text(path), .bytes = bytes, .host = -1, .has_rank = true, .rank = rank});
}

static int compare_entries(const FTSENT **left, const FTSENT **right)
{
    bool is_directory = (*left)->fts_info == FTS_D, other = (*right)->fts_info == FTS_D;
    if (is_directory != other) /* files first: those of a directory come together */
        return is_directory ? 1 : -1;
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static bool find_below(struct finder *self, const char *base)
{
    memory_free(self->root);
    struct stat status;
    self->root = *base ? file_real_path(base) : NULL;
    if (!self->root)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: %s", *base ? base : "-b",
                         *base ? strerror(errno) : "names no directory");
    if (!((stat(self->root, &status) == 0 && S_ISDIR(status.st_mode)) ||
          error_set(self->error, STATUS_BAD_INPUT, "%s: is no directory", base)))
        return false;
    char *copy = memory_text(base);
    char *const roots[] = {copy, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_entries);
    if (!tree)
        memory_fail();
    bool done = true;
    size_t before = 0;
    while (done) {
        errno = 0;
        FTSENT *entry = fts_read(tree);
        if (!entry) {
            done = errno == 0 ||
                   error_set(self->error, STATUS_BAD_INPUT, "%s: %s", base, strerror(errno));
            break;
        }
        bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (entry->fts_level == 0)
            before = strlen(entry->fts_path) - (base[strlen(base) - 1] == '/');
        if (entry->fts_info == FTS_D && is_hidden)
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_DNR)
            warn(self, "%s: %s (passed over)", entry->fts_path, strerror(entry->fts_errno));
        else if (!is_hidden && (entry->fts_info == FTS_F || entry->fts_info == FTS_SLNONE))
            take_file(self, entry->fts_path, entry->fts_path + before + 1,
                      entry->fts_info == FTS_F ? entry->fts_statp->st_size : 0);
    }
    fts_close(tree);
    memory_free(copy);
    return done;
}

/* NAME=DIRECTORY: all that is found below it is one configuration. */
static bool find_explicit(struct finder *self, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return error_set(self->error, STATUS_USAGE,
                         "tpq report: --config '%s' is not NAME=DIRECTORY", word);
    size_t first = self->first = self->list->count;
    if (!find_below(self, equals + 1))
        return false;
    if (self->list->count > first + 1)
        return error_set(
            self->error, STATUS_BAD_INPUT, "%s: has traces in several directories, %s and %s",
            equals + 1, self->list->items[first].directory, self->list->items[first + 1].directory);
    if (self->list->count == first)
        return true;
    struct configuration *found = &self->list->items[first];
    found->name = memory_part(word, (size_t)(equals - word));
    found->stem = memory_text(found->name);
    return true;
}

/* ------------------------------------------------------------------ order and checks */

ORDER_BY(compare_inputs, struct input, UP(rank) || WORDS(path));

ORDER_BY(compare_configurations, struct configuration, WORDS(directory));

/* Ranks below the greatest that are not there; a single file is a choice, not a gap. */
static void warn_of_gaps(struct finder *self, const struct configuration *configuration)
{
    const input_list *inputs = &configuration->inputs;
    struct text gaps = {0};
    int64_t expected = 0;
    for (size_t i = 0; i < inputs->count && inputs->count > 1; i++) {
        int64_t rank = inputs->items[i].rank;
        const char *comma = gaps.count ? ", " : "";
        if (rank == expected + 1)
            text_format(&gaps, "%s%lld", comma, (long long)expected);
        else if (rank > expected + 1)
            text_format(&gaps, "%s%lld-%lld", comma, (long long)expected, (long long)rank - 1);
        expected = rank + 1;
    }
    if (gaps.count)
        warn(self, "%s: no trace of rank %s", configuration->directory, gaps.items);
    text_free(&gaps);
}

/* Makes a configuration of each rank. */
static void part_by_rank(configuration_list *list)
{
    configuration_list parts = {0};
    for (size_t i = 0; i < list->count; i++) {
        struct configuration *whole = &list->items[i];
        for (size_t j = 0; j < whole->inputs.count; j++) {
            struct input *input = &whole->inputs.items[j];
            if (j == 0 || input->rank != whole->inputs.items[j - 1].rank) {
                struct text stem = {0};
                text_format(&stem, "%s_rank_%lld", whole->stem, (long long)input->rank);
                array_add(&parts, (struct configuration){.directory = memory_text(whole->directory),
                                                         .name = memory_text(whole->name),
                                                         .stem = stem.items});
            }
            array_add(&parts.items[parts.count - 1].inputs, *input);
            input->path = NULL; /* it was moved */
        }
    }
    configuration_free(list);
    *list = parts;
}

static void free_one(struct configuration *self)
{
    memory_free(self->directory);
    memory_free(self->name);
    memory_free(self->stem);
    discover_free(&self->inputs);
}

/* Directories all whose files were skipped are none. */
static void drop_empty(configuration_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].inputs.count)
            list->items[kept++] = list->items[i];
        else
            free_one(&list->items[i]);
    }
    list->count = kept;
}

static bool put_in_order(struct finder *self)
{
    configuration_list *list = self->list;
    drop_empty(list);
    if (list->count == 0)
        return error_set(self->error, STATUS_BAD_INPUT,
                         "No %s files found, check filters and filepaths", self->search->extension);
    array_sort(list, compare_configurations);
    for (size_t i = 0; i < list->count; i++) {
        struct configuration *configuration = &list->items[i];
        array_sort(&configuration->inputs, compare_inputs);
        const input_list *inputs = &configuration->inputs;
        for (size_t k = 1; k < inputs->count && !self->search->allow_duplicates; k++)
            if (inputs->items[k].rank == inputs->items[k - 1].rank)
                return error_set(
                    self->error, STATUS_BAD_INPUT,
                    "duplicate rank %lld in %s (%s and %s): use -f to select one step, or "
                    "--allow-duplicate-ranks",
                    (long long)inputs->items[k].rank, configuration->directory,
                    configuration_file_name(inputs->items[k - 1].path),
                    configuration_file_name(inputs->items[k].path));
        warn_of_gaps(self, configuration);

        /* The last part of the directory; all of it where two have the same. */
        const char *last = configuration_file_name(configuration->directory);
        size_t alike = 0;
        for (size_t j = 0; j < list->count; j++)
            alike += strcmp(configuration_file_name(list->items[j].directory), last) == 0;
        if (!configuration->stem)
            configuration->stem = memory_text(last);
        if (!configuration->name)
            configuration->name =
                memory_text(alike > 1 || !*last ? configuration->directory : last);
    }

    /* Warns of filters for one rank that take further ranks. */
    for (const char *const *filter = self->search->filters; *filter; filter++) {
        for (size_t i = 0; i < self->list->count; i++) {
            const input_list *inputs = &self->list->items[i].inputs;
            for (size_t j = 0; j < inputs->count; j++) {
                const char *name = configuration_file_name(inputs->items[j].path);
                if (!takes_longer(*filter, self->search->pattern, name))
                    continue;
                warn(self, "the filter %s also takes %s", *filter, inputs->items[j].path);
                i = self->list->count - 1; /* once is enough */
                break;
            }
        }
    }
    if (self->search->by_rank)
        part_by_rank(list);
    return true;
}

bool configuration_find(const struct configuration_search *search, configuration_list *list,
                        struct text *warnings, struct error *error)
{
    struct finder self = {.search = search, .list = list, .warnings = warnings, .error = error};
    bool done = true;
    if (search->explicit && *search->explicit)
        for (const char *const *word = search->explicit; *word && done; word++)
            done = find_explicit(&self, *word);
    else
        done = find_below(&self, search->base);
    done = done && put_in_order(&self);
    memory_free(self.root);
    return done;
}

void configuration_free(configuration_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_one(&list->items[i]);
    array_free(list);
}

void configuration_add_output(const struct configuration *self,
                              const struct configuration_search *search, const char *ending,
                              struct text *path)
{
    text_format(path, "%s/", strcmp(self->directory, "/") == 0 ? "" : self->directory);
    size_t from = path->count;
    text_add_string(path, self->stem);
    for (const char *const *filter = search->filters; *filter; filter++)
        text_format(path, "_%s", *filter);
    text_format(path, "_%s", ending);
    for (size_t i = from; i < path->count; i++)
        if (strchr("/\\:*?\"<>|", path->items[i]))
            path->items[i] = '_';
}
