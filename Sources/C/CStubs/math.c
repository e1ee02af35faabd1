// SQLite offers SQL's trigonometric functions, which none of our statements uses. Their tables,
// each for four kinds of processor, would be 240 KB of every executable, and the choice among them
// part of every start.
#include "CStubs.h"

STUB double acos(double x) { return __builtin_nan(""); }
STUB double acosh(double x) { return __builtin_nan(""); }
STUB double asin(double x) { return __builtin_nan(""); }
STUB double asinh(double x) { return __builtin_nan(""); }
STUB double atan(double x) { return __builtin_nan(""); }
STUB double atan2(double y, double x) { return __builtin_nan(""); }
STUB double atanh(double x) { return __builtin_nan(""); }
STUB double cosh(double x) { return __builtin_nan(""); }
STUB double sinh(double x) { return __builtin_nan(""); }
STUB double tan(double x) { return __builtin_nan(""); }
STUB double tanh(double x) { return __builtin_nan(""); }
