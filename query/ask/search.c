/* search: A term is a word that was typed, or a row of search_word whose words are in the question,
 * also as parts of identifiers; the more of its words, the more it weighs. A term matches in any of
 * its forms, at best once. Each entry is rated by each form; how many entries a form hits says what
 * such a hit weighs. A rule gives part of its score to the report that shows it. */
#include "query/ask/search.h"

#include "query/ask/search.sql.h"
#include "sql/binding/options.h"
#include "sql/build/embed.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/name_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MADE_KIND, MADE_NAME, MADE_WORDS, MADE_MORE, MADE_REPORT, MADE_COUNT };
enum { RATE_NAME = 10 };

struct form {
    char word[48];
    double weight; /* 1: it was typed */
    size_t hits, term;
    bool is_name; /* a row of search_word names it */
};

struct question {
    struct text plain; /* " word word ": small letters, singular; then identifiers in parts, too */
    ARRAY(struct form) forms; /* by term */
    size_t terms;
};

/* ------------------------------------------------------------------ the question */

/* The length of a word without the s of a plural, or the es of batches and launches. */
static size_t singular(const char *word, size_t length)
{
    if (length > 5 && strncasecmp(word + length - 4, "ches", 4) == 0 &&
        strchr("ntNT", word[length - 5]))
        return length - 2;
    return length - (length > 3 && tolower((unsigned char)word[length - 1]) == 's' &&
                     !strchr("suiSUI", word[length - 2]));
}

/* Adds " word word ", as questions and rows of search_word are compared: how many words. */
static size_t add_plain_words(const char *text, size_t length, bool parts, struct text *out)
{
    size_t count = 0;
    text_add_byte(out, ' ');
    for (size_t i = 0, word = 0; i <= length; i++) {
        bool is_in = i < length && isalnum((unsigned char)text[i]);
        bool is_part = parts && i && is_in && islower((unsigned char)text[i - 1]) &&
                       isupper((unsigned char)text[i]);
        if (is_in && !is_part)
            continue;
        for (size_t j = word; i > word && j < word + singular(text + word, i - word); j++)
            text_add_byte(out, (char)tolower((unsigned char)text[j]));
        text_add_string(out, i > word ? " " : "");
        count += i > word;
        word = i + !is_part;
    }
    return count;
}

static void add_form(struct question *self, const char *word, size_t length, double weight)
{
    struct form *form = array_push(&self->forms);
    *form = (struct form){.weight = weight, .term = self->terms};
    snprintf(form->word, sizeof form->word, "%.*s", (int)length, word);
}

static void read_typed_words(struct question *self, const char *text)
{
    static const char small[] =
        " a an the of by and or what which is in to my does do on got are why how it for with i me "
        "this at much can many where when be from see show find so that get have there nothing who "
        "all ";
    enum { WORDS_MAX = 16, WORD_MAX = 47 };
    for (size_t length; *text && self->terms < WORDS_MAX; text += length + !length) {
        char word[WORD_MAX + 3];
        length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        snprintf(word, sizeof word, " %.*s ", (int)length, text);
        if (length && length <= WORD_MAX && !view_contains_ignoring_case(view_of(small), word)) {
            add_form(self, text, singular(text, length), 1);
            self->terms++;
        }
    }
}

/* Adds what a row of search_word stands for, or its note, if the question has some of its words. */
static bool read_said(struct question *self, sqlite3_stmt *row, struct text *note)
{
    const char *list = (const char *)sqlite3_column_text(row, 0);
    const char *means = (const char *)sqlite3_column_text(row, 1);
    const char *said = (const char *)sqlite3_column_text(row, 2);
    size_t is_in = 0; /* the words of the longest */
    for (size_t length; *list; list += length + (list[length] == ',')) {
        struct text plain = {0};
        length = strcspn(list, ",");
        size_t words = add_plain_words(list, length, false, &plain);
        if (words > is_in && strstr(self->plain.items, plain.items))
            is_in = words;
    }
    if (is_in && said)
        text_format(note, "%s%s", note->count ? " " : "", said);
    double weight = 0.8 * (double)is_in;
    for (const char *at = is_in ? means : ""; *at; at += strcspn(at, " "), weight *= 0.95) {
        at += strspn(at, " ");
        add_form(self, at, strcspn(at, " "), weight);
    }
    self->terms++;
    return is_in > 0;
}

/* ------------------------------------------------------------------ entries */

static const char said_rows[] = "SELECT words, means, note FROM search_word WHERE guide IS NULL";

