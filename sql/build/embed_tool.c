/* embed_tool: a build tool that turns .sql files into the C list of embed.h.
 *
 *     embed_tool ROOT FILE... > embedded.c      FILEs stand below ROOT, sorted
 *     embed_tool --text NAME FILE > text.c      one file as a text of that name
 *     embed_tool --statements FILE > FILE.h     its statements as texts: each paragraph, by the
 *                                               name that its comment begins with
 *     embed_tool --page STYLE SCRIPT... > page.c    what is in every page: a style and scripts,
 *                                               joined without indentation, comments and the
 *                                               ends of lines behind one of ,;:{(&|> and
 *                                               the hashes by which it allows them
 */
#include "sql/statement.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compilers take texts of any length, as one literal the fastest. */
static const char long_texts[] = "#pragma GCC diagnostic ignored \"-Woverlength-strings\"";

static void print_byte(int byte)
{
    if (byte == '\n')
        printf("\\n\"\n    \"");
    else if (byte == '"' || byte == '\\' || byte == '?' || byte < ' ' || byte > '~')
        printf("\\%03o", (unsigned)byte);
    else
        putchar(byte);
}

static int print_literal(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    printf("    \"");
    for (int byte; (byte = getc(file)) != EOF;)
        print_byte(byte);
    printf("\"\n");
    fclose(file);
    return 0;
}

static int print_file(const char *path, const char *head)
{
    printf("%s[] =\n", head);
    if (print_literal(path))
        return 1;
    printf(";\n");
    return 0;
}

/* ------------------------------------------------------------------ views */

enum { VIEWS_MAX = 1000, VIEW_NAME_MAX = 80 };

struct place {
    char name[VIEW_NAME_MAX];
    int file;
    size_t offset, length; /* of what stands behind CREATE VIEW */
    char *text;            /* that, for its own */
};

static int compare_places(const void *left, const void *right)
{
    return strcmp(((const struct place *)left)->name, ((const struct place *)right)->name);
}

/* The bytes of a file, ended by a zero byte. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        (bytes = calloc(1, (size_t)size + 1))) {
        rewind(file);
        if (fread(bytes, 1, (size_t)size, file) != (size_t)size)
            bytes[0] = '\0';
    }
    if (file)
        fclose(file);
    return bytes;
}

static int print_statements(const char *path)
{
    char *text = read_file(path), name[VIEW_NAME_MAX];
    for (char *at = text, *end; at; at = end) {
        if ((end = strstr(at, "\n\n-- "))) {
            *end = '\0';
            end += 2;
        }
        if (sscanf(at, "-- %79[a-z_]:", name) != 1) {
            fprintf(stderr, "%s: a statement without a name\n", path);
            return 1;
        }
        while (strncmp(at, "-- ", 3) == 0 && strchr(at, '\n'))
            at = strchr(at, '\n') + 1;
        for (size_t length = strlen(at); length && strchr("\n;", at[length - 1]);)
            at[--length] = '\0';
        printf("static const char %s[] =\n    \"", name);
        while (*at)
            print_byte((unsigned char)*at++);
        printf("\";\n");
    }
    free(text);
    return !text;
}

static int find_views(const char *path, int file, struct place *places, int count)
{
    static const char head[] = "\nCREATE VIEW ";
    char *text = read_file(path);
    const char *at = text;
    while (at && (at = strstr(at, head)) && count < VIEWS_MAX) {
        at += strlen(head);
        struct place *place = &places[count++];
        *place = (struct place){
            .file = file, .offset = (size_t)(at - text), .length = statement_length(at)};
        place->text = strndup(at, place->length);
        snprintf(place->name, sizeof place->name, "%.*s", (int)strcspn(at, " \n"), at);
        at += place->length;
    }
    free(text);
    return count;
}

/* The words of a view that are names of views, outside of comments and texts, and that name nothing
 * behind AS: more than it stands on, if other things are called so, too. */
