/* embed_tool: a build tool that turns .sql files into the C list of embed.h.
 *
 *     embed_tool ROOT FILE... > embedded.c      FILEs stand below ROOT, sorted
 *     embed_tool --text NAME FILE > text.c      one file as a text of that name
 */
#include <stdio.h>
#include <string.h>

static int print_file(const char *path, const char *head)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    printf("%s[] = {", head);
    int byte;
    for (int i = 0; (byte = getc(file)) != EOF; i++)
        printf("%s%d,", i % 24 ? "" : "\n", byte < 128 ? byte : byte - 256);
    printf("0};\n");
    fclose(file);
    return 0;
}

int main(int count, char **arguments)
{
    char head[80];
    if (count < 2)
        return 2;
    if (count == 4 && strcmp(arguments[1], "--text") == 0) {
        snprintf(head, sizeof head, "extern const char %s[];\nconst char %s", arguments[2],
                 arguments[2]);
        return print_file(arguments[3], head);
    }
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
