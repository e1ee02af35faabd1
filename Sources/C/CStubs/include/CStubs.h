#pragma once

// The functions of this target replace functions of static C libraries that none of our code calls,
// so that the linker leaves out their objects. There is nothing to call from Swift.
//
// They are hidden, so that no shared library finds them instead of the right ones. They are weak,
// so that linking also works if an object contains one of them together with a needed function;
// then nothing is saved.
#define STUB __attribute__((visibility("hidden"), weak))
