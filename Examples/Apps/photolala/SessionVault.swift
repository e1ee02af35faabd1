import AppSupport
import Foundation
import LatchkeyClient

/// Stores the session: the user, and the storage credentials behind Face ID or Touch ID. The
/// provider's tokens are not stored.
struct SessionVault: Sendable {
    struct Session: Codable, Sendable {
        let user: PhotolalaUser
        let credentials: STSCredentials
    }

    private static let userKey = "user"
    private static let credentialsKey = "credentials"
    private let users: any SecretItems
    private let credentials: any SecretItems

    init(device: DemoDevice) {
        #if canImport(Security)
            users = KeychainItems(
                service: "Photolala",
                accessibility: .whenUnlockedThisDeviceOnly)
            credentials = KeychainItems(
                service: "Photolala", accessibility: .whenUnlockedThisDeviceOnly,
                needsBiometry: true)
        #else
            users = FileItems(folder: device.folder("keychain"))
            credentials = users
        #endif
    }

    func save(_ session: Session) throws {
        let encoder = JSONEncoder()
        for (value, items, key) in [
            (try encoder.encode(session.user), users, Self.userKey),
            (try encoder.encode(session.credentials), credentials, Self.credentialsKey),
        ] {
            try items.save(String(decoding: value, as: UTF8.self), key: key)
        }
    }

    /// nil if there is none.
    func load() throws -> Session? {
        guard let user = try users.get(Self.userKey),
            let keys = try credentials.get(Self.credentialsKey)
        else { return nil }
        let decoder = JSONDecoder()
        return Session(
            user: try decoder.decode(PhotolalaUser.self, from: Data(user.utf8)),
            credentials: try decoder.decode(STSCredentials.self, from: Data(keys.utf8)))
    }

    func clear() throws {
        try credentials.delete(Self.credentialsKey)
        try users.delete(Self.userKey)
    }
}
