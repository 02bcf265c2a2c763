/* texts: what an assistant reads beside answers of tools: resources, prompts, how to begin.
 */
#pragma once

#include "src/agent/tools.h"

#include <stdio.h>

extern const char texts_instructions[];

struct agent_resource {
    const char *uri, *title, *description;
};

extern const struct agent_resource agent_resources[]; /* up to one without a URI */

/* Prints the text of a resource, or of tpq://describe/NAME: `name`. */
struct agent_reading {
    const struct agent *agent;
    const char *uri, *name;
};
bool texts_print_resource(void *agent_reading, struct error *error);

struct prompt_argument {
    const char *name, *words;
    bool is_needed;
};

struct agent_prompt {
    const char *name, *title, *description;
    struct prompt_argument arguments[3]; /* up to one without a name */
    const char *text;                    /* {NAME} stands for an argument */
};

extern const struct agent_prompt agent_prompts[]; /* up to one without a name */

/* The text with the arguments filled in, each as a JSON string. */
void texts_add_prompt(const struct agent_prompt *prompt, const struct literals *json, int arguments,
                      struct text *out);

/* `tpq help agents`. */
void texts_print_guide(FILE *out);
