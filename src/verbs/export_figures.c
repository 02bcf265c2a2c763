/* export_figures: see export_figures.h. */
#include "src/verbs/export_figures.h"

#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/command/extension_options.h"
#include "src/report/report_options.h"

#include <inttypes.h>

const char *const export_figures[] = {"include-unlinked-kernels",
                                      "gpu-arch-platform",
                                      "gpu-arch-json-path",
                                      "extension-file",
                                      "ext-param",
                                      "enable-pseudo-ops",
                                      "strict-extensions",
                                      NULL};

bool export_figures_apply(const struct arguments *arguments, struct extensions *extensions,
                          struct warehouse *warehouse, struct error *error)
{
    return report_options_read(arguments, warehouse->context, error) &&
           report_options_read_files(arguments, warehouse->context, error) &&
           report_options_choose_arch(arguments, warehouse, error) &&
           extension_options_read(arguments, extensions, error) &&
           extension_options_run(arguments, extensions, warehouse, error);
}

static void add_key(struct text *json, const char *name)
{
    text_add_string(json, json->count > 1 ? ", " : "");
    text_add_json(json, view_of(name));
    text_add_string(json, ": ");
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A library is read for its hash; one that cannot be read has that of nothing. */
static void add_file(struct text *json, const struct extension_file *file)
{
    struct text library = {0};
    struct error unread = {0};
    bool is_text = file->text != NULL;
    if (!is_text && !file_read(file->path, &library, &unread) && unread.memory)
        json->failed = true;
    uint64_t hash =
        is_text ? hash64(file->text, file->length, 0) : hash64(library.items, library.count, 0);
    text_free(&library);
    text_add_json(json, view_of(name_of(file->path)));
    text_format(json, ": \"%016" PRIx64 "\"", hash);
}

bool export_figures_describe(const struct extensions *extensions, const struct warehouse *warehouse,
                             struct text *json)
{
    static const struct {
        const char *name;
        bool is_json;
    } options[] = {{"compat", true},
                   {"include_unlinked_kernels", true},
                   {"gpu_arch_platform", false},
                   {"gpu_arch", true}};
    text_add_byte(json, '{');
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *value = context_get(warehouse->context, options[i].name);
        if (!value)
            continue;
        add_key(json, options[i].name);
        if (options[i].is_json)
            text_add_string(json, value);
        else
            text_add_json(json, view_of(value));
    }
    bool any = false;
    for (size_t i = 0; i < extensions->files.count; i++) {
        const struct extension_file *file = &extensions->files.items[i];
        if (file->has_failed)
            continue;
        if (!any)
            add_key(json, "extensions");
        text_add_string(json, any ? ", " : "{");
        add_file(json, file);
        any = true;
    }
    text_add_string(json, any ? "}" : "");
    if (extensions->params.count)
        add_key(json, "ext_param");
    for (size_t i = 0; i < extensions->params.count; i++) {
        text_add_string(json, i ? ", " : "{");
        text_add_json(json, view_of(extensions->params.items[i].name));
        text_add_string(json, ": ");
        text_add_json(json, view_of(extensions->params.items[i].value));
    }
    text_add_string(json, extensions->params.count ? "}" : "");
    text_add_byte(json, '}');
    return !json->failed;
}