static void print_needs(const struct place *view, const struct place *places, int count)
{
    static bool is_named[VIEWS_MAX];
    memset(is_named, 0, sizeof is_named);
    bool is_alias = false;
    for (const char *at = view->text; at && *at;) {
        if (strncmp(at, "--", 2) == 0 || *at == '\'') {
            at = strchr(at + 1, *at == '-' ? '\n' : '\'');
            at += at != NULL;
        } else if (!statement_is_word_byte(*at)) {
            at++;
        } else {
            struct place word = {.name = ""};
            size_t length = 0;
            while (statement_is_word_byte(at[length]))
                length++;
            snprintf(word.name, sizeof word.name, "%.*s", (int)length, at);
            const struct place *found =
                bsearch(&word, places, (size_t)count, sizeof *places, compare_places);
            if (found && found != view && !is_alias)
                is_named[found - places] = true;
            is_alias = strcmp(word.name, "AS") == 0;
            at += length;
        }
    }
    printf("static const short needs_%d[] = {", (int)(view - places));
    for (int i = 0; i < count; i++)
        if (is_named[i])
            printf("%d, ", i);
    printf("-1};\n");
}

static void print_views(char **paths, int count, size_t root)
{
    static struct place places[VIEWS_MAX];
    int found = 0;
    for (int i = 0; i < count; i++)
        if (strncmp(paths[i] + root, "views/", 6) == 0 ||
            strncmp(paths[i] + root, "reports/", 8) == 0 ||
            strncmp(paths[i] + root, "fleet/", 6) == 0)
            found = find_views(paths[i], i, places, found);
    qsort(places, (size_t)found, sizeof *places, compare_places);
    printf("\n");
    for (int i = 0; i < found; i++)
        print_needs(&places[i], places, found);
    printf("\nconst struct sql_view sql_views[] = {\n");
    for (int i = 0; i < found; i++) {
        printf("    {\"%s\", text_%d + %zu, %zu, needs_%d, %d},\n", places[i].name, places[i].file,
               places[i].offset, places[i].length, i,
               strcmp(paths[places[i].file] + root, "views/stock.sql") == 0);
        free(places[i].text);
    }
    printf("};\nconst int sql_view_count = %d;\n", found);
}

/* ------------------------------------------------------------------ pages */

/* SHA-256 (FIPS 180-4) of what is added. */
struct sha256 {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
};

static uint32_t rotate(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

/* Fractions of roots of the first primes: of square roots for the state, of cubic ones for rounds.
 */
static const uint32_t sha256_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha256_add(struct sha256 *self, unsigned char byte)
{
    self->block[self->length++ % 64] = byte;
    if (self->length % 64 == 0) {
        /* A whole block is mixed into the state (FIPS 180-4, 6.2.2). */
        uint32_t words[64], now[8];
        for (int i = 0; i < 16; i++)
            words[i] = (uint32_t)self->block[4 * i] << 24 | (uint32_t)self->block[4 * i + 1] << 16 |
                       (uint32_t)self->block[4 * i + 2] << 8 | self->block[4 * i + 3];
        for (int i = 16; i < 64; i++) {
            uint32_t left = words[i - 15], right = words[i - 2];
            words[i] = words[i - 16] + (rotate(left, 7) ^ rotate(left, 18) ^ left >> 3) +
                       words[i - 7] + (rotate(right, 17) ^ rotate(right, 19) ^ right >> 10);
        }
        memcpy(now, self->state, sizeof now);
        for (int i = 0; i < 64; i++) {
            uint32_t e = now[4], a = now[0];
            uint32_t first = now[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                             ((e & now[5]) ^ (~e & now[6])) + sha256_rounds[i] + words[i];
            uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                              ((a & now[1]) ^ (a & now[2]) ^ (now[1] & now[2]));
            memmove(now + 1, now, 7 * sizeof *now);
            now[4] += first;
            now[0] = first + second;
        }
        for (int i = 0; i < 8; i++)
            self->state[i] += now[i];
    }
}

/* The hash as policies of pages have it, in base64. */
static void print_hash(struct sha256 *self)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint64_t bits = self->length * 8;
    sha256_add(self, 0x80);
    while (self->length % 64 != 56)
        sha256_add(self, 0);
    for (int i = 56; i >= 0; i -= 8)
        sha256_add(self, (unsigned char)(bits >> i));
    unsigned char hash[33] = {0};
    for (int i = 0; i < 32; i++)
        hash[i] = (unsigned char)(self->state[i / 4] >> (24 - i % 4 * 8));
    printf("sha256-");
    for (int i = 0; i < 33; i += 3) {
        uint32_t three = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];
        for (int j = 18; j >= 0; j -= 6)
            putchar(i == 30 && j == 0 ? '=' : digits[three >> j & 63]);
    }
}

