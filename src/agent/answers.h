/* answers: what the methods about tools, resources, prompts and completion reply.
 *
 * Each appends the members of the result, or refuses the request.
 */
#pragma once

#include "src/agent/request.h"

bool answer_call(struct client *self, struct request *request);
bool answer_tools(struct client *self, struct request *request);
bool answer_resources(struct client *self, struct request *request);
bool answer_templates(struct client *self, struct request *request);
bool answer_read(struct client *self, struct request *request);
bool answer_prompts(struct client *self, struct request *request);
bool answer_prompt(struct client *self, struct request *request);
bool answer_completion(struct client *self, struct request *request);
