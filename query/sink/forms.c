/* forms: see forms.h. */
#include "query/sink/forms.h"

#include <string.h>

#define MODE_ROW(name, make)                                  {name, NULL, OUTPUT_STREAM, "", make},
#define OPTION_ROW(name, kind, ending, argument, words, make) {NULL, name, kind, ending, make},
#define BOTH_ROW(name, kind, ending, argument, words, make)   {name, name, kind, ending, make},

const struct form output_forms[] = {
    FORMS(MODE_ROW, OPTION_ROW, BOTH_ROW)
    /* their words stand with other options of their tool */
    {NULL, "summary-file", OUTPUT_SUMMARY, ".csv", sink_csv},
    {NULL, "stacked-csv", OUTPUT_SUMMARY, ".csv", sink_csv},
    {0},
};

const struct form *form_of_mode(const char *name)
{
    for (const struct form *form = output_forms; form->make; form++)
        if (form->mode && strcmp(form->mode, name) == 0)
            return form;
    return NULL;
}

const struct form *form_of_option(const char *name)
{
    for (const struct form *form = output_forms; form->make; form++)
        if (form->option && strcmp(form->option, name) == 0)
            return form;
    return NULL;
}
