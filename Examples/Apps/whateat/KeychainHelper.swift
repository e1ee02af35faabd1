import AppSupport
import LatchkeyClient

/// The original app's helper, except that it reports errors of the Keychain.
enum KeychainHelper {
    #if canImport(Security)
        private static let items: any SecretItems = KeychainItems(
            service: "WhatEat", accessibility: .afterFirstUnlockThisDeviceOnly)
    #else
        private static let items: any SecretItems = FileItems(
            folder: DemoDevice.current.folder("keychain"))
    #endif

    static func save(key: String, value: String) throws { try items.save(value, key: key) }

    static func load(key: String) throws -> String? { try items.get(key) }

    static func delete(key: String) throws { try items.delete(key) }
}
