/* raise_window.h: the rule of windows, for raise.c. */
#ifndef WEFT_PASSES_RAISE_WINDOW_H
#define WEFT_PASSES_RAISE_WINDOW_H
#include "rewrite.h"

ReplaceRule raise_window;
#endif
