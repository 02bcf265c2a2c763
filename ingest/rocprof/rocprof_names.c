/* rocprof_names: what records refer to: agents, symbols of kernels, names of kinds and operations,
 * messages of marks; and what is kept of the metadata. That carries command lines and paths; only
 * what is listed here is looked at. */
#include "ingest/rocprof/rocprof_reader.h"

#include "ingest/input/json_text.h"

#include <string.h>

/* A whole number in canonical JSON, perhaps as a text. */
static int64_t integer_of(struct view text)
{
    int64_t value;
    if (text.length > 2 && text.bytes[0] == '"')
        text = (struct view){text.bytes + 1, text.length - 2};
    return json_whole(text, &value) ? value : NONE;
}

/* A text in canonical JSON; 0 in `number` when it is none, or empty. */
static void rocprof_names_text_of(struct rocprof *self, struct view text, uint32_t *number)
{
    struct json_repairs ignored = {0};
    struct text plain = {0};
    *number = 0;
    if (text.length <= 2 || text.bytes[0] != '"')
        return;
    json_unescape((struct view){text.bytes + 1, text.length - 2}, &plain, &ignored);
    if (plain.count)
        *number = intern_add(&self->process->trace.strings, plain.items, plain.count);
    text_free(&plain);
}

/* The value in front of the scanner as canonical JSON in self->canonical; empty when it is too
 * long to look at. */
static bool next_canonical(struct rocprof *self, struct view *object)
{
    struct json_value value;
    *object = VIEW("");
    if (!json_value(&self->json, &value))
        return false;
    if (value.cut) {
        rocprof_note(self, NOTE_VALUE_CUT);
        return true;
    }
    if (value.type != JSON_OBJECT) {
        rocprof_note(self, NOTE_VALUE_ODD);
        return true;
    }
    if (!rocprof_canonical(self, json_view(&self->json, value.span)))
        return false;
    *object = text_view(&self->canonical);
    return true;
}

static bool read_object(struct rocprof *self)
{
    struct view object;
    return next_canonical(self, &object) && (!object.length || self->read_object(self, object));
}

/* Goes through the objects of a list, each in canonical form. */
static bool each_object(struct rocprof *self,
                        bool (*read)(struct rocprof *self, struct view object))
{
    self->read_object = read;
    return rocprof_each(self, read_object);
}

/* ------------------------------------------------------------------ metadata */

static const char *const kept_metadata[] = {"fini_time", "init_time", "pid"};
static const char *const kept_node[] = {"hostname", "release", "system_name"};

static void keep_members(struct rocprof *self, struct view object, const char *const *keys,
                         size_t count)
{
    struct text *out = &self->process->trace.metadata;
    for (size_t i = 0; i < count; i++) {
        struct view value = json_member(object, keys[i]);
        if (value.length) {
            text_format(out, "%c\"%s\":", out->count ? ',' : '{', keys[i]);
            text_add_view(out, value);
        }
    }
}

bool rocprof_read_metadata(struct rocprof *self)
{
    struct rocprof_process *process = self->process;
    struct view object;
    if (!next_canonical(self, &object) || !object.length)
        return self->error->status == STATUS_OK;
    if (process->trace.metadata.count) { /* it came before */
        rocprof_note(self, NOTE_DUPLICATE_KEY);
        text_clear(&process->trace.metadata);
    }
    process->pid = integer_of(json_member(object, "pid"));
    struct view command = json_member(object, "command");
    note_count(&process->trace.notes, NOTE_METADATA_LEFT_OUT,
               command.length || json_member(object, "config").length, -1, self->json.mark_offset);
    if (self->options->keep_metadata)
        text_add(&process->trace.metadata, object.bytes, object.length - 1);
    else {
        keep_members(self, object, kept_metadata, sizeof kept_metadata / sizeof *kept_metadata);
        keep_members(self, json_member(object, "node"), kept_node,
                     sizeof kept_node / sizeof *kept_node);
    }
    /* The last part of the path of the program. */
    struct view program = json_item(&command);
    for (size_t i = program.length; i-- > 0;)
        if (program.bytes[i] == '/') {
            text_clear(&self->raw);
            text_add_byte(&self->raw, '"');
            text_add(&self->raw, program.bytes + i + 1, program.length - i - 1);
            program = text_view(&self->raw);
            break;
        }
    rocprof_names_text_of(self, program, &self->process->command);
    return true;
}

/* ------------------------------------------------------------------ agents */

enum { AGENT_GPU = 2 };

/* Memory of all its banks. */
static int64_t memory_of(struct view agent)
{
    struct view banks = json_member(agent, "mem_banks"), bank;
    int64_t sum = NONE;
    if (!banks.length || banks.bytes[0] != '[')
        return NONE;
    while ((bank = json_item(&banks)).length) {
        int64_t size = bank.bytes[0] == '{' ? integer_of(json_member(bank, "size_in_bytes")) : NONE;
        if (size > 0)
            sum = sum == NONE ? size : __builtin_add_overflow(sum, size, &sum) ? NONE : sum;
    }
    return sum;
}

