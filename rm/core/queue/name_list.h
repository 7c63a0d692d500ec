/* rm/core/queue/name_list.h - walks through a list of names as Hadoop writes them: separated by
 * commas, with blanks around them, which do not count; empty names are skipped. */
#ifndef CREEL_RM_CORE_QUEUE_NAME_LIST_H
#define CREEL_RM_CORE_QUEUE_NAME_LIST_H

#include <stddef.h>
#include <string.h>

/* Returns the first name at or after @at, and its length; NULL when there is none. */
static inline const char *rm_name_list_first(const char *at, size_t *len)
{
    if (!at)
        return NULL;
    at += strspn(at, ", \t\r\n");
    *len = strcspn(at, ",");
    while (*len && strchr(" \t\r\n", at[*len - 1]))
        --*len;
    return *len ? at : NULL;
}
/* Returns the name after the one at @at, whose length is *@len, and sets *@len to its length; NULL
 * when @at is the last one. */
static inline const char *rm_name_list_next(const char *at, size_t *len)
{
    return rm_name_list_first(at + *len, len);
}

#endif
