/* help: One walk over the options of a verb serves plain text and roff. Completions are shell
 * scripts with a fixed head and a part for each option; names of runs or reports are asked from tpq
 * itself when Tab is pressed. Each format escapes words by rules of its own. */
#include "src/command/help.h"

#include <string.h>

enum { WIDTH = 80, INDENT = 4, HELP_COLUMN = 26 };

static const char tagline[] = "a warehouse for performance traces of AI accelerators";

static const struct {
    const char *status, *meaning;
} statuses[] = {
    {"0", "done"},
    {"1", "a check failed: the call was done, but a check that it asked for failed"},
    {"2", "wrong usage: unknown option, value or name; no such warehouse"},
    {"3", "bad input: it cannot be read, is no trace, or breaks off"},
    {"4", "database or output: locked, full, or not to be written"},
    {"5", "undecided: gate and compare --fail-if"},
};

/* Every verb has it. */
static const struct option help_option = {"help", 'h', NULL, "print this", NULL};

/* The option of tpq itself, without a verb. */
static const struct option links_option = {
    "compat-links", 0, "DIRECTORY", "make links that stand for commands of other tools", NULL};

/* ------------------------------------------------------------------ plain text */

/* Prints words in lines of WIDTH; the first line begins at column `used`, the others at
 * `indent`. */
static void print_help_words(FILE *out, const char *text, int used, int indent)
{
    for (const char *at = text; *at;) {
        if (*at == '\n') {
            fputc('\n', out);
            used = 0;
            at++;
            continue;
        }
        int length = (int)strcspn(at, " \n");
        if (used > indent && used + 1 + length > WIDTH) {
            fputc('\n', out);
            used = 0;
        }
        if (used == 0)
            used = fprintf(out, "%*s", indent, "");
        else if (used > indent)
            used += fprintf(out, " ");
        used += fprintf(out, "%.*s", length, at);
        at += length;
        at += strspn(at, " ");
    }
    fputc('\n', out);
}

static bool is_optional(const struct option *option)
{
    return option->argument && option->argument[0] == '[';
}

static void print_option(FILE *out, const struct option *option)
{
    /* "-m, --mode MODE" */
    int used = option->letter ? fprintf(out, "%*s-%c, ", INDENT - 2, "", option->letter)
                              : fprintf(out, "%*s", INDENT + 2, "");
    used += fprintf(out, "--%s", option->name);
    if (is_optional(option))
        used += fprintf(out, "[=%.*s]", (int)strlen(option->argument) - 2, option->argument + 1);
    else if (option->argument)
        used += fprintf(out, " %s", option->argument);
    if (used + 2 > HELP_COLUMN) {
        fputc('\n', out);
        used = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - used, "");
    print_help_words(out, option->help, HELP_COLUMN, HELP_COLUMN);
}

/* Prints the options that are most used, then the others by sections. */
static void each_option(FILE *out, const struct verb *verb,
                        void (*title)(FILE *out, const char *words),
                        void (*print)(FILE *out, const struct option *option))
{
    const struct section *next = verb->sections;
    const char *waiting = verb->common ? "Most used options" : "Options";
    for (const struct option *option = verb->options; option->name; option++)
        if (option_is_in(verb->common, option->name)) {
            if (waiting)
                title(out, waiting);
            print(out, option);
            waiting = NULL;
        }
    for (const struct option *option = verb->options; option->name; option++) {
        if (next && next->title && strcmp(next->from, option->name) == 0)
            waiting = (next++)->title;
        if (option_is_in(verb->common, option->name))
            continue;
        if (waiting)
            title(out, waiting);
        print(out, option);
        waiting = NULL;
    }
}

static void print_title(FILE *out, const char *words)
{
    fprintf(out, "\n%s:\n", words);
}

/* The commands of other tools that a verb stands for, after its details. */
static void print_stand_ins(FILE *out, const struct verb *verb,
                            void (*print)(FILE *out, const char *text))
{
    struct text words = {0};
    text_add_string(&words, "\n\nStarted as");
    for (const struct stand_in *it = verb->stand_ins; it && it->command; it++)
        text_format(&words, "%s %s", it == verb->stand_ins ? "" : ",", it->command);
    if (verb->stand_ins) {
        text_format(&words,
                    ", tpq takes the options of that command. `tpq --%s %s` makes links of these "
                    "names.",
                    links_option.name, links_option.argument);
        print(out, words.items);
    }
}

static void print_paragraph(FILE *out, const char *text)
{
    print_help_words(out, text + 1, 0, 0); /* a line was ended already */
}