static bool read_catalog(struct question *self, struct search *search, struct error *error)
{
    struct warehouse warehouse;
    if (!warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    sqlite3_stmt *row = warehouse_prepare(&warehouse, search_rows, error);
    bool done = row != NULL;
    while (warehouse_next(&warehouse, row, &done, error)) {
        char *made[MADE_COUNT];
        for (int i = 0; i < MADE_COUNT; i++)
            made[i] = memory_text((const char *)sqlite3_column_text(row, i));
        struct listed *listed =
            listing_add(&search->found, made[MADE_NAME], made[MADE_KIND], made[MADE_WORDS]);
        memcpy(listed->made, made, sizeof made);
    }
    database_finalize(row);
    row = done ? warehouse_prepare(&warehouse, said_rows, error) : NULL;
    done = row != NULL;
    while (warehouse_next(&warehouse, row, &done, error))
        search->is_said |= read_said(self, row, &search->note);
    database_finalize(row);
    warehouse_close(&warehouse);
    return done;
}

/* Adds what is no object, function or row: options, recipes and columns. */
static void add_other_entries(const doc_list *docs, listing *all)
{
    static const char folder[] = "recipes/";
    struct text name = {0};
    for (const struct view_option *option = view_options; option->name; option++) {
        text_format(&name, "--%s", option->name);
        listing_add(all, name.items, "option", option->words)->made[MADE_NAME] = name.items;
        name = (struct text){0};
    }
    for (int i = 0; i < sql_file_count; i++) {
        const char *file = sql_files[i].path, *title = sql_files[i].text;
        if (!text_starts_with(file, folder))
            continue;
        text_format(&name, "help recipes %.*s", (int)(strcspn(file, ".") - strlen(folder)),
                    file + strlen(folder));
        struct listed *listed = listing_add(all, name.items, "recipe", title + strspn(title, "- "));
        listed->words.length = strcspn(listed->words.bytes, "\n");
        listed->made[MADE_NAME] = name.items;
        name = (struct text){0};
    }
    for (size_t i = 0; i < docs->count; i++)
        for (size_t j = 0;
             !listing_is_inside(&docs->items[i]) && j < docs_columns(&docs->items[i])->count; j++) {
            const struct doc_column *column = &docs->items[i].columns->items[j];
            text_format(&name, "%s.%s", docs->items[i].name, column->name);
            listing_add(all, name.items, "column", column->meaning)->made[MADE_NAME] = name.items;
            name = (struct text){0};
        }
}

/* ------------------------------------------------------------------ rating */

/* `whole` where a word of a text is the one, in the plural too; `part` where one begins so. */
static double rate_text(struct view text, const char *what, double whole, double part)
{
    enum { PART_LEAST = 3 };
    size_t length = strlen(what);
    double best = 0;
    bool begins = true;
    for (size_t i = 0; i + length <= text.length; i++) {
        const char *rest = text.bytes + i + length, *end = text.bytes + text.length;
        if (begins && strncasecmp(text.bytes + i, what, length) == 0) {
            rest += rest < end && *rest == 's';
            if (rest == end || !isalnum((unsigned char)*rest))
                return whole;
            best = length >= PART_LEAST ? part : best;
        }
        begins = !isalnum((unsigned char)text.bytes[i]);
    }
    return best;
}

static double rate_entry(const struct listed *entry, const char *word)
{
    static const char *const keys[] = {"words", "sheet", "alias", "also"};
    const char *name = entry->name, *dot = strchr(name, '.');
    double best = rate_text(view_of(dot ? dot + 1 : name), word, 8, 4);
    const char *space = strrchr(name, ' ');
    best = fmax(best, strcasecmp(space ? space + 1 : name, word) == 0 ? RATE_NAME : 0);
    best = fmax(best, rate_text(entry->words, word, 5, 2.5));
    if (!entry->object || best > 5)
        return fmax(best, rate_text(view_of(entry->made[MADE_MORE] ? entry->made[MADE_MORE] : ""),
                                    word, 3, 1));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *said = docs_declared(entry->object, keys[i]);
        best = fmax(best, said ? rate_text(view_of(said), word, 6, 3) : 0);
    }
    best = fmax(best, rate_text(view_of(entry->object->meaning), word, 2, 1));
    const doc_columns *columns = docs_columns(entry->object);
    for (size_t i = 0; i < columns->count && best < 1; i++) {
        best = fmax(best, rate_text(view_of(columns->items[i].name), word, 1, 0.5));
        best = fmax(best, rate_text(view_of(columns->items[i].heading), word, 1, 0.5));
    }
    return best;
}

static bool is_column(const struct listed *entry)
{
    return strcmp(entry->kind, "column") == 0;
}

/* Reports weigh most, of these what all formats fill. */
static double weigh_kind(const struct listed *entry)
{
    static const char *const common[] = {"pytorch", "multirank", "collectives", "snapshot", NULL};
    double weight = strcmp(entry->kind, "report") == 0 ? 1
                    : strcmp(entry->kind, "rule") == 0 ? 0.9
                    : entry->object                    ? 0.8
                    : is_column(entry)                 ? 0.4
                                                       : 0.6;
    const char *set = entry->object ? docs_declared(entry->object, "set") : NULL;
    const char *question = entry->object ? docs_declared(entry->object, "question") : NULL;
    weight *= set && !name_is_one_of(set, common) ? 0.8 : 1;
    return weight * (question && strchr(question, ' ') ? 1.15 : 1);
}

