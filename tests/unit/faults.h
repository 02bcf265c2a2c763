/* faults: a disk that fails, or a process that dies, at the n-th write.
 *
 * Writes are the modifying calls of SQLite's files (write, truncate, sync, delete) and those that
 * the program itself makes (link, rename, unlink, write, fsync, mkostemp, and of a workbook's
 * temporary files pwrite, pread, fopencookie), for which the test must be linked with --wrap
 * (tests/CMakeLists.txt).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum fault {
    FAULT_NONE,     /* only counts */
    FAULT_FAIL,     /* the n-th write of SQLite and all after it fail */
    FAULT_DIE,      /* the process ends with the n-th write, which is not done */
    FAULT_DIE_HALF, /* half of it is done, where it writes to a file of SQLite */
    FAULT_DIE_DONE, /* it is done, where it does so */
    /* of the calls for temporary files: */
    FAULT_ONCE,      /* the n-th one fails, and those after it do not */
    FAULT_INTERRUPT, /* the same, because of a signal */
    FAULT_HALF,      /* the n-th one does half of what was asked */
};

/* What a process that died ends with. */
enum { DIED = 113 };

/* Makes SQLite use files that can be faulty; nothing is wrong with them yet. */
void faults_install(void);
void faults_remove(void);

/* The n-th write from now on is the one that `fault` means. */
void faults_start(enum fault fault, int64_t at);

/* From now on all is well again; gives the number of writes since faults_start. */
int64_t faults_stop(void);

/* Writes of one kind do the same to the same sort of file. */
enum { FAULT_KINDS = 64 };

/* The kind of the n-th write since faults_start(FAULT_NONE, ...); 0 before the first. */
int faults_kind(int64_t at);
bool faults_kind_has_halves(int kind);
bool faults_kind_ends(int kind); /* a transaction, or the making of a file */

/* The next file that the warehouse makes for a building is gone before it is locked. */
void faults_clear_away_next(void);