void help_verb(const struct verb *verb, FILE *out)
{
    fprintf(out, "tpq %s - %s\n\nUsage: tpq %s %s\n\n", verb->name, verb->summary, verb->name,
            verb->operands);
    print_help_words(out, verb->details, 0, 0);
    print_stand_ins(out, verb, print_paragraph);
    each_option(out, verb, print_title, print_option);
    fputs(verb->sections ? "\n" : "", out);
    print_option(out, &help_option);
    fputs("\nExamples:\n", out);
    for (const struct example *example = verb->examples; example->command; example++)
        fprintf(out, "    %s\n        %s\n", example->command, example->meaning);
}

void help_stand_in(const struct verb *verb, const struct stand_in *command, FILE *out)
{
    const struct option *required = NULL;
    for (const struct option *option = verb->options; option->name; option++)
        if (!required && option_is_in(command->required, option->name))
            required = option;
    fprintf(out, "%s - tpq %s in place of the command of this name\n\nUsage: %s ", command->command,
            verb->name, command->command);
    if (required)
        fprintf(out, "--%s %s [OPTION]...\n\n", required->name, required->argument);
    else
        fprintf(out, "[OPTION]... %s...\n\n", command->required);
    print_help_words(
        out,
        "The report is that of the command (tpq's option --compat); words may be joined by - or _.",
        0, 0);
    fputs("\nOptions:\n", out);
    for (const struct option *option = verb->options; option->name; option++)
        if (option_is_in(command->options, option->name))
            print_option(out, option);
    print_option(out, &help_option);
    fprintf(out, "\ntpq %s --help has further options, which may be given, too.\n", verb->name);
}

void help_overview(const struct verb *const *verbs, FILE *out)
{
    fprintf(out,
            "tpq %s - %s\n\nUsage: tpq VERB [OPTION]... [OPERAND]...\n\n"
            "Begin with:\n"
            "    tpq report TRACE         what bounds this trace, what to change, where time goes\n"
            "    tpq ingest TRACE...      store traces in a warehouse; tpq report tpq.db opens it\n"
            "    tpq report --list        reports by question\n"
            "    tpq compare OLD NEW      what got slower, and whether that is significant\n\n"
            "Verbs:\n",
            TPQ_VERSION, tagline);
    for (size_t i = 0; verbs[i]; i++)
        fprintf(out, "    %-12s%s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\nHelp:\n"
          "    tpq help VERB            a verb and its options (also tpq VERB --help)\n"
          "    tpq help recipes         daily questions with their SQL\n"
          "    tpq help words           the words of tables and sentences\n"
          "    tpq help GUIDE           python, ci, cluster, fleet, serving, agents, trust, "
          "extensions\n"
          "    tpq help names KIND      names of reports, runs, sets, ...\n"
          "    tpq --version            the version\n\n"
          "Without a verb:\n",
          out);
    print_option(out, &links_option);
    struct text line = {0};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const char *meaning = statuses[i].meaning;
        text_format(&line, "%s%s %.*s", i ? ", " : "Exit status: ", statuses[i].status,
                    (int)strcspn(meaning, ":"), meaning);
    }
    if (line.count) {
        fputc('\n', out);
        print_help_words(out, line.items, 0, 0);
    }
}

/* ------------------------------------------------------------------ manual page */

/* Text in roff: no line may begin with a dot, quotes hold the arguments of a macro together, and
 * other characters have to be named to come out as they would be typed. */
