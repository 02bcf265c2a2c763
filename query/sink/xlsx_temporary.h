/* xlsx_temporary: the files without a name in which libxlsxwriter gathers the parts of a workbook.
 *
 * The library does not look at what becomes of what it writes to them and reads from them, and
 * would pack a part that is cut or lacks its middle. Therefore it gets them from here, in the place
 * of its own lxw_tmpfile: the first call of the system that fails is kept, and whoever writes the
 * workbook asks for it before the workbook gets its name.
 *
 *     xlsx_temporaries_begin(&files); ... calls that open such files ...; xlsx_temporaries_pause();
 *     ... if (files.reason) the workbook is not whole ...; xlsx_temporaries_free(&files);
 */
#pragma once

struct xlsx_temporary;

/* Temporary files of one workbook; stays where it is while the library has any of them. */
struct xlsx_temporaries {
    const char *directory;
    int reason;                  /* errno of the first call that failed, 0 = none did */
    struct xlsx_temporary *open; /* those that the library has not closed */
};

/* Files that the library opens in this thread from now on belong to `self`. */
void xlsx_temporaries_begin(struct xlsx_temporaries *self);

/* It opens none any more. */
void xlsx_temporaries_pause(void);

/* Closes what the library left open, which it does with a workbook that is given up. Comes after
 * that workbook has been freed. */
void xlsx_temporaries_free(struct xlsx_temporaries *self);
