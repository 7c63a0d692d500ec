/* base/task_kind.h - map or reduce: the kind of a task, of its slot, and of the work that a policy
 * puts in order. The values are indices of the many arrays with one element per kind:
 *
 *   for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
 *
 * Masters and plain containers have no kind of their own; they take map slots. */
#ifndef CREEL_BASE_TASK_KIND_H
#define CREEL_BASE_TASK_KIND_H

enum base_task_kind { BASE_TASK_MAP, BASE_TASK_REDUCE, BASE_TASK_KINDS };

#endif
