/* export_chrome: the JSON that chrome://tracing, Perfetto and tpq itself read. */
#include "query/export/chrome_text.h"
#include "query/export/export_forms.h"
#include "src/base/deviation.h"

bool export_chrome(struct export *self)
{
    struct whole_file file;
    struct meetings meetings = {0};
    bool is_plain = like_reference(self->options.compat, "export: ranks in one file");
    struct chrome_text text = {.warehouse = self->warehouse,
                               .file = &file,
                               .error = self->error,
                               .options = self->options,
                               .meetings = is_plain ? NULL : &meetings,
                               .is_plain = is_plain};
    bool done = whole_file_open(&file, self->path, self->packing, self->error) &&
                meetings_read(&meetings, self) &&
                chrome_text_begin(&text, self->traces.items, self->traces.count);
    for (size_t i = 0; i < self->traces.count && done; i++)
        done = chrome_text_trace(&text, &self->traces.items[i]);
    done = done && chrome_text_end(&text);
    self->written = text.slices;
    meetings_free(&meetings);
    return whole_file_close(&file, done);
}
