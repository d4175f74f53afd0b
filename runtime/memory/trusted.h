/* trusted.h: which files weft takes code from. */
#ifndef WEFT_MEMORY_TRUSTED_H
#define WEFT_MEMORY_TRUSTED_H
#include <limits.h>
#include "compiler/graph/graph.h"

/* Puts into `real` the path of this file without links, if only root and the user can have changed what is
 * there: safe to load or to execute. False and f set (WEFT_COMPILER): the path is not absolute, there is no
 * such file, or somebody else could; says which file or folder, its owner and mode, and what is allowed. In
 * a process whose environment does not count (environment.h), only root is trusted. */
bool trusted_path(const char *path, char real[PATH_MAX], Failure *f);
#endif