static void print_roff(FILE *out, const char *text)
{
    static const char special[] = "-\\\"'`^~";
    static const char *const names[] = {"\\-", "\\e", "\\(dq", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    bool line_start = true;
    for (const char *at = text; *at; at++) {
        if (*at == '\n' && at[1] == '\n') {
            fputs("\n.PP\n", out);
            at++;
            line_start = true;
            continue;
        }
        if (line_start && *at == '.')
            fputs("\\&", out);
        const char *found = strchr(special, *at);
        fputs(found ? names[found - special] : "", out);
        if (!found)
            fputc(*at, out);
        line_start = *at == '\n';
    }
}

static void print_roff_option(FILE *out, const struct option *option)
{
    fputs(".TP\n.B ", out);
    if (option->letter)
        fprintf(out, "\\-%c, ", option->letter);
    fputs("\\-\\-", out);
    print_roff(out, option->name);
    if (is_optional(option))
        fprintf(out, "\\fR[=\\fI%.*s\\fR]", (int)strlen(option->argument) - 2,
                option->argument + 1);
    else if (option->argument)
        fprintf(out, " \\fI%s\\fR", option->argument);
    fputc('\n', out);
    print_roff(out, option->help);
    fputc('\n', out);
}

static void print_roff_title(FILE *out, const char *words)
{
    fputs(".SS ", out);
    print_roff(out, words);
    fputc('\n', out);
}

void help_manual(const struct verb *const *verbs, FILE *out)
{
    fprintf(out, ".TH TPQ 1 \"\" \"tpq %s\"\n.nh\n.ad l\n.SH NAME\ntpq \\- %s\n.SH SYNOPSIS\n",
            TPQ_VERSION, tagline);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, ".B tpq %s\n", verbs[i]->name);
        print_roff(out, verbs[i]->operands);
        fputs("\n.br\n", out);
    }
    fputs(".B tpq \\-\\-compat\\-links\n.I DIRECTORY\n", out);
    fputs(".SH DESCRIPTION\nProfiler traces go in, one SQLite database holds them, SQL answers.\n",
          out);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, ".SH TPQ %s\n", verbs[i]->name);
        print_roff(out, verbs[i]->details);
        print_stand_ins(out, verbs[i], print_roff);
        fputc('\n', out);
        each_option(out, verbs[i], print_roff_title, print_roff_option);
        fputs(".PP\nExamples:\n", out);
        for (const struct example *example = verbs[i]->examples; example->command; example++) {
            fputs(".TP\n.B ", out);
            print_roff(out, example->command);
            fputc('\n', out);
            print_roff(out, example->meaning);
            fputc('\n', out);
        }
    }
    fputs(".SH WITHOUT A VERB\n", out);
    print_roff_option(out, &links_option);
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        fprintf(out, ".TP\n.B %s\n%s\n", statuses[i].status, statuses[i].meaning);
    fputs(".SH ENVIRONMENT\n.TP\n.B TPQ_DB\nThe warehouse, when no option names one.\n", out);
}

/* ------------------------------------------------------------------ completions */

/* Names that tpq itself lists: `tpq help names KIND`. */
static const struct {
    const char *option, *kind, *argument; /* NULL = any */
} named_values[] = {
    {"by", "levels", "LEVEL"},
    {"run", "runs", NULL},
    {"label", "labels", NULL},
    {"sheet", "reports", NULL},
    {"set", "sets", NULL},
    {"recipe", "recipes", NULL},
    {"gpu-arch-platform", "accelerators", NULL},
    {"device", "accelerators", NULL},
};

static const struct {
    const char *verb, *kind;
    bool or_file;
} named_operands[] = {
    {"report", "reports", true}, {"describe", "described", false},
    {"runs", "runs", false},     {"traces", "runs", false},
    {"rm", "runs", false},
};

/* NULL: no names are known. */
static const char *kind_of_value(const struct option *option)
{
    for (size_t i = 0; i < sizeof named_values / sizeof *named_values; i++)
        if (strcmp(named_values[i].option, option->name) == 0 && option->argument &&
            (!named_values[i].argument || strcmp(named_values[i].argument, option->argument) == 0))
            return named_values[i].kind;
    return NULL;
}

static const char *kind_of_operand(const struct verb *verb, bool *or_file)
{
    *or_file = true;
    for (size_t i = 0; i < sizeof named_operands / sizeof *named_operands; i++)
        if (strcmp(named_operands[i].verb, verb->name) == 0) {
            *or_file = named_operands[i].or_file;
            return named_operands[i].kind;
        }
    return NULL;
}

/* "--mode=js" is three words for bash. Names are compared here: compgen -W would expand them. */
static const char bash_head[] =
    "# Completion of tpq for bash.\n_tpq_names()\n{\n    local name db=$TPQ_DB at\n"
    "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
    "        if [ \"${COMP_WORDS[at]}\" = --db ]; then\n            db=${COMP_WORDS[at+1]}\n"
    "            [ \"$db\" = = ] && db=${COMP_WORDS[at+2]}\n        fi\n    done\n"
    "    while IFS= read -r name; do\n"
    "        [[ $name == \"$word\"* ]] && COMPREPLY+=(\"$name\")\n"
    "    done < <(TPQ_DB=$db \"${COMP_WORDS[0]}\" help names \"$1\" 2> /dev/null)\n}\n\n"
    "_tpq_files()\n{\n    local file\n    while IFS= read -r file; do\n"
    "        COMPREPLY+=(\"$file\")\n    done < <(compgen -f -- \"$word\")\n}\n\n"
    "_tpq()\n{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$word\" = = ]; then\n        word=\n"
    "    elif [ \"$before\" = = ]; then\n        before=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"";

