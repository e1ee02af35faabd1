// The modules that most tests here use.
@_exported import BaseTestSupport
@_exported import FunctionRuntime
