/* export_forms: see export_forms.h. */
#include "query/export/export_forms.h"

#include <string.h>

#define FORM_ROW(name, endings, matter, write) {name, endings, matter, write},

const struct export_form export_forms[] = {EXPORT_FORMS(FORM_ROW){0}};

const struct export_form *export_form_of_name(const char *name)
{
    for (const struct export_form *form = export_forms; form->name; form++)
        if (strcmp(form->name, name) == 0)
            return form;
    return NULL;
}

static bool has_ending(const struct export_form *form, struct view path)
{
    for (const char *at = form->endings; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        if (path.length >= length && memcmp(path.bytes + path.length - length, at, length) == 0)
            return true;
        at += length;
    }
    return false;
}

const struct export_form *export_form_of_path(const char *path, bool *packs)
{
    struct view name = view_of(path);
    *packs = text_ends_with(path, ".gz");
    if (*packs)
        name.length -= strlen(".gz");
    static const struct export_form gone = {.name = EXPORT_GONE, .endings = EXPORT_GONE_ENDINGS};
    if (has_ending(&gone, name))
        return &gone;
    for (const struct export_form *form = export_forms; form->name; form++)
        if (has_ending(form, name))
            return form;
    return NULL;
}
