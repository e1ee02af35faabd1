@_exported import CBOR
@_exported import CBORTestSupport
@_exported import WebAuthn
