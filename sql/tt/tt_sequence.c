/* tt_sequence: Rows are sorted by time and cut at signposts. Devices become queues, which are
 * merged head by head, or by the calls that ops share. */
#include "sql/tt/tt_sequence.h"

#include "src/base/deviation.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_MAX = 3 }; /* of one kind */

__attribute__((format(printf, 2, 3))) static void tell(struct tt_sequence *self, const char *format,
                                                       ...)
{
    struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&words, format, arguments);
    va_end(arguments);
    array_add(&self->notes, words.items);
}

static bool contains(const struct tt_row *row, const char *word)
{
    return strstr(row->text, word) != NULL;
}

static bool is_host_op(const struct tt_row *row)
{
    return contains(row, "(torch)");
}

/* ------------------------------------------------------------------ order */

/* By time, what has none last; rows of one time stay as they are. */
ORDER_BY(compare_starts, struct tt_row,
         BY_LESS(a->start == TT_NONE, b->start == TT_NONE) || UP(start) || UP(id));

ORDER_BY(compare_orders, struct tt_row, UP(order) || UP(id));

static void sort(tt_rows *rows, int (*compare)(const void *, const void *))
{
    array_sort(rows, compare);
}

/* ------------------------------------------------------------------ signposts */

static bool is_named(const struct tt_row *row, const char *name)
{
    return row->kind == TT_SIGNPOST && strcmp(row->text, name) == 0;
}

static size_t count_named(const tt_rows *rows, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += is_named(&rows->items[i], name);
    return count;
}

/* The place of the n-th signpost with this name, from 1; there are as many. */
static size_t place_named(const tt_rows *rows, const char *name, size_t n)
{
    size_t at = 0;
    while (at < rows->count && !(is_named(&rows->items[at], name) && --n == 0))
        at++;
    return at;
}

/* The one of `count` signposts that an option means. */
static size_t occurrence_of(const struct tt_options *options, size_t count, size_t otherwise)
{
    const char *word = options->occurrence;
    if (!word)
        return otherwise;
    if (strcmp(word, "last") == 0)
        return count;
    size_t number = strcmp(word, "first") == 0 ? 1 : strtoul(word, NULL, 10);
    return number < 1 ? 1 : number > count ? count : number;
}

enum side { AFTER, BEFORE };

/* Keeps the rows on one side of a line of the file. */
static void keep_side(tt_rows *rows, int64_t id, enum side side)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (side == AFTER ? rows->items[i].id > id : rows->items[i].id < id)
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
}

/* Says that a signpost is not there, and the first ones that are. */
static void tell_missing(struct tt_sequence *self, const char *name, const char *purpose)
{
    enum { NAMES_SHOWN = 5 };
    const tt_rows *rows = &self->rows;
    struct text names = {0};
    for (size_t i = 0, count = 0; i < rows->count && count <= NAMES_SHOWN; i++) {
        const struct tt_row *row = &rows->items[i];
        if (row->kind != TT_SIGNPOST || place_named(rows, row->text, 1) != i)
            continue;
        if (count++ == NAMES_SHOWN)
            text_add_string(&names, " and others");
        else
            text_format(&names, "%s'%s'", count > 1 ? ", " : "", row->text);
    }
    tell(self, "there is no signpost '%s' to %s; there are %s", name, purpose, names.items);
    text_free(&names);
}

/* The end has been looked for among all signposts, also those before the start. */
static void cut_end(struct tt_sequence *self, const struct tt_options *options, size_t count,
                    int64_t id, bool *is_cut)
{
    bool is_same = options->start && options->end && strcmp(options->start, options->end) == 0;
    if (!options->end || !count)
        return;
    if (is_same && count == 1) {
        tell(self, "the signpost '%s' comes once only; the window has no end", options->end);
        return;
    }
    keep_side(&self->rows, id, BEFORE);
    *is_cut = true;
    self->before = options->end;
    if (is_same && count != 2)
        tell(self, "the signpost '%s' comes %zu times; the window ends at the second", options->end,
             count);
    tell(self, "ops before the signpost '%s'", options->end);
}

/* Without a name: what comes after the last signpost. The reference takes the first of those that
 * have its name. */
static void cut_default(struct tt_sequence *self, const struct tt_options *options)
{
    tt_rows *rows = &self->rows;
    size_t last = rows->count;
    while (last && rows->items[last - 1].kind != TT_SIGNPOST)
        last--;
    if (!last)
        return;
    const char *name = rows->items[last - 1].text;
    size_t count = count_named(rows, name);
    size_t at = place_named(
        rows, name,
        occurrence_of(options, count,
                      like_reference(options->compat, "tt: default window") ? 1 : count));
    memmove(rows->items, rows->items + at + 1, (rows->count - at - 1) * sizeof *rows->items);
    rows->count -= at + 1;
    self->after = self->last = name;
}

