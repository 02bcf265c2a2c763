/* run_per: inputs with the same key are one run. The key of a file is its path without the rank and
 * endings, that of a directory its path; with a pattern it is the name of the run. */
#include "ingest/run_per.h"

#include "src/base/file.h"
#include "src/base/intern.h"
#include "src/base/order.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct finder {
    pcre2_code *code; /* of a pattern; NULL: each file or directory is a run */
    pcre2_match_data *match;
    int group; /* that names the run */
    struct rank_pattern *ranks;
    bool by_file;
};

/* The key of an input; empty: the pattern does not match. */
static void find_key(const struct finder *self, const char *path, struct text *key)
{
    if (self->code) {
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(self->match) + 2 * self->group;
        if (pcre2_match(self->code, (PCRE2_SPTR)path, strlen(path), 0, 0, self->match, NULL) > 0 &&
            ends[0] != PCRE2_UNSET && ends[0] < ends[1])
            text_add(key, path + ends[0], ends[1] - ends[0]);
        return;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *given = name > path ? memory_part(path, (size_t)(name - path)) : memory_text(".");
    char *real = file_real_path(given);
    text_format(key, "%s%s", real ? real : given, self->by_file ? "/" : "");
    if (self->by_file) {
        rank_pattern_cut(self->ranks, name, key);
        discover_cut_endings(key->items);
        key->count = strlen(key->items);
    }
    memory_free(real);
    memory_free(given);
}

/* Labels of a run: what the other named groups have matched in a path. */
static void add_group_labels(const struct finder *self, const char *path, name_list *labels)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(self->match);
    uint32_t count = 0, size = 0;
    PCRE2_SPTR entry = NULL; /* two bytes with the number of a group, and its name */
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(self->code, PCRE2_INFO_NAMETABLE, &entry);
    for (uint32_t i = 0; i < count; i++, entry += size) {
        int group = entry[0] << 8 | entry[1];
        size_t from = ends[2 * group], to = ends[2 * group + 1];
        struct text label = {0};
        if (group == self->group || from == PCRE2_UNSET || from >= to)
            continue;
        text_format(&label, "%s=", (const char *)entry + 2);
        text_add(&label, path + from, to - from);
        array_add(labels, label.items);
    }
}

ORDER_BY(compare_names, struct input_run *, BY(strcmp((*a)->name, (*b)->name)));

/* Runs of one name get longer and longer ends of their paths, until these differ. */
static void make_names_differ(input_list *inputs)
{
    ARRAY(struct input_run *) runs = {0};
    for (size_t i = 0; i < inputs->runs.count; i++)
        array_add(&runs, &inputs->runs.items[i]);
    for (bool is_changed = true; is_changed;) {
        bool is_like_next = false;
        is_changed = false;
        array_sort(&runs, compare_names);
        for (size_t i = 0; i < runs.count; i++) {
            struct input_run *run = runs.items[i];
            bool is_alone = !is_like_next;
            is_like_next = i + 1 < runs.count && strcmp(run->name, runs.items[i + 1]->name) == 0;
            if ((is_alone && !is_like_next) || run->end == 0)
                continue;
            for (run->end--; run->end > 0 && run->path[run->end - 1] != '/';)
                run->end--;
            memory_free(run->name);
            run->name = memory_text(run->path + run->end);
            is_changed = true;
        }
    }
    array_free(&runs);
}

bool run_per_find(const char *word, const char *rank_pattern, const char *const *labels,
                  input_list *inputs, struct error *error)
{
    struct finder self = {.by_file = strcmp(word, "file") == 0};
    struct intern keys = {0}; /* their numbers are those of runs, from 1 */
    size_t kept = 0;
    inputs->by_pattern = !self.by_file && strcmp(word, "directory") != 0;
    if (inputs->by_pattern && (self.code = discover_compile("--run-per", word, error))) {
        uint32_t groups = 0;
        int named = pcre2_substring_number_from_name(self.code, (PCRE2_SPTR) "run");
        pcre2_pattern_info(self.code, PCRE2_INFO_CAPTURECOUNT, &groups);
        self.group = named > 0 ? named : groups > 0;
        self.match = pcre2_match_data_create_from_pattern(self.code, NULL);
    }
    bool done = (!inputs->by_pattern || self.match) &&
                (self.ranks = rank_pattern_open(rank_pattern, error));
    for (size_t i = 0; i < inputs->count && done; i++) {
        struct input *input = &inputs->items[i];
        const char *path = input->path + (self.code ? input->below : 0);
        struct text key = {0};
        find_key(&self, path, &key);
        if (!key.count) {
            text_format(&inputs->skipped_paths, "%s: --run-per does not match it", input->path);
            text_add(&inputs->skipped_paths, "", 1);
            if (++inputs->unmatched == inputs->count)
                done = error_set(error, STATUS_BAD_INPUT, "--run-per '%s' matches no path, as %s",
                                 word, path);
            continue; /* the path ends with the memory in use */
        }
        input->run = intern_add(&keys, key.items, key.count) - 1;
        inputs->items[kept++] = *input;
        if (input->run == inputs->runs.count) {
            struct input_run run = {.path = memory_text(key.items)};
            const char *name =
                self.code ? key.items : discover_naming_part(key.items, !self.by_file);
            run.name = memory_text(name);
            run.end = (size_t)(name - key.items) + 1;
            if (self.code)
                add_group_labels(&self, path, &run.labels);
            for (const char *const *label = labels; *label; label++)
                array_add(&run.labels, memory_text(*label));
            array_add(&run.labels, NULL);
            array_add(&inputs->runs, run);
        }
        text_free(&key);
    }
    inputs->count = done ? kept : inputs->count;
    make_names_differ(inputs);
    intern_free(&keys);
    rank_pattern_close(self.ranks);
    pcre2_match_data_free(self.match);
    pcre2_code_free(self.code);
    return done;
}
