/* snapshot_values: runs a pickle of plain data.
 *
 * A dict that is whole becomes a row at once and its values are freed, so what grows with the file
 * are rows. A container is whole when another one takes it, or when a container comes behind a
 * filled dict, which no key can be. Nothing may change it then: so nothing ever holds itself.
 */
#include "ingest/snapshot/snapshot_reader.h"

enum { DEPTH_MAX = 1000, ITEMS_KEPT = 64 };

/* Values that are held at once, and how many of them a container counts for. A value takes 16
 * bytes, and one or two of the pickle. */
enum { VALUES_FREE = 1 << 20, VALUE_BYTES = 2, CONTAINER_VALUES = 5 };

static bool refuse(struct snapshot *self, const char *words)
{
    return pickle_refuse(&self->pickle, words);
}

/* ------------------------------------------------------------------ nodes */

static struct value new_node(struct snapshot *self, enum node_kind kind)
{
    uint32_t number;
    if (self->unused.count) {
        number = self->unused.items[--self->unused.count];
    } else {
        number = (uint32_t)self->nodes.count;
        if (number == UINT32_MAX)
            memory_fail();
        array_add(&self->nodes, (struct node){.kind = kind});
    }
    struct node *node = &self->nodes.items[number];
    *node = (struct node){.items = node->items, .kind = kind};
    return (struct value){number, VALUE_NODE};
}

/* Frees a value that nothing refers to any more. No deeper than DEPTH_MAX. */
static void release(struct snapshot *self, const struct value *value)
{
    if (value->type != VALUE_NODE || snapshot_node(self, value)->is_kept)
        return;
    struct node *node = snapshot_node(self, value);
    for (size_t i = 0; i < node->items.count; i++)
        release(self, &node->items.items[i]);
    self->held -= node->items.count;
    node->items.count = 0;
    if (node->items.room > ITEMS_KEPT)
        array_free(&node->items);
    array_add(&self->unused, (uint32_t)value->number);
}

/* Makes of a container what it stays, and of the value what the container became. */
static bool settle(struct snapshot *self, struct value *value)
{
    if (value->type != VALUE_NODE)
        return true;
    struct node *node = snapshot_node(self, value);
    if (node->is_whole) {
        *value = node->became;
        return true;
    }
    struct value became = *value, was = *value;
    if (!self->is_plain && !snapshot_row(self, (uint32_t)value->number, &became))
        return false;
    node->is_whole = true;
    node->became = *value = became;
    if (became.type == VALUE_NODE)
        return true;
    if (!node->is_kept) {
        release(self, &was);
        return true;
    }
    for (size_t i = 0; i < node->items.count; i++)
        release(self, &node->items.items[i]);
    self->held -= node->items.count;
    array_free(&node->items);
    return true;
}

/* ------------------------------------------------------------------ the stack */

/* Where values begin that the opcode in hand may take. */
static size_t fence(const struct snapshot *self)
{
    return self->marks.count ? self->marks.items[self->marks.count - 1] : 0;
}

static bool push(struct snapshot *self, struct value value)
{
    if (value.type == VALUE_NODE && self->stack.count > fence(self)) {
        struct value *below = &self->stack.items[self->stack.count - 1];
        if (below->type == VALUE_NODE && snapshot_node(self, below)->kind == NODE_DICT &&
            snapshot_node(self, below)->items.count && !settle(self, below))
            return false;
    }
    size_t held = self->stack.count + self->held +
                  CONTAINER_VALUES * (self->nodes.count - self->unused.count);
    if ((int64_t)held > VALUES_FREE + pickle_offset(&self->pickle) / VALUE_BYTES)
        return refuse(self, "holds more values than its size allows");
    array_add(&self->stack, value);
    return true;
}

static bool push_node(struct snapshot *self, enum node_kind kind)
{
    return push(self, new_node(self, kind));
}

static bool have(struct snapshot *self, size_t count)
{
    return self->stack.count - fence(self) >= count ||
           refuse(self, "takes values that are not there");
}

/* Takes the last mark away: `*first` is the first value behind it. */
static bool pop_mark(struct snapshot *self, size_t *first)
{
    *first = 0;
    if (!self->marks.count)
        return refuse(self, "takes a mark that is not there");
    *first = self->marks.items[--self->marks.count];
    return true;
}