/* The sum over terms, and less where typed words are missing; a column has all of them. */
static double score_entry(const struct question *self, const struct listed *entry,
                          const double *rates, size_t entries)
{
    double typed = 0, said = 0, found = 0, all = 0, best = 0;
    for (size_t i = 0; i < self->forms.count; i++) {
        const struct form *form = &self->forms.items[i];
        bool is_last = i + 1 == self->forms.count || form[1].term != form->term;
        double rarity =
            form->hits ? form->weight * log(1 + (double)entries / (double)form->hits) : 0;
        best = fmax(best, rarity * rates[i]);
        all += form->weight == 1 ? rarity : 0;
        found += form->weight == 1 && rates[i] > 0 ? rarity : 0;
        *(form->weight == 1 ? &typed : &said) += is_last ? best : 0;
        best = is_last ? 0 : best;
    }
    struct text plain = {0};
    const char *dot = strchr(entry->name, '.'), *name = dot ? dot + 1 : entry->name;
    add_plain_words(name, strlen(name), false, &plain);
    bool is_exact =
        text_starts_with(self->plain.items, plain.items) && self->plain.items[plain.count] == ' ';
    double exact = is_exact && (!is_column(entry) || self->forms.count > 1) ? 50 : 0;
    if (is_column(entry) && (found < all || all == 0))
        return 0;
    double share = all > 0 ? found / all : 0;
    return weigh_kind(entry) * (typed * (0.3 + 0.7 * share) + (is_column(entry) ? 0 : said)) +
           exact;
}

static void rate_entries(struct question *self, listing *all)
{
    size_t forms = self->forms.count, entries = 0;
    double *rates = memory_zeroed(all->count * forms + 1, sizeof *rates);
    for (size_t i = 0; i < all->count; i++) {
        entries += !is_column(&all->items[i]);
        for (size_t j = 0; j < forms; j++) {
            struct form *form = &self->forms.items[j];
            double rate = rates[i * forms + j] = rate_entry(&all->items[i], form->word);
            form->hits += rate > 0 && !is_column(&all->items[i]);
            form->is_name |= form->weight != 1 && rate >= RATE_NAME;
        }
    }
    for (size_t i = 0; i < all->count * forms; i++)
        if (self->forms.items[i % forms].is_name) {
            rates[i] = rates[i] >= RATE_NAME ? RATE_NAME : 0;
            self->forms.items[i % forms].hits = 1;
        }
    for (size_t i = 0; i < all->count; i++)
        all->items[i].score =
            score_entry(self, &all->items[i], rates + i * forms, entries ? entries : 1);
    for (size_t i = 0; i < all->count; i++) {
        const char *report = all->items[i].made[MADE_REPORT];
        double part = all->items[i].score * 0.5;
        for (size_t j = 0; report && *report && part > 0 && j < all->count; j++)
            if (all->items[j].object && strcmp(all->items[j].name, report) == 0)
                all->items[j].score += part;
    }
}

/* ------------------------------------------------------------------ the search */

/* Keeps what comes near to the best. */
static void keep_found(listing *all, bool only_reports)
{
    size_t kept = 0;
    double best = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct listed *listed = &all->items[i];
        if (only_reports && !(listed->object && catalog_is_report(listed->object)))
            listed->score = 0;
        best = fmax(best, listed->score);
    }
    listing_sort(all);
    for (size_t i = 0; i < all->count; i++) {
        struct listed *listed = &all->items[i];
        listed->title = "Matches, the best one first";
        if (listed->score > 0 && listed->score >= 0.14 * best)
            all->items[kept++] = *listed;
    }
    all->count = kept;
}

bool search_run(struct search *self, const doc_list *docs, const char *what, bool only_reports,
                struct error *error)
{
    struct question question = {0};
    *self = (struct search){0};
    docs_read_columns(docs);
    add_plain_words(what, strlen(what), false, &question.plain);
    add_plain_words(what, strlen(what), true, &question.plain);
    read_typed_words(&question, what);
    listing everything = {0};
    listing_all(docs, &everything);
    for (size_t i = 0; i < everything.count; i++)
        if (!everything.items[i].object || !listing_is_inside(everything.items[i].object))
            array_add(&self->found, everything.items[i]);
    bool done = read_catalog(&question, self, error);
    add_other_entries(docs, &self->found);
    if (done)
        rate_entries(&question, &self->found);
    keep_found(&self->found, only_reports);
    return done;
}