static bool read_agent(struct rocprof *self, struct view object)
{
    struct rocprof_process *process = self->process;
    struct view id = json_member(object, "id"), type = json_member(object, "type");
    int64_t handle = integer_of(id.length && id.bytes[0] == '{' ? json_member(id, "handle") : id);
    if (handle == NONE) {
        rocprof_note(self, NOTE_VALUE_ODD);
        return true;
    }
    struct rocprof_agent agent = {
        .is_gpu = integer_of(type) == AGENT_GPU || view_equal(type, VIEW("\"GPU\"")),
        .ordinal = integer_of(json_member(object, "logical_node_type_id")),
    };
    for (size_t i = 0; i < process->agent_list.count; i++)
        agent.number += process->agent_list.items[i].is_gpu == agent.is_gpu;
    if (agent.is_gpu) {
        struct device *device = &agent.device;
        uint32_t name;
        *device = (struct device){
            .memory_bytes = memory_of(object),
            .cores = integer_of(json_member(object, "cu_count")),
        };
        device->properties = intern_add(&self->process->trace.strings, object.bytes, object.length);
        rocprof_names_text_of(self, json_member(object, "product_name"), &device->name);
        rocprof_names_text_of(self, json_member(object, "name"), &name);
        device->architecture = name;
        if (!device->name)
            device->name = name;
    }
    struct rocprof_agent *added = array_push(&process->agent_list);
    uint32_t *place = map_put(&process->agents, handle, 0);
    if (*place)
        rocprof_note(self, NOTE_DUPLICATE_KEY);
    *added = agent;
    *place = (uint32_t)process->agent_list.count;
    return true;
}

bool rocprof_read_agents(struct rocprof *self)
{
    return each_object(self, read_agent);
}

/* ------------------------------------------------------------------ symbols of kernels */

/* True if a name is one: tables begin with an entry that is none. */
static bool is_name(struct view text)
{
    return text.length > 2 && text.bytes[0] == '"';
}

static bool read_symbol(struct rocprof *self, struct view object)
{
    static const char *const names[] = {"truncated_kernel_name", "formatted_kernel_name",
                                        "kernel_name"};
    struct rocprof_process *process = self->process;
    int64_t id = integer_of(json_member(object, "kernel_id"));
    if (id == NONE) {
        rocprof_note(self, NOTE_VALUE_ODD);
        return true;
    }
    struct rocprof_symbol symbol = {
        .sgprs = integer_of(json_member(object, "sgpr_count")),
        .vgprs = integer_of(json_member(object, "arch_vgpr_count")),
        .accumulators = integer_of(json_member(object, "accum_vgpr_count")),
    };
    struct view name = VIEW("");
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_name(name); i++)
        name = json_member(object, names[i]);
    rocprof_names_text_of(self, name, &symbol.name);
    rocprof_names_text_of(self, json_member(object, "demangled_kernel_name"), &symbol.demangled);
    array_add(&process->symbol_list, symbol);
    map_set(&process->symbols, id, 0, (uint32_t)process->symbol_list.count);
    return true;
}

bool rocprof_read_symbols(struct rocprof *self)
{
    return each_object(self, read_symbol);
}

/* ------------------------------------------------------------------ counters */

static bool read_counter(struct rocprof *self, struct view object)
{
    struct view id = json_member(object, "id");
    int64_t handle = integer_of(id.length && id.bytes[0] == '{' ? json_member(id, "handle") : id);
    if (handle == NONE) {
        rocprof_note(self, NOTE_VALUE_ODD);
        return true;
    }
    rocprof_names_text_of(self, json_member(object, "name"),
                          map_put(&self->process->counter_names, handle, 0));
    return true;
}

bool rocprof_read_counters(struct rocprof *self)
{
    return each_object(self, read_counter);
}

/* ------------------------------------------------------------------ strings */

/* One kind of records and its operations. Which kind is its place in the list. */
static bool read_words(struct rocprof *self, struct view object)
{
    struct rocprof_process *process = self->process;
    int64_t kind = self->item;
    struct view word;
    struct view operations = json_member(object, "operations");
    rocprof_names_text_of(self, json_member(object, "kind"), map_put(&process->words, kind, -1));
    if (!operations.length || operations.bytes[0] != '[')
        return true;
    for (int64_t i = 0; (word = json_item(&operations)).length; i++)
        rocprof_names_text_of(self, word, map_put(&process->words, kind, i));
    return true;
}

static bool read_message(struct rocprof *self, struct view object)
{
    int64_t id = integer_of(json_member(object, "key"));
    if (id == NONE) {
        rocprof_note(self, NOTE_VALUE_ODD);
        return true;
    }
    rocprof_names_text_of(self, json_member(object, "value"),
                          map_put(&self->process->messages, id, 0));
    return true;
}

static bool read_strings(struct rocprof *self, struct view key)
{
    struct json_value value;
    return view_equal(key, VIEW("buffer_records")) ? each_object(self, read_words)
           : view_equal(key, VIEW("marker_api"))   ? each_object(self, read_message)
                                                   : json_value(&self->json, &value);
}

bool rocprof_read_strings(struct rocprof *self)
{
    return json_peek(&self->json) == '{' ? rocprof_each_key(self, read_strings)
                                         : rocprof_pass(self, NOTE_VALUE_ODD);
}
