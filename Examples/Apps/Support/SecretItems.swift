#if canImport(Security)
    import Foundation
    package import LatchkeyClient
    import Security
#else
    package import Foundation
#endif

/// Secrets by name. Earlier versions of the apps, without the client, stored their tokens in this
/// way.
package protocol SecretItems: Sendable {
    func save(_ value: String, key: String) throws
    /// nil if the item does not exist.
    func get(_ key: String) throws -> String?
    func delete(_ key: String) throws
}

/// The system's error.
package struct SecretItemError: Error {
    package let status: Int32
}

#if canImport(Security)
    /// Generic passwords of a service in the Keychain.
    package struct KeychainItems: SecretItems {
        private let service: String
        private let accessibility: KeychainStore.Accessibility
        private let accessGroup: String?
        private let needsBiometry: Bool

        /// - Parameter needsBiometry: whether the items can be read only with the biometry that is
        ///   enrolled now.
        package init(
            service: String, accessibility: KeychainStore.Accessibility,
            accessGroup: String? = nil, needsBiometry: Bool = false
        ) {
            self.service = service
            self.accessibility = accessibility
            self.accessGroup = accessGroup
            self.needsBiometry = needsBiometry
        }

        /// Updates or adds an item, so that it exists at any time. An item with biometry is deleted
        /// and added, because an update would ask for the face or finger.
        package func save(_ value: String, key: String) throws {
            var change: [CFString: Any] = [kSecValueData: Data(value.utf8)]
            var status = errSecItemNotFound
            if needsBiometry {
                guard
                    let access = SecAccessControlCreateWithFlags(
                        nil, attribute, .biometryCurrentSet, nil)
                else { throw SecretItemError(status: errSecParam) }
                change[kSecAttrAccessControl] = access
                try delete(key)
            } else {
                change[kSecAttrAccessible] = attribute
                status = SecItemUpdate(query(key) as CFDictionary, change as CFDictionary)
            }
            if status == errSecItemNotFound {
                let item = query(key).merging(change) { $1 }
                status = SecItemAdd(item as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw SecretItemError(status: status) }
        }

        package func get(_ key: String) throws -> String? {
            var item: CFTypeRef?
            let wanted = query(key).merging([kSecReturnData: true]) { $1 }
            let status = unsafe SecItemCopyMatching(wanted as CFDictionary, &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = item as? Data else {
                throw SecretItemError(status: status)
            }
            return String(data: data, encoding: .utf8)
        }

        package func delete(_ key: String) throws {
            let status = SecItemDelete(query(key) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw SecretItemError(status: status)
            }
        }

        /// The attributes that identify an item, without its value and accessibility.
        private func query(_ key: String) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                kSecAttrAccount: key, kSecAttrSynchronizable: false,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private var attribute: CFString {
            switch accessibility {
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
            }
        }
    }
#else
    /// Files of a folder that only their owner can read.
    package struct FileItems: SecretItems {
        private let folder: URL

        package init(folder: URL) { self.folder = folder }

        package func save(_ value: String, key: String) throws {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(value.utf8).write(to: file(key), options: .atomic)
        }

        package func get(_ key: String) throws -> String? {
            guard FileManager.default.fileExists(atPath: file(key).path) else { return nil }
            return String(decoding: try Data(contentsOf: file(key)), as: UTF8.self)
        }

        package func delete(_ key: String) throws {
            guard FileManager.default.fileExists(atPath: file(key).path) else { return }
            try FileManager.default.removeItem(at: file(key))
        }

        private func file(_ key: String) -> URL { folder.appending(path: key) }
    }
#endif
