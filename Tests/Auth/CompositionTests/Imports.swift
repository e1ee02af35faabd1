// The modules that most tests here use.
@_exported import AuthComposition
@_exported import FunctionRuntime
@_exported import TestSupport
