/* embed_tool: a build tool that turns .sql files into the C list of embed.h.
 *
 *     embed_tool ROOT FILE... > embedded.c      FILEs stand below ROOT, sorted
 *     embed_tool --text NAME FILE > text.c      one file as a text of that name
 */
#include <stdio.h>
#include <string.h>

/* Compilers take texts of any length, as one literal the fastest. */
static const char long_texts[] = "#pragma GCC diagnostic ignored \"-Woverlength-strings\"";

static int print_file(const char *path, const char *head)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    printf("%s[] =\n    \"", head);
    for (int byte; (byte = getc(file)) != EOF;)
        if (byte == '\n')
            printf("\\n\"\n    \"");
        else if (byte == '"' || byte == '\\' || byte == '?' || byte < ' ' || byte > '~')
            printf("\\%03o", (unsigned)byte);
        else
            putchar(byte);
    printf("\";\n");
    fclose(file);
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
    puts(long_texts);
    size_t root = strlen(arguments[1]) + 1;
    printf("#include \"sql/embed.h\"\n\n");
    for (int i = 2; i < count; i++) {
        snprintf(head, sizeof head, "static const char text_%d", i - 2);
        if (print_file(arguments[i], head))
            return 1;
    }
    printf("\nconst struct sql_file sql_files[] = {\n");
    for (int i = 2; i < count; i++)
        printf("    {\"%s\", text_%d},\n", arguments[i] + root, i - 2);
    printf("};\nconst int sql_file_count = %d;\n", count - 2);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