/* Gives all values from `first` on to a container. */
static bool give(struct snapshot *self, struct value *container, size_t first)
{
    size_t count = self->stack.count - first;
    struct node *node = snapshot_node(self, container);
    if (node->is_whole)
        return refuse(self, "changes a value that another one holds");
    for (size_t i = first; i < self->stack.count; i++) {
        struct value *value = &self->stack.items[i];
        if (!settle(self, value))
            return false;
        if (value->type == VALUE_NODE) {
            uint16_t height = snapshot_node(self, value)->height;
            if (height >= DEPTH_MAX)
                return refuse(self, "is deeper than 1,000");
            if (node->height <= height)
                node->height = (uint16_t)(height + 1);
            if (node->kind == NODE_DICT && (i - first) % 2 == 0)
                return refuse(self, "has a key that is no text");
        }
    }
    if (node->is_whole) /* one of the values was the container itself */
        return refuse(self, "has a value that contains itself");
    array_reserve(&node->items, count);
    if (count)
        memcpy(node->items.items + node->items.count, self->stack.items + first,
               count * sizeof *self->stack.items);
    node->items.count += count;
    self->held += count;
    self->stack.count = first;
    return true;
}

/* To the container under `first`. */
static bool add_items(struct snapshot *self, enum node_kind kind, size_t first)
{
    if (first == fence(self))
        return refuse(self, "takes values that are not there");
    struct value container = self->stack.items[first - 1];
    if (container.type != VALUE_NODE || snapshot_node(self, &container)->kind != kind)
        return refuse(self, "adds to a value that cannot hold it");
    if (kind == NODE_DICT && (self->stack.count - first) % 2)
        return refuse(self, "has a key without a value");
    return give(self, &container, first);
}

/* Makes a container of the values from `first` on. */
static bool collect(struct snapshot *self, enum node_kind kind, size_t first)
{
    if (kind == NODE_DICT && (self->stack.count - first) % 2)
        return refuse(self, "has a key without a value");
    struct value container = new_node(self, kind);
    return give(self, &container, first) && push(self, container);
}

static bool pop(struct snapshot *self)
{
    size_t ignored;
    if (self->marks.count && fence(self) == self->stack.count)
        return pop_mark(self, &ignored);
    if (!have(self, 1))
        return false;
    release(self, &self->stack.items[--self->stack.count]);
    return true;
}

static bool pop_to_mark(struct snapshot *self)
{
    size_t first;
    bool done = pop_mark(self, &first);
    while (done && self->stack.count > first)
        release(self, &self->stack.items[--self->stack.count]);
    return done;
}

static bool duplicate(struct snapshot *self)
{
    if (!have(self, 1))
        return false;
    struct value value = self->stack.items[self->stack.count - 1];
    if (value.type == VALUE_NODE)
        snapshot_node(self, &value)->is_kept = true;
    return push(self, value);
}

/* ------------------------------------------------------------------ the memo */

static bool put(struct snapshot *self, int64_t number)
{
    if (!have(self, 1))
        return false;
    if (number >= pickle_offset(&self->pickle))
        return refuse(self, "has a memo larger than the file");
    size_t place = (size_t)number;
    if (place >= self->known.count) {
        size_t more = place + 1 - self->known.count;
        array_reserve(&self->known, more);
        memset(self->known.items + self->known.count, 0, more);
        self->known.count += more;
    }
    self->memo_count += !self->known.items[place];
    self->known.items[place] = 1;
    if (place >= self->slots.count || !self->slots.items[place])
        return true;
    struct value value = self->stack.items[self->stack.count - 1];
    if (value.type == VALUE_NODE)
        snapshot_node(self, &value)->is_kept = true;
    uint32_t *slot = &self->slots.items[place];
    if (*slot > 1) {
        self->memo.items[*slot - 2] = value;
        return true;
    }
    *slot = (uint32_t)self->memo.count + 2;
    array_add(&self->memo, value);
    return true;
}

static bool get(struct snapshot *self, int64_t number)
{
    uint32_t slot = (uint64_t)number < self->slots.count ? self->slots.items[(size_t)number] : 0;
    if (slot < 2)
        return refuse(self, "fetches a value that is not there");
    struct value value = self->memo.items[slot - 2];
    if (value.type == VALUE_NODE && snapshot_node(self, &value)->is_whole)
        value = snapshot_node(self, &value)->became;
    return push(self, value);
}

/* ------------------------------------------------------------------ the opcodes */

