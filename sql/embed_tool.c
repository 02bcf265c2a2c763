/* embed_tool: a build tool that turns .sql files into the C list of embed.h.
 *
 *     embed_tool ROOT FILE... > embedded.c      FILEs stand below ROOT, sorted
 */
#include <stdio.h>
#include <string.h>

static int print_file(const char *path, int number)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    printf("static const char text_%d[] = {", number);
    int byte;
    for (int i = 0; (byte = getc(file)) != EOF; i++)
        printf("%s%d,", i % 24 ? "" : "\n", byte < 128 ? byte : byte - 256);
    printf("0};\n");
    fclose(file);
    return 0;
}

int main(int count, char **arguments)
{
    if (count < 2)
        return 2;
    size_t root = strlen(arguments[1]) + 1;
    printf("#include \"embed.h\"\n\n");
    for (int i = 2; i < count; i++)
        if (print_file(arguments[i], i - 2))
            return 1;
    printf("\nconst struct sql_file sql_files[] = {\n");
    for (int i = 2; i < count; i++)
        printf("    {\"%s\", text_%d},\n", arguments[i] + root, i - 2);
    printf("};\nconst int sql_file_count = %d;\n", count - 2);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
