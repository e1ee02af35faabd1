// The modules that most tests here use.
@_exported import Foundation
@_exported import LatchkeyClient
@_exported import LatchkeyContracts
@_exported import TestSupport
