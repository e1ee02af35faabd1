// The modules that most tests here use.
@_exported import AuthTestSupport
@_exported import TestSupport
