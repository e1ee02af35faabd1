// SQLite offers SQL's trigonometric functions, which no statement of ours has. Their tables, each
// for four kinds of processor, would be 240 KB of every executable, and the choice among them part
// of every start.
#include "CUnusedMath.h"

// Hidden, so that no shared library finds these in place of the right ones.
#define UNUSED __attribute__((visibility("hidden"))) double

UNUSED acos(double x) { return __builtin_nan(""); }
UNUSED acosh(double x) { return __builtin_nan(""); }
UNUSED asin(double x) { return __builtin_nan(""); }
UNUSED asinh(double x) { return __builtin_nan(""); }
UNUSED atan(double x) { return __builtin_nan(""); }
UNUSED atan2(double y, double x) { return __builtin_nan(""); }
UNUSED atanh(double x) { return __builtin_nan(""); }
UNUSED cosh(double x) { return __builtin_nan(""); }
UNUSED sinh(double x) { return __builtin_nan(""); }
UNUSED tan(double x) { return __builtin_nan(""); }
UNUSED tanh(double x) { return __builtin_nan(""); }
