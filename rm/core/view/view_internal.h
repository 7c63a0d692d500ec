/* rm/core/view/view_internal.h - the memory of sets of views. */
#ifndef CREEL_RM_CORE_VIEW_VIEW_INTERNAL_H
#define CREEL_RM_CORE_VIEW_VIEW_INTERNAL_H

#include "rm/core/state.h"
#include "rm/core/view/view.h"

struct rm_arena {
    struct rm_step_arena memory;
};
/* Returns @n zeroed bytes that live as long as @v. */
void *rm_view_alloc(struct rm_views *v, size_t n);
/* Returns a copy that lives as long as @v; NULL for NULL. */
char *rm_view_copy_text(struct rm_views *v, const char *s);
/* Returns the array @v of @n elements of @el bytes, perhaps moved, with room for one more. */
void *rm_view_array_reserve_one(void *v, size_t n, size_t el);

#endif