static void cut_window(struct tt_sequence *self, const struct tt_options *options)
{
    size_t signposts = 0, ends = options->end ? count_named(&self->rows, options->end) : 0;
    bool is_same = options->start && options->end && strcmp(options->start, options->end) == 0;
    bool is_cut = false;
    for (size_t i = 0; i < self->rows.count; i++)
        signposts += self->rows.items[i].kind == TT_SIGNPOST;
    if (options->ignore_signposts)
        return;
    if (!signposts) {
        if (options->start || options->end)
            tell(self, "there are no signposts");
        return;
    }
    int64_t end = 0;
    if (ends)
        end = self->rows.items[place_named(&self->rows, options->end, is_same && ends > 1 ? 2 : 1)]
                  .id;
    if (options->end && !ends)
        tell_missing(self, options->end, "end at");

    /* The window that begins at the start signpost. */
    size_t count = options->start ? count_named(&self->rows, options->start) : 0;
    if (options->start) {
        if (!count) {
            tell_missing(self, options->start, "start from");

        } else {
            size_t at = place_named(&self->rows, options->start, occurrence_of(options, count, 1));
            keep_side(&self->rows, self->rows.items[at].id, AFTER);
            is_cut = true;
            self->after = options->start;
            tell(self, "ops after the signpost '%s'", options->start);
        }
    }
    cut_end(self, options, ends, end, &is_cut);
    if (!is_cut)
        cut_default(self, options);
    if (!options->print_signposts) {
        tt_rows *rows = &self->rows;
        size_t kept = 0;
        for (size_t i = 0; i < rows->count; i++)
            if (rows->items[i].kind != TT_SIGNPOST)
                rows->items[kept++] = rows->items[i];
        rows->count = kept;
    }
}

/* ------------------------------------------------------------------ devices */

ORDER_BY(compare_numbers, int64_t, BY_LESS(*a, *b));

typedef ARRAY(int64_t) number_list;

/* The distinct devices, in order. Ops that do not say theirs have one of their own, -1. */
static void list_devices(const struct tt_sequence *self, number_list *devices)
{
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct tt_row *row = &self->rows.items[i];
        if (row->device == TT_NONE && row->kind != TT_DEVICE)
            continue;
        array_add(devices, row->device == TT_NONE ? -1 : row->device);
    }
    array_sort(devices, compare_numbers);
    size_t kept = 0;
    for (size_t i = 0; i < devices->count; i++)
        if (!kept || devices->items[kept - 1] != devices->items[i])
            devices->items[kept++] = devices->items[i];
    devices->count = kept;
}

/* The ops of the devices, one queue behind the other. */
struct queues {
    number_list devices;
    tt_rows rows;
    ARRAY(size_t) heads, ends;
};

static size_t device_place(const struct queues *self, int64_t device)
{
    int64_t wanted = device == TT_NONE ? -1 : device;
    const int64_t *found = bsearch(&wanted, self->devices.items, self->devices.count,
                                   sizeof *self->devices.items, compare_numbers);
    return (size_t)(found - self->devices.items);
}

/* One row that stands for all of a block, which are by device. */
struct block {
    struct tt_row lowest, longest;
    int64_t count, timed, least, most, first_id;
    double sum;
};

static void block_add(struct block *self, const struct tt_row *row, bool compat)
{
    bool is_timed = row->kernel != TT_NONE;
    if (self->count++ == 0) {
        self->lowest = self->longest = *row;
        self->first_id = row->id;
    } else if (is_timed && (self->longest.kernel == TT_NONE
                                ? !like_reference(compat, "tt: merging a missing duration") ||
                                      self->longest.event != self->lowest.event
                                : row->kernel > self->longest.kernel)) {
        self->longest = *row;
    }
    self->first_id = row->id < self->first_id ? row->id : self->first_id;
    if (!is_timed)
        return;
    self->least = self->timed && self->least < row->kernel ? self->least : row->kernel;
    self->most = self->timed && self->most > row->kernel ? self->most : row->kernel;
    self->sum += (double)row->kernel;
    self->timed++;
}

