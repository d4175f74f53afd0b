/* Keeps libraries whose folders are empty valid for CMake. */
typedef int weft_nothing;
