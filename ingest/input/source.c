/* source: see source.h.
 *
 * With a thread, a pump decompresses ahead into a small ring of slots and the reader copies out
 * of them. Plain files have no pump: reading them costs less than handing them over.
 */
#include "ingest/input/source.h"

#include "ingest/input/decode.h"
#include "src/base/hash.h"
#include "src/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOT_COUNT = 4, SLOT_BYTES = 256 << 10 };

struct slot {
    unsigned char *bytes;
    ptrdiff_t length; /* 0 = the end, -1 = failed, see pump.error */
};

struct pump {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct decoder *decoder;
    struct slot slots[SLOT_COUNT];
    size_t filled, drained; /* counts of slots since the start */
    size_t offset;          /* into the slot that is being drained */
    bool stop;
    struct error error;
};

struct source {
    int file;
    char *path;
    struct decoder *decoder;
    struct pump *pump;
    struct memory *memory; /* in use when it was opened */
    bool threaded, truncated;
    int kept; /* the file that keeps what was read; -1 = none */
    bool rewound;
    int whole;          /* the file with all of the content; -1 = not asked for */
    off_t origin;       /* where the input begins; -1 = it cannot be gone back in */
    int64_t file_bytes; /* of the input, when the kept file is read */
    int64_t content_bytes;
    size_t peek_position, peek_end;
    unsigned char peeked[SOURCE_PEEK_MAX];
    XXH3_state_t *hash;
    _Atomic int64_t *progress;
};

static void *pump_run(void *context)
{
    struct pump *self = context;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (self->filled - self->drained == SLOT_COUNT && !self->stop)
            pthread_cond_wait(&self->changed, &self->lock);
        bool stop = self->stop;
        pthread_mutex_unlock(&self->lock);
        if (stop)
            return NULL;
        struct slot *slot = &self->slots[self->filled % SLOT_COUNT];
        slot->length = decoder_read(self->decoder, slot->bytes, SLOT_BYTES, &self->error);
        pthread_mutex_lock(&self->lock);
        self->filled++;
        pthread_cond_signal(&self->changed);
        pthread_mutex_unlock(&self->lock);
        if (slot->length <= 0)
            return NULL;
    }
}

static void pump_free(struct pump *self)
{
    for (size_t i = 0; i < SLOT_COUNT; i++)
        memory_free(self->slots[i].bytes);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    memory_free(self);
}

