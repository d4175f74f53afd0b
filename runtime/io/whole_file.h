/* whole_file.h: writing a file so that it is whole or as it was. */
#ifndef WEFT_IO_WHOLE_FILE_H
#define WEFT_IO_WHOLE_FILE_H
#include <stdbool.h>
#include <stdio.h>

typedef bool FileWriter(FILE *, const void *what); /* false: errno says why */
/* As weft_save says. False: errno says why. */
bool file_write(const char *path, FileWriter *, const void *what);
#endif
