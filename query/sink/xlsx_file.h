/* xlsx_file: a file that gets its name only when it is whole, and the files on the way to it.
 *
 *     xlsx_file_open(&file, path, overwrite, error); ... write file.building ...;
 *     xlsx_file_publish(&file, error); xlsx_file_free(&file);
 */
#pragma once

#include "src/base/error.h"

struct xlsx_file {
    char *path, *directory;
    char *building; /* where it is written, beside `path`; NULL once it has its name */
    bool overwrite;
    bool is_out; /* copied to standard output when it is whole */
};

/* Fails for a file that is there, unless it may be overwritten, and where none can be made. */
bool xlsx_file_open(struct xlsx_file *self, const char *path, bool overwrite, struct error *error);

/* The error of a file that cannot be written, for this reason; returns false. */
bool xlsx_file_error(const struct xlsx_file *self, int reason, struct error *error);

/* Whether the members of the zip archive stand one behind the other, where its directory says that
 * they do: minizip takes a position that it could not get for one. An archive with fields for more
 * than 4 GB is not looked into. */
bool xlsx_file_is_whole(const struct xlsx_file *self);

bool xlsx_file_publish(struct xlsx_file *self, struct error *error);

/* Removes what is unfinished. */
void xlsx_file_free(struct xlsx_file *self);

/* The files without a name in which libxlsxwriter gathers the parts of a workbook.
 *
 * The library does not look at what becomes of what it writes to them and reads from them, and
 * would pack a part that is cut or lacks its middle. Therefore it gets them from here, in the place
 * of its own lxw_tmpfile: the first call of the system that fails is kept, and whoever writes the
 * workbook asks for it before the workbook gets its name.
 *
 *     xlsx_temporaries_begin(&files); ... calls that open such files ...; xlsx_temporaries_pause();
 *     ... if (files.reason) the workbook is not whole ...; xlsx_temporaries_free(&files);
 */
struct xlsx_temporary;

/* Temporary files of one workbook; stays where it is while the library has any of them. */
struct xlsx_temporaries {
    const char *directory;
    int reason;                  /* errno of the first call that failed, 0 = none did */
    struct xlsx_temporary *open; /* files that the library has not closed */
};

/* Files that the library opens in this thread from now on belong to `self`. */
void xlsx_temporaries_begin(struct xlsx_temporaries *self);

/* It opens none any more. */
void xlsx_temporaries_pause(void);

/* Closes what the library left open, which it does with a workbook that is given up. Comes after
 * that workbook has been freed. */
void xlsx_temporaries_free(struct xlsx_temporaries *self);
