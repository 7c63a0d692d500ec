/* rm/core/view/view_internal.h - memory of view sets. */
#ifndef CREEL_RM_CORE_VIEW_VIEW_INTERNAL_H
#define CREEL_RM_CORE_VIEW_VIEW_INTERNAL_H

#include "rm/core/state.h"
#include "rm/core/view/view.h"

struct rm_arena {
    struct rm_step_arena memory;
};
/* A copy that lives as long as @v; NULL stays NULL. */
char *rm_view_copy_text(struct rm_views *v, const char *s);
void *rm_view_make_room(void *v, size_t n, size_t el); /* room for one more behind @n elements */

#endif
