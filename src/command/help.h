/* help: everything that is printed from the option tables. */
#ifndef TPQ_SRC_COMMAND_HELP_H
#define TPQ_SRC_COMMAND_HELP_H

#include "src/command/option.h"

#include <stdio.h>

void help_overview(FILE *out);
void help_verb(const struct verb *verb, FILE *out);

/* Made at build time and installed. */
void help_manual(FILE *out);
void help_bash(FILE *out);
void help_zsh(FILE *out);
void help_fish(FILE *out);

#endif
