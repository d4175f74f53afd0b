/* dlpack.h: what weft_close does about arrays that others still have (weft/dlpack.h). */
#ifndef WEFT_IO_DLPACK_H
#define WEFT_IO_DLPACK_H
#include "weft/dlpack.h"

void dlpack_close(weft_context *); /* they are the context's again; deleters find nothing to do */
#endif
