// The modules that most tests here use.
@_exported import AWSClients
@_exported import AWSSignature
@_exported import BaseTestSupport
