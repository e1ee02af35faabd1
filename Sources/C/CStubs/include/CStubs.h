#pragma once

// The functions of this target replace functions of static C libraries that nothing of ours calls,
// so that the linker leaves out their objects. There is nothing to call from Swift.
//
// Hidden, so that no shared library finds them instead of the right ones. Weak, so that a library
// whose object has one of these functions and one that is needed links as well, without the gain.
#define STUB __attribute__((visibility("hidden"), weak))
