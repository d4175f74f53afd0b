/* list.h: lists from which anything can be taken: x->link points to the pointer that leads to x. */
#ifndef WEFT_MEMORY_LIST_H
#define WEFT_MEMORY_LIST_H

/* Puts x in front of the list that *head is. */
#define LIST_ADD(head, x, next, link) \
    do { \
        (x)->next = *(head); \
        (x)->link = (head); \
        if ((x)->next) (x)->next->link = &(x)->next; \
        *(head) = (x); \
    } while (0)
#define LIST_REMOVE(x, next, link) \
    do { \
        *(x)->link = (x)->next; \
        if ((x)->next) (x)->next->link = (x)->link; \
    } while (0)
#endif