/* Pages do without indentation and lines that are comments. */
static const char *skip_unread(const char *line)
{
    for (;;) {
        const char *start = line + strspn(line, " "), *end;
        if (strncmp(start, "/*", 2) != 0 || !(end = strstr(start, "*/\n")))
            return start;
        line = end + strlen("*/\n");
    }
}

/* An operator that no text of the page has with a space beside it. */
static bool is_operator(const char *at)
{
    static const char *const all[] = {"=>", "&&", "||", "==", "!=", "= ", " ="};
    bool is_one = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        is_one |= strncmp(at, all[i], 2) == 0;
    return is_one;
}

/* White space that says nothing behind what stands before it. Styles have no comment of a line. */
static bool is_spare(const char *text, const char *at, bool is_style)
{
    const char *line = at;
    if (!is_style && *at == ' ' && (is_operator(at + 1) || (at - text > 1 && is_operator(at - 2))))
        return true;
    if (at == text || (*at != '\n' && !(is_style && *at == ' ')) ||
        !strchr(is_style ? ",;:{}" : ",;:{(&|>", at[-1]))
        return false;
    while (line > text && line[-1] != '\n')
        line--;
    for (; !is_style && line + 1 < at; line++)
        if (line[0] == '/' && line[1] == '/')
            return false;
    return true;
}

/* Files one behind the other as a text NAME, and its hash as NAME_hash. */
static int print_hashed(const char *name, char **paths, int count, bool is_style)
{
    struct sha256 hash = {0};
    memcpy(hash.state, sha256_state, sizeof hash.state);
    printf("extern const char %s[], %s_hash[];\nconst char %s[] =\n", name, name, name);
    for (int i = 0; i < count; i++) {
        char *text = read_file(paths[i]);
        if (!text) {
            perror(paths[i]);
            return 1;
        }
        printf("    \"");
        for (const char *at = skip_unread(text); *at;) {
            if (!is_spare(text, at, is_style)) {
                sha256_add(&hash, (unsigned char)*at);
                print_byte((unsigned char)*at);
            }
            at = *at == '\n' ? skip_unread(at + 1) : at + 1;
        }
        printf("\"\n");
        free(text);
    }
    printf(";\nconst char %s_hash[] = \"", name);
    print_hash(&hash);
    printf("\";\n");
    return 0;
}

int main(int count, char **arguments)
{
    char head[80];
    if (count < 2)
        return 2;
    if (count == 4 && strcmp(arguments[1], "--text") == 0) {
        puts(long_texts);
        snprintf(head, sizeof head, "extern const char %s[];\nconst char %s", arguments[2],
                 arguments[2]);
        return print_file(arguments[3], head);
    }
    if (count == 3 && strcmp(arguments[1], "--statements") == 0) {
        puts("#pragma GCC system_header"); /* texts of any length */
        return print_statements(arguments[2]);
    }
    if (count > 3 && strcmp(arguments[1], "--page") == 0) {
        puts(long_texts);
        return print_hashed("page_style", arguments + 2, 1, true) ||
               print_hashed("page_script", arguments + 3, count - 3, false);
    }
    puts(long_texts);
    size_t root = strlen(arguments[1]) + 1;
    printf("#include \"sql/build/embed.h\"\n\n");
    for (int i = 2; i < count; i++) {
        snprintf(head, sizeof head, "static const char text_%d", i - 2);
        if (print_file(arguments[i], head))
            return 1;
    }
    printf("\nconst struct sql_file sql_files[] = {\n");
    for (int i = 2; i < count; i++)
        printf("    {\"%s\", text_%d},\n", arguments[i] + root, i - 2);
    printf("};\nconst int sql_file_count = %d;\n", count - 2);
    print_views(arguments + 2, count - 2, root);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
