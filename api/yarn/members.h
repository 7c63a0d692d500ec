/* api/yarn/members.h - short names for rows of member tables, for files that consist of them. T
 * names the struct that the table at hand describes. For .c files of this folder only. */
#ifndef CREEL_API_YARN_MEMBERS_H
#define CREEL_API_YARN_MEMBERS_H

#include "api/yarn/shape.h"

#define S(field, name)        API_STR(T, field, name, API_ALWAYS)
#define I(field, name)        API_I64(T, field, name, API_ALWAYS)
#define F(field, name)        API_F32(T, field, name, API_ALWAYS)
#define B(field, name)        API_BOOL(T, field, name, API_ALWAYS)
#define O(field, name, shape) API_OBJ(T, field, name, shape, API_ALWAYS)
#define P(field, name, shape) API_OBJPTR(T, field, name, shape, API_ALWAYS)
#define L(field, name, shape) API_LIST(T, field, name, shape, API_ALWAYS)
#define END                                                                                        \
    {                                                                                              \
        .kind = API_K_END                                                                          \
    }

#endif
