import AppSupport
import LatchkeyClient

/// The original app's manager, except that it updates a value in place and reports errors of the
/// Keychain.
class KeychainManager {
    #if canImport(Security)
        private static let items: any SecretItems = KeychainItems(
            service: "net.avalarin.livlogios",
            accessibility: .afterFirstUnlockThisDeviceOnly)
    #else
        private static let items: any SecretItems = FileItems(
            folder: DemoDevice.current.folder("net.avalarin.livlogios"))
    #endif

    static func save(accessToken: String) throws {
        try save(key: "accessToken", value: accessToken)
    }

    static func save(refreshToken: String) throws {
        try save(key: "refreshToken", value: refreshToken)
    }

    private static func save(key: String, value: String) throws {
        try items.save(value, key: key)
    }

    static func get(key: String) throws -> String? { try items.get(key) }

    static func delete(key: String) throws { try items.delete(key) }
}
