// The modules that most tests here use.
@_exported import AuthTestSupport
@_exported import Contracts
@_exported import TestSupport
