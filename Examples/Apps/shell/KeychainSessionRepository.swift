import AppSupport
import Foundation
import LatchkeyClient

/// Stores the session as the app did before it used the client, in three items. The client stores
/// one item, because three cannot be replaced in one step.
actor KeychainSessionRepository: SessionRepository {
    private let accessTokenKey = "accessToken"
    private let refreshTokenKey = "refreshToken"
    private let expiresAtKey = "expiresAt"
    private let items: any SecretItems

    /// - Parameter folder: replaces the Keychain on systems without one.
    init(service: String = "com.adamcodertrader.Shell", accessGroup: String? = nil, folder: URL) {
        #if canImport(Security)
            items = KeychainItems(
                service: service, accessibility: .whenUnlockedThisDeviceOnly,
                accessGroup: accessGroup)
        #else
            items = FileItems(folder: folder.appending(path: service))
        #endif
    }

    func saveSession(accessToken: String, refreshToken: String, expiresAt: Date) async throws {
        try report {
            try items.save(accessToken, key: accessTokenKey)
            try items.save(refreshToken, key: refreshTokenKey)
            try items.save(String(expiresAt.timeIntervalSince1970), key: expiresAtKey)
        }
    }

    func getSession() async throws -> Session? {
        try report {
            guard let access = try items.get(accessTokenKey),
                let refresh = try items.get(refreshTokenKey),
                let seconds = try items.get(expiresAtKey).flatMap(TimeInterval.init)
            else { return nil }
            return Session(
                accessToken: access, refreshToken: refresh,
                expiresAt: Date(timeIntervalSince1970: seconds))
        }
    }

    func clearSession() async throws {
        try report {
            for key in [accessTokenKey, refreshTokenKey, expiresAtKey] { try items.delete(key) }
        }
    }

    private func report<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as SecretItemError {
            throw AuthError.keychainError(error.status)
        }
    }
}