/* Beside verbs: what tpq help explains. */
static const char topics[] =
    "agents ci cluster extensions names python recipes serving trust words";

static void print_verbs(FILE *out, const struct verb *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", verbs[i]->name);
}

void help_bash(const struct verb *const *verbs, FILE *out)
{
    fputs(bash_head, out);
    print_verbs(out, verbs);
    fputs(" help --help --version --compat-links\" -- \"$word\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]}:$before in\n"
          "    help:help) COMPREPLY=($(compgen -W \"",
          out);
    print_verbs(out, verbs);
    fprintf(out,
            " %s\" -- \"$word\")); return ;;\n"
            "    help:recipes) _tpq_names recipes; return ;;\n    help:*) return ;;\n",
            topics);
    for (size_t i = 0; verbs[i]; i++)
        for (const struct option *option = verbs[i]->options; option->name; option++) {
            const char *kind = kind_of_value(option);
            bool or_file;
            bool is_other = !option->choices && !kind;
            if (is_other &&
                (!option->argument || is_optional(option) || !kind_of_operand(verbs[i], &or_file)))
                continue; /* what follows is an operand, or completed as one */
            fprintf(out, "    %s:--%s", verbs[i]->name, option->name);
            if (option->letter)
                fprintf(out, "|%s:-%c", verbs[i]->name, option->letter);
            if (is_other)
                fputs(") _tpq_files; return ;;\n", out);
            else if (kind)
                fprintf(out, ") _tpq_names %s; return ;;\n", kind);
            else
                fprintf(out, ") COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n",
                        option->choices);
        }
    fputs("    esac\n    if [[ $word == -* ]]; then\n        case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, "        %s) COMPREPLY=($(compgen -W \"", verbs[i]->name);
        for (const struct option *option = verbs[i]->options; option->name; option++)
            fprintf(out, "--%s ", option->name);
        fputs("--help", out);
        fputs("\" -- \"$word\")) ;;\n", out);
    }
    fputs("        esac\n", out);
    /* Names and files that an operand may be; without names files. */
    fputs("    else\n        case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; verbs[i]; i++) {
        bool or_file;
        const char *kind = kind_of_operand(verbs[i], &or_file);
        if (kind)
            fprintf(out, "        %s) _tpq_names %s%s ;;\n", verbs[i]->name, kind,
                    or_file ? "" : "; return");
    }
    fputs("        esac\n        _tpq_files\n    fi\n}\ncomplete -o filenames -F _tpq tpq\n", out);
}

/* Inside single quotes, with what zsh reads in descriptions escaped. */
static void print_zsh_words(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* One line of _arguments. `mark` tells that a value follows: in the same word, or in the next one;
 * a value that may be missing is always in the same. */
static void print_zsh_spelling(FILE *out, const struct option *option, const char *name,
                               const char *mark)
{
    bool optional = is_optional(option);
    fprintf(out, "            '*%s%s[", name, optional ? "=-" : option->argument ? mark : "");
    print_zsh_words(out, option->help);
    fputc(']', out);
    if (option->choices)
        fprintf(out, ":value:(%s)", option->choices);
    else if (kind_of_value(option))
        fprintf(out, "%s:name: _tpq_names %s", optional ? ":" : "", kind_of_value(option));
    else if (option->argument)
        fprintf(out, "%s:%s", optional ? ":" : "",
                strstr(option->argument, "FILE") || strcmp(option->argument, "(X)") == 0
                    ? "file:_files"
                : strstr(option->argument, "DIR") ? "directory:_files -/"
                                                  : "value:");
    fputs("' \\\n", out);
}

static void print_zsh_option(FILE *out, const struct option *option)
{
    char name[80];
    snprintf(name, sizeof name, "--%s", option->name);
    print_zsh_spelling(out, option, name, "=");
    snprintf(name, sizeof name, "-%c", option->letter);
    if (option->letter)
        print_zsh_spelling(out, option, name, "+");
}

/* The words are those behind the program's name, which is kept. */
static const char zsh_head[] =
    "#compdef tpq\n# Completion of tpq for zsh.\n_tpq_names() {\n    local -a names\n"
    "    local db=$TPQ_DB at=$words[(I)--db] joined=$words[(R)--db=*]\n"
    "    (( at )) && db=${(Q)words[at+1]}\n"
    "    [[ -n $joined ]] && db=${(Q)joined#--db=}\n"
    "    names=(${(f)\"$(TPQ_DB=$db $program help names $1 2> /dev/null)\"})\n"
    "    compadd -a names\n}\n"
    "_tpq_names_or_files() {\n"
    "    _alternative \"names:name: _tpq_names $1\" 'files:file:_files'\n}\n"
    "_tpq() {\n    local program=${(Q)words[1]}\n    local -a verbs topics\n    verbs=(\n";

void help_zsh(const struct verb *const *verbs, FILE *out)
{
    fputs(zsh_head, out);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, "        '%s:", verbs[i]->name);
        print_zsh_words(out, verbs[i]->summary);
        fputs("'\n", out);
    }
    fprintf(out, "    )\n    topics=(%s)\n", topics);
    fputs("    if (( CURRENT == 2 )); then\n"
          "        verbs+=('help:explain a verb' '--help:print help' "
          "'--version:print the version'\n"
          "            '--compat-links:make links named like other tools')\n"
          "        _describe verb verbs\n        return\n"
          "    fi\n    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
          "    case $verb in\n"
          "        help) if (( CURRENT == 2 )); then\n"
          "            _describe verb verbs -- topics\n"
          "        elif [[ $words[2] == recipes ]]; then\n            _tpq_names recipes\n"
          "        fi ;;\n",
          out);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, "        %s) _arguments \\\n", verbs[i]->name);
        for (const struct option *option = verbs[i]->options; option->name; option++)
            print_zsh_option(out, option);
        print_zsh_option(out, &help_option);
        bool or_file;
        const char *kind = kind_of_operand(verbs[i], &or_file);
        if (kind && or_file)
            fprintf(out, "            '*:name: _tpq_names_or_files %s' ;;\n", kind);
        else if (kind)
            fprintf(out, "            '*:name: _tpq_names %s' ;;\n", kind);
        else
            fputs("            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\n_tpq \"$@\"\n", out);
}

