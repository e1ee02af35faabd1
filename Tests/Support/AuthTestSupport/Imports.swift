// The modules that nearly every test of an operation uses. Tools use them, too, so `TestSupport` is
// not among them.
@_exported import AuthDomain
@_exported import AuthOperations
@_exported import AuthRecords
@_exported import Bytes
@_exported import Cryptography
@_exported import HTTP
@_exported import IdentityProviders
@_exported import JOSE
@_exported import JSON
@_exported import KeyValueStore
@_exported import Time
