// The modules that nearly every test uses. Tests of the client, whose names are the same, import
// `TestSupport` only.
@_exported import Bytes
@_exported import Cryptography
@_exported import HTTP
@_exported import JSON
@_exported import TestSupport
@_exported import Time
