/* sim/text_list.h - a list that owns its texts. */
#ifndef CREEL_SIM_TEXT_LIST_H
#define CREEL_SIM_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct sim_list { /* zero: empty */
    char **v;
    size_t n, cap;
};
/* Appends a copy of the first @len bytes of @text. */
void sim_list_add(struct sim_list *l, const char *text, size_t len);
/* Adds the parts of @text between commas. Returns false at the first empty part; the parts before
 * it have been added. */
bool sim_list_add_comma_separated(struct sim_list *l, const char *text);
void sim_list_free(struct sim_list *l);

#endif