/* NULL when threads are out; the source then works without. */
static struct pump *pump_start(struct decoder *decoder)
{
    struct pump *self = memory_zeroed(1, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->decoder = decoder;
    for (size_t i = 0; i < SLOT_COUNT; i++)
        self->slots[i].bytes = memory_take(SLOT_BYTES);
    if (pthread_create(&self->thread, NULL, pump_run, self) == 0)
        return self;
    pump_free(self);
    return NULL;
}

static void pump_stop(struct pump *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->stop = true;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    pump_free(self);
}

static ptrdiff_t pump_read(struct pump *self, void *buffer, size_t room, struct error *error)
{
    pthread_mutex_lock(&self->lock);
    while (self->filled == self->drained)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
    struct slot *slot = &self->slots[self->drained % SLOT_COUNT];
    if (slot->length <= 0) {
        if (slot->length < 0)
            *error = self->error;
        return slot->length;
    }
    size_t count = (size_t)slot->length - self->offset;
    if (count > room)
        count = room;
    memcpy(buffer, slot->bytes + self->offset, count);
    self->offset += count;
    if (self->offset == (size_t)slot->length) {
        self->offset = 0;
        pthread_mutex_lock(&self->lock);
        self->drained++;
        pthread_cond_signal(&self->changed);
        pthread_mutex_unlock(&self->lock);
    }
    return (ptrdiff_t)count;
}

static bool open_file(struct source *self, const char *path, struct error *error)
{
    if (strcmp(path, "-") == 0) {
        self->file = STDIN_FILENO;
        return true;
    }
    self->file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (self->file < 0 || fstat(self->file, &status) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                         strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(error, STATUS_BAD_INPUT, "%s: is a directory", path);
    posix_fadvise(self->file, 0, 0, POSIX_FADV_SEQUENTIAL);
    return true;
}

static void close_lost(void *source)
{
    source_close(source);
}

struct source *source_open(const char *path, bool threaded, _Atomic int64_t *progress,
                           struct error *error)
{
    struct source *self = memory_zeroed(1, sizeof *self);
    self->memory = memory_in_use();
    self->file = self->kept = self->whole = -1;
    self->threaded = threaded;
    self->progress = progress;
    memory_at_end(close_lost, self);
    self->path = memory_text(strcmp(path, "-") == 0 ? "(stdin)" : path);
    self->hash = XXH3_createState();
    if (!self->hash)
        memory_fail();
    XXH3_128bits_reset(self->hash);
    if (!open_file(self, path, error))
        goto fail;
    self->origin = lseek(self->file, 0, SEEK_CUR);
    self->decoder = decoder_open(self->file, self->path, error);
    if (!self->decoder)
        goto fail;
    if (threaded && !decoder_is_plain(self->decoder))
        self->pump = pump_start(self->decoder);
    return self;
fail:
    source_close(self);
    return NULL;
}

static bool open_kept(struct source *self, struct error *error)
{
    char path[4096];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tpq.XXXXXX", directory && *directory ? directory : "/tmp");
    self->kept = mkostemp(path, O_CLOEXEC);
    if (self->kept < 0)
        return error_set(error, STATUS_DATABASE, "%s: a temporary file cannot be made: %s", path,
                         strerror(errno));
    unlink(path);
    return true;
}

bool source_keep(struct source *self, struct error *error)
{
    return self->origin >= 0 || open_kept(self, error);
}

bool source_rewind(struct source *self, struct error *error)
{
    struct memory *before = memory_enter(self->memory);
    int file = self->kept >= 0 ? self->kept : self->file;
    if (self->kept >= 0)
        self->file_bytes = decoder_file_bytes(self->decoder);
    pump_stop(self->pump);
    self->pump = NULL;
    decoder_close(self->decoder);
    self->decoder = NULL;
    self->peek_position = self->peek_end = 0;
    self->content_bytes = 0;
    self->truncated = false;
    XXH3_128bits_reset(self->hash);
    off_t origin = self->kept >= 0 ? 0 : self->origin;
    self->rewound = true;
    if (lseek(file, origin, SEEK_SET) != origin)
        error_set(error, STATUS_BAD_INPUT, "%s: cannot be read again: %s", self->path,
                  strerror(errno));
    else
        self->decoder = decoder_open(file, self->path, error);
    if (self->decoder && self->threaded && !decoder_is_plain(self->decoder))
        self->pump = pump_start(self->decoder);
    memory_enter(before);
    return self->decoder != NULL;
}

/* Keeps what was read in the file without a name. */
static bool keep_bytes(struct source *self, const unsigned char *bytes, size_t count,
                       struct error *error)
{
    while (count) {
        ssize_t written = write(self->kept, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set(error, STATUS_DATABASE, "the temporary file cannot be written: %s",
                             strerror(errno));
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

void source_close(struct source *self)
{
    if (!self)
        return;
    memory_forget(self);
    pump_stop(self->pump);
    decoder_close(self->decoder);
    if (self->file > STDIN_FILENO)
        close(self->file);
    if (self->kept >= 0)
        close(self->kept);
    XXH3_freeState(self->hash);
    memory_free(self->path);
    memory_free(self);
}

static ptrdiff_t read_through(struct source *self, void *buffer, size_t room, struct error *error)
{
    ptrdiff_t got;
    if (self->pump)
        got = pump_read(self->pump, buffer, room, error);
    else
        got = decoder_read(self->decoder, buffer, room, error);
    if (self->progress && self->decoder)
        *self->progress = decoder_file_bytes(self->decoder);
    return got;
}

ptrdiff_t source_peek(struct source *self, const unsigned char **bytes, size_t wanted,
                      struct error *error)
{
    if (wanted > SOURCE_PEEK_MAX)
        wanted = SOURCE_PEEK_MAX;
    self->peek_end -= self->peek_position;
    memmove(self->peeked, self->peeked + self->peek_position, self->peek_end);
    self->peek_position = 0;
    while (self->peek_end < wanted) {
        struct error failure = {0};
        ptrdiff_t got = read_through(self, self->peeked + self->peek_end,
                                     SOURCE_PEEK_MAX - self->peek_end, &failure);
        if (got < 0 && self->peek_end == 0) {
            self->truncated = decoder_truncated(self->decoder);
            *error = failure;
            return -1;
        }
        if (got <= 0) /* a failure shows again when these bytes have been read */
            break;
        self->peek_end += (size_t)got;
    }
    *bytes = self->peeked;
    return (ptrdiff_t)self->peek_end;
}

ptrdiff_t source_read(struct source *self, void *buffer, size_t room, struct error *error)
{
    ptrdiff_t got;
    size_t peeked = self->peek_end - self->peek_position;
    if (peeked > 0) {
        got = (ptrdiff_t)(peeked < room ? peeked : room);
        memcpy(buffer, self->peeked + self->peek_position, (size_t)got);
        self->peek_position += (size_t)got;
    } else {
        got = read_through(self, buffer, room, error);
        if (got < 0)
            self->truncated = decoder_truncated(self->decoder);
    }
    if (got > 0) {
        if (self->kept >= 0 && !self->rewound && !keep_bytes(self, buffer, (size_t)got, error))
            return -1;
        XXH3_128bits_update(self->hash, buffer, (size_t)got);
        self->content_bytes += got;
    }
    return got;
}

int source_file(struct source *self, struct error *error)
{
    unsigned char bytes[1 << 14];
    ptrdiff_t got = 1;
    if (self->whole >= 0)
        return self->whole;
    bool is_itself = decoder_is_plain(self->decoder) && self->origin == 0;
    if (!is_itself && self->kept < 0 && !open_kept(self, error))
        return -1;
    while (got > 0)
        got = source_read(self, bytes, sizeof bytes, error);
    if (got == 0)
        self->whole = is_itself ? self->file : self->kept;
    return self->whole;
}

bool source_drain(struct source *self, struct error *error)
{
    unsigned char rest[4096];
    ptrdiff_t got;
    do
        got = source_read(self, rest, sizeof rest, error);
    while (got > 0);
    return got == 0;
}

bool source_truncated(const struct source *self)
{
    return self->truncated;
}

void source_call(struct source *self, const char *path)
{
    memory_free(self->path);
    self->path = memory_text(path);
}

const char *source_path(const struct source *self)
{
    return self->path;
}

int64_t source_file_bytes(const struct source *self)
{
    return self->file_bytes ? self->file_bytes : decoder_file_bytes(self->decoder);
}

int64_t source_content_bytes(const struct source *self)
{
    return self->content_bytes;
}

void source_hash(const struct source *self, char hex[33])
{
    XXH128_hash_t hash = XXH3_128bits_digest(self->hash);
    snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
