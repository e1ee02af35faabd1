@_exported import Synchronization
@_exported import Testing