static void print_fish_words(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_fish_option(FILE *out, const struct verb *verb, const struct option *option)
{
    fprintf(out, "complete -c tpq -n '__fish_seen_subcommand_from %s' -l %s", verb->name,
            option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->choices)
        fprintf(out, " -x -a '%s'", option->choices);
    else if (kind_of_value(option))
        fprintf(out, " -x -a '(__tpq_names %s)'", kind_of_value(option));
    else if (option->argument && !is_optional(option))
        fputs(" -r", out);
    fputs(" -d '", out);
    print_fish_words(out, option->help);
    fputs("'\n", out);
}

static const char fish_head[] =
    "# Completion of tpq for fish.\n"
    "function __tpq_names\n    set -l words (commandline -opc)\n    set -l db $TPQ_DB\n"
    "    for at in (seq (count $words))\n        switch $words[$at]\n"
    "            case --db\n                set db $words[(math $at + 1)]\n"
    "            case '--db=*'\n                set db (string sub -s 6 -- $words[$at])\n"
    "        end\n    end\n"
    "    command -q $words[1]; or return\n"
    "    TPQ_DB=$db $words[1] help names $argv[1] 2>/dev/null\nend\n"
    "function __tpq_is_behind\n    set -l words (commandline -opc)\n"
    "    test \"$words[2..]\" = \"$argv\"\nend\n"
    "complete -c tpq -f -n __fish_use_subcommand -a help -d 'explain a verb'\n"
    "complete -c tpq -f -n __fish_use_subcommand -l help -d 'print help'\n"
    "complete -c tpq -f -n __fish_use_subcommand -l version -d 'print the version'\n"
    "complete -c tpq -n __fish_use_subcommand -l compat-links -r -d 'make links named like other "
    "tools'\n"
    "complete -c tpq -f -n '__tpq_is_behind help recipes' -a '(__tpq_names recipes)'\n";

void help_fish(const struct verb *const *verbs, FILE *out)
{
    fputs(fish_head, out);
    fputs("complete -c tpq -f -n '__tpq_is_behind help' -a '", out);
    print_verbs(out, verbs);
    fprintf(out, " %s'\n", topics);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, "complete -c tpq -f -n __fish_use_subcommand -a %s -d '", verbs[i]->name);
        print_fish_words(out, verbs[i]->summary);
        fputs("'\n", out);
        for (const struct option *option = verbs[i]->options; option->name; option++)
            print_fish_option(out, verbs[i], option);
        print_fish_option(out, verbs[i], &help_option);
        bool or_file;
        const char *kind = kind_of_operand(verbs[i], &or_file);
        if (kind)
            fprintf(out,
                    "complete -c tpq -n '__fish_seen_subcommand_from %s'%s -a '(__tpq_names "
                    "%s)'\n",
                    verbs[i]->name, or_file ? "" : " -f", kind);
    }
}
