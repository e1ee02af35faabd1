import AppSupport
import LatchkeyClient

/// The original app's manager, except that it reports errors of the Keychain.
struct KeychainManager {
    static let keys = ["accessToken", "refreshToken"]

    #if canImport(Security)
        private let items: any SecretItems = KeychainItems(
            service: "news_app", accessibility: .whenUnlocked)
    #else
        private let items: any SecretItems = FileItems(
            folder: DemoDevice.current.folder("keychain"))
    #endif

    func saveToken(_ token: String, key: String) throws { try items.save(token, key: key) }

    func getToken(key: String) throws -> String? { try items.get(key) }

    func deleteToken(key: String) throws { try items.delete(key) }

    func clearAll() throws {
        for key in Self.keys { try items.delete(key) }
    }
}
