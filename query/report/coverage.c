/* coverage: see coverage.h. */
#include "query/report/coverage.h"

#include "sql/calls/call_read.h"
#include "src/base/number.h"
#include "src/base/visible.h"

bool coverage_read(struct warehouse *warehouse, struct coverage *self, struct error *error)
{
    *self = (struct coverage){0};
    static const char with_models[] =
        "SELECT sum(busy_ns), sum(linked_ns), sum(categorised_ns), sum(graph_ns), "
        "sum(unlinked_ns), sum(clipped), sum(dropped), sum(zero), sum(overlapping), "
        "sum(modelled_ns) FROM coverage";
    static const char without_models[] =
        "SELECT sum(busy_ns), sum(linked_ns), sum(categorised_ns), sum(graph_ns), "
        "sum(unlinked_ns), sum(clipped), sum(dropped), sum(zero), sum(overlapping), -1 FROM "
        "coverage";
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse,
        table_keeps(warehouse->context, &call_rows_reading) ? with_models : without_models, error);
    bool done =
        statement && (sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error));
    if (done) {
        int64_t *const fields[] = {&self->busy_ns,    &self->linked_ns,   &self->categorised_ns,
                                   &self->graph_ns,   &self->unlinked_ns, &self->clipped,
                                   &self->dropped,    &self->zero,        &self->overlapping,
                                   &self->modelled_ns};
        for (int i = 0; i < (int)(sizeof fields / sizeof *fields); i++)
            *fields[i] = sqlite3_column_int64(statement, i);
    }
    sqlite3_finalize(statement);
    return done;
}

static double share(const struct coverage *self, int64_t part)
{
    return self->busy_ns ? (double)part * 100 / (double)self->busy_ns : 0;
}

double coverage_linked_pct(const struct coverage *self)
{
    return self->busy_ns ? share(self, self->linked_ns) : 100;
}

static bool add_shares(const struct coverage *self, struct text *words)
{
    if (self->busy_ns == 0)
        return text_add_string(words, "Coverage: no GPU time");
    return text_format(words, "Coverage: %.1f %% of ", coverage_linked_pct(self)) &&
           number_add_time(words, self->busy_ns) &&
           text_format(words, " GPU busy time linked to ops, %.1f %% with a category, ",
                       share(self, self->categorised_ns)) &&
           (self->modelled_ns < 0 ||
            text_format(words, "%.1f %% with a model, ", share(self, self->modelled_ns))) &&
           text_format(words, "%.1f %% in CUDA or HIP graphs, %.1f %% unlinked",
                       share(self, self->graph_ns), share(self, self->unlinked_ns));
}

bool coverage_print(const struct coverage *self, size_t width, FILE *out)
{
    static const char *const words[] = {"clipped", "dropped", "without duration", "overlapping"};
    const int64_t counts[] = {self->clipped, self->dropped, self->zero, self->overlapping};
    struct text line = {0};
    const char *before = "; events ";
    if (!self->busy_ns && !self->clipped && !self->dropped && !self->zero && !self->overlapping)
        return true; /* there is nothing to cover */
    bool done = add_shares(self, &line);
    for (int i = 0; i < 4 && done; i++)
        if (counts[i]) {
            done = text_format(&line, "%s%s: %lld", before, words[i], (long long)counts[i]);
            before = ", ";
        }
    if (done) {
        fputc('\n', out);
        visible_print_lines(line.items, width, out);
    }
    text_free(&line);
    return done;
}
