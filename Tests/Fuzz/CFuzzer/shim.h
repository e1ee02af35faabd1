// libFuzzer's entry point (compiler-rt, FuzzerDriver.cpp); its public header is for C++.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
