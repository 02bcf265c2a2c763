/* export_chrome: the JSON that chrome://tracing, Perfetto and tpq itself read. */
#include "query/export/export_forms.h"
#include "query/split/kineto_text.h"

bool export_chrome(struct export *self)
{
    struct whole_file file;
    if (self->traces.count > 1)
        return error_set(self->error, STATUS_USAGE,
                         "%zu traces are selected, and a file in this form has one; choose it by "
                         "--trace or --rank",
                         self->traces.count);
    bool done =
        whole_file_open(&file, self->path, self->packs, self->error) &&
        (self->traces.count
             ? kineto_text_write(self->warehouse, self->traces.items[0].id,
                                 &self->traces.items[0].events, &file, &self->written, self->error)
             : text_add_string(&file.text, "{\"traceEvents\":[]}\n") || error_memory(self->error));
    return whole_file_close(&file, done);
}