/* Collectives wait for each other: the mean over the devices. Of all else the slowest counts. */
static void block_finish(const struct block *self, int64_t order, tt_rows *rows)
{
    struct tt_row *row = array_push(rows);
    bool is_mean = contains(&self->lowest, "AllGather") ||
                   contains(&self->lowest, "ReduceScatter") || contains(&self->lowest, "AllReduce");
    *row = is_mean ? self->lowest : self->longest;
    row->has_duration = is_mean ? self->timed > 0 : row->kernel != TT_NONE;
    row->duration = is_mean && self->timed ? self->sum / (double)self->timed : (double)row->kernel;
    row->merged = self->count;
    row->least = self->timed ? self->least : TT_NONE;
    row->most = self->timed ? self->most : TT_NONE;
    row->order = order;
}

struct merger {
    struct tt_sequence *sequence;
    struct queues queues;
    int64_t absent, exhausted, order;
    bool compat, by_place;
};

static int64_t order_of(struct merger *self, const struct block *block)
{
    if (!self->by_place)
        return 0; /* by id alone */
    self->order = block->first_id > self->order ? block->first_id : self->order;
    return self->order;
}

static void merge_by_place(struct merger *self)
{
    for (bool any = true; any;) {
        /* Rows at the head of all queues belong together where they have the same name. */
        struct queues *queues = &self->queues;
        struct block block = {0};
        int64_t absent = 0, exhausted = 0;
        for (size_t i = 0; i < queues->devices.count; i++) {
            size_t *head = &queues->heads.items[i];
            if (*head >= queues->ends.items[i]) {
                exhausted++;
                continue;
            }
            const struct tt_row *row = &queues->rows.items[*head];
            if (block.count && strcmp(row->text, block.lowest.text) != 0) {
                absent++;
                continue;
            }
            block_add(&block, row, self->compat);
            (*head)++;
        }
        any = block.count > 0;
        if (any) {
            if (absent && self->absent++ < TOLD_MAX)
                tell(self->sequence, "%lld %s %s, or %s it later", (long long)absent,
                     absent == 1 ? "device lacks" : "devices lack", block.lowest.text,
                     absent == 1 ? "has" : "have");
            if (exhausted && self->exhausted++ < TOLD_MAX)
                tell(self->sequence, "%lld %s no more ops to go with %s of line %lld",
                     (long long)exhausted, exhausted == 1 ? "device has" : "devices have",
                     block.lowest.text, (long long)block.lowest.id);
            block_finish(&block, order_of(self, &block), &self->sequence->rows);
        }
    }
    if (self->absent > TOLD_MAX)
        tell(self->sequence, "%lld ops in all are not on every device", (long long)self->absent);
    if (self->exhausted > TOLD_MAX)
        tell(self->sequence, "%lld ops in all come after the last one of some device",
             (long long)self->exhausted);
}

enum { CALLS_PER_OP = 1024 }; /* the call count is op * 1024 + device */

ORDER_BY(compare_calls, struct tt_row,
         UP(replay) || BY_LESS(a->call_count / CALLS_PER_OP, b->call_count / CALLS_PER_OP) ||
             UP(order) || UP(device) || UP(id));

static bool same_call(const struct tt_row *a, const struct tt_row *b)
{
    return a->replay == b->replay && a->call_count / CALLS_PER_OP == b->call_count / CALLS_PER_OP &&
           a->order == b->order && a->call_count != TT_NONE && b->call_count != TT_NONE &&
           strcmp(a->text, b->text) == 0;
}

/* Rows called as one op belong together, wherever they stand. A device that has it several times
 * has several of them. */
static void merge_by_calls(struct merger *self)
{
    tt_rows *rows = &self->queues.rows;
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].order = 0;
    sort(rows, compare_calls);
    for (size_t i = 1, nth = 0; i < rows->count; i++) {
        struct tt_row *row = &rows->items[i];
        const struct tt_row *before = &rows->items[i - 1];
        bool again = row->device == before->device && row->replay == before->replay &&
                     row->call_count / CALLS_PER_OP == before->call_count / CALLS_PER_OP &&
                     row->call_count != TT_NONE;
        nth = again ? nth + 1 : 0;
        row->order = (int64_t)nth;
    }
    sort(rows, compare_calls);
    for (size_t i = 0, next; i < rows->count; i = next) {
        struct block block = {0};
        for (next = i;
             next < rows->count && (next == i || same_call(&rows->items[i], &rows->items[next]));
             next++)
            block_add(&block, &rows->items[next], self->compat);
        block_finish(&block, self->by_place ? block.first_id : 0, &self->sequence->rows);
    }
}