static bool push_text(struct snapshot *self)
{
    struct pickle *pickle = &self->pickle;
    struct view plain;
    struct notes *notes = &self->trace->notes;
    size_t place = (size_t)self->memo_count, behind = self->stack.count - fence(self);
    const struct value *key = behind % 2 ? &self->stack.items[self->stack.count - 1] : NULL;
    if (self->has_no_labels && key && key->type == VALUE_TEXT &&
        key->number == WORD_USER_METADATA &&
        (place >= self->slots.count || !self->slots.items[place])) /* never fetched again */
        return push(self, (struct value){0, VALUE_NONE});
    if (pickle->is_cut)
        note_count(notes, NOTE_VALUE_CUT, 1, -1, pickle->place);
    uint32_t number = 0;
    plain_text(pickle->text, &self->scratch, notes, -1, &plain);
    number = intern_add(&self->trace->strings, plain.bytes, plain.length);
    return push(self, (struct value){number, VALUE_TEXT});
}

static bool step(struct snapshot *self)
{
    const struct pickle *pickle = &self->pickle;
    size_t first, count = self->stack.count;
    switch ((enum pickle_opcode)pickle->opcode) {
    case PICKLE_PROTO:
        return pickle->number <= 5 || refuse(self, "is of an unknown protocol");
    case PICKLE_FRAME:
    case PICKLE_STOP:
        return true;
    case PICKLE_MARK:
        if (self->marks.count == DEPTH_MAX)
            return refuse(self, "is deeper than 1,000");
        array_add(&self->marks, self->stack.count);
        return true;
    case PICKLE_POP:
        return pop(self);
    case PICKLE_POP_MARK:
        return pop_to_mark(self);
    case PICKLE_DUP:
        return duplicate(self);
    case PICKLE_NONE:
        return push(self, (struct value){0, VALUE_NONE});
    case PICKLE_NEWTRUE:
        return push(self, (struct value){1, VALUE_BOOLEAN});
    case PICKLE_NEWFALSE:
        return push(self, (struct value){0, VALUE_BOOLEAN});
    case PICKLE_BINFLOAT:
        return push(self, (struct value){0, VALUE_REAL});
    case PICKLE_BININT:
    case PICKLE_BININT1:
    case PICKLE_BININT2:
    case PICKLE_LONG1:
    case PICKLE_LONG4:
        return push(self, (struct value){pickle->number, pickle->is_unsigned && pickle->number < 0
                                                             ? VALUE_UNSIGNED
                                                             : VALUE_INTEGER});
    case PICKLE_BINSTRING:
    case PICKLE_SHORT_BINSTRING:
    case PICKLE_BINUNICODE:
    case PICKLE_SHORT_BINUNICODE:
    case PICKLE_BINUNICODE8:
    case PICKLE_BINBYTES:
    case PICKLE_SHORT_BINBYTES:
    case PICKLE_BINBYTES8:
        return push_text(self);
    case PICKLE_EMPTY_LIST:
        return push_node(self, NODE_LIST);
    case PICKLE_EMPTY_DICT:
        return push_node(self, NODE_DICT);
    case PICKLE_EMPTY_TUPLE:
        return push_node(self, NODE_TUPLE);
    case PICKLE_APPEND:
        return have(self, 2) && add_items(self, NODE_LIST, count - 1);
    case PICKLE_SETITEM:
        return have(self, 3) && add_items(self, NODE_DICT, count - 2);
    case PICKLE_APPENDS:
        return pop_mark(self, &first) && add_items(self, NODE_LIST, first);
    case PICKLE_SETITEMS:
        return pop_mark(self, &first) && add_items(self, NODE_DICT, first);
    case PICKLE_DICT:
        return pop_mark(self, &first) && collect(self, NODE_DICT, first);
    case PICKLE_LIST:
        return pop_mark(self, &first) && collect(self, NODE_LIST, first);
    case PICKLE_TUPLE:
        return pop_mark(self, &first) && collect(self, NODE_TUPLE, first);
    case PICKLE_TUPLE1:
        return have(self, 1) && collect(self, NODE_TUPLE, count - 1);
    case PICKLE_TUPLE2:
        return have(self, 2) && collect(self, NODE_TUPLE, count - 2);
    case PICKLE_TUPLE3:
        return have(self, 3) && collect(self, NODE_TUPLE, count - 3);
    case PICKLE_BINGET:
    case PICKLE_LONG_BINGET:
        return get(self, pickle->number);
    case PICKLE_BINPUT:
    case PICKLE_LONG_BINPUT:
        return put(self, pickle->number);
    case PICKLE_MEMOIZE:
        return put(self, self->memo_count);
    }
    return refuse(self, "has an unknown opcode");
}

bool snapshot_run(struct snapshot *self, struct value *top)
{
    do
        if (!pickle_next(&self->pickle) || !step(self))
            return false;
    while (self->pickle.opcode != PICKLE_STOP);
    if (self->marks.count || self->stack.count != 1)
        return refuse(self, "does not leave one value");
    *top = self->stack.items[0];
    return true;
}