static void merge_devices(struct tt_sequence *self, const struct tt_options *options)
{
    struct merger merger = {
        .sequence = self, .compat = options->compat, .by_place = options->by_place};
    bool any_device = false;
    list_devices(self, &merger.queues.devices);
    bool any_unknown = merger.queues.devices.count && merger.queues.devices.items[0] == -1;
    for (size_t i = 0; i < self->rows.count; i++)
        any_device |= self->rows.items[i].kind == TT_DEVICE;
    self->devices = (int64_t)merger.queues.devices.count - any_unknown;
    if (any_unknown)
        tell(self, "some ops do not say on which device they ran; they count as one more");
    if (self->devices == 0 && (any_device || !self->last))
        tell(self, "no row names a device");
    if (any_device && self->devices && !(options->keep_devices && self->devices > 1)) {
        /* Moves the ops on devices into queues; the other rows stay. */
        struct queues *queues = &merger.queues;
        tt_rows *rows = &self->rows;
        size_t count = queues->devices.count;
        array_reserve(&queues->heads, count + 1);
        array_reserve(&queues->ends, count + 1);
        array_reserve(&queues->rows, rows->count + 1);
        queues->heads.count = queues->ends.count = count;
        memset(queues->ends.items, 0, (count + 1) * sizeof *queues->ends.items);
        for (size_t i = 0; i < rows->count; i++)
            if (rows->items[i].kind == TT_DEVICE)
                queues->ends.items[device_place(queues, rows->items[i].device)]++;
        size_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            queues->heads.items[i] = sum;
            sum += queues->ends.items[i];
            queues->ends.items[i] = queues->heads.items[i]; /* until it is filled */
        }
        queues->rows.count = sum;
        size_t kept = 0;
        for (size_t i = 0; i < rows->count; i++)
            if (rows->items[i].kind == TT_DEVICE)
                queues->rows
                    .items[queues->ends.items[device_place(queues, rows->items[i].device)]++] =
                    rows->items[i];
            else
                rows->items[kept++] = rows->items[i];
        rows->count = kept;
        for (size_t i = 0; i < self->rows.count; i++)
            self->rows.items[i].order = options->by_place ? self->rows.items[i].id : 0;
        if (options->by_calls)
            merge_by_calls(&merger);
        else
            merge_by_place(&merger);
        sort(&self->rows, compare_orders);
    }
    arrays_free(&merger.queues.devices, &merger.queues.rows, &merger.queues.heads,
                &merger.queues.ends);
}

/* ------------------------------------------------------------------ all of it */

static void filter(tt_rows *rows, const struct tt_options *options)
{
    size_t kept = 0;
    bool by_id = options->first_id > INT64_MIN || options->last_id < INT64_MAX;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].id >= options->first_id && rows->items[i].id <= options->last_id)
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
    if (kept && by_id)
        rows->items[0].has_gap = false;
    for (size_t i = kept = 0; i < rows->count; i++)
        if (!options->no_host_ops || !is_host_op(&rows->items[i]))
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
}

/* Replayed ops have the host time of when they were recorded: sorted, replays would be mixed. */
static bool has_replays(const tt_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].replay != TT_NONE)
            return true;
    return false;
}

void tt_sequence_make(struct tt_sequence *self, const struct tt_options *options)
{
    for (size_t i = 0; i < self->rows.count; i++) {
        struct tt_row *row = &self->rows.items[i];
        row->has_duration = row->kernel != TT_NONE;
        row->duration = row->has_duration ? (double)row->kernel : 0;
        row->merged = 1;
        row->least = row->most = row->kernel;
    }
    bool keep_order = options->keep_order;
    if (!keep_order && !like_reference(options->compat, "tt: replayed traces") &&
        has_replays(&self->rows)) {
        keep_order = true;
        tell(self, "traces were replayed: ops stay in the order of the file");
    }
    if (!keep_order)
        sort(&self->rows, compare_starts);
    const char *last = NULL;
    for (size_t i = 0; i < self->rows.count; i++) {
        if (self->rows.items[i].kind == TT_SIGNPOST)
            last = self->rows.items[i].text;
        self->rows.items[i].signpost = last;
    }
    cut_window(self, options);
    merge_devices(self, options);

    /* The first op has nothing before it. */
    bool any_before = false;
    for (size_t i = 0; i < self->rows.count; i++) {
        struct tt_row *row = &self->rows.items[i];
        row->has_gap = any_before && row->gap != TT_NONE;
        any_before |= row->kind != TT_SIGNPOST;
    }
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct tt_row *row = &self->rows.items[i];
        if (is_host_op(row))
            self->host_ops++;
        else if (row->kind == TT_SIGNPOST || contains(row, "signpost"))
            self->signposts++;
        else
            self->device_ops++;
    }
    filter(&self->rows, options);
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct tt_row *row = &self->rows.items[i];
        if (row->has_duration && row->kind != TT_SIGNPOST && !is_host_op(row))
            self->device_ns += row->duration;
        if (row->has_gap)
            self->gap_ns += (double)row->gap;
    }
}
