#if canImport(Security)
    public import Foundation
    internal import Security

    /// Keeps the session in the Keychain, as one item.
    ///
    /// The item stays on this device, and is readable in the background after the first unlock,
    /// unless the app chooses otherwise. On another device the store is empty, without an error.
    public actor KeychainStore: SessionStore {
        public enum Accessibility: Sendable {
            case afterFirstUnlockThisDeviceOnly
            case whenUnlockedThisDeviceOnly
            /// The item moves to another device with a backup, and is readable while the device is
            /// unlocked.
            case whenUnlocked
        }

        private let service: String
        private let accessGroup: String?
        private let accessibility: Accessibility
        /// Locks between processes, in the folder of their app group.
        private let locks: FileStore?
        /// Locks within this process.
        private let memory = MemoryStore()

        /// - Parameters:
        ///   - service: for example the app's bundle identifier.
        ///   - accessGroup: the group of the app and the extensions that share the session.
        ///   - accessibility: when the item can be read.
        ///   - lockFolder: a folder in the app group, required if the app and its extensions share
        ///     the session. The system may end a process that it suspends while the process holds a
        ///     lock in this folder, so the client asks for time while it refreshes.
        public init(
            service: String, accessGroup: String? = nil,
            accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly, lockFolder: URL? = nil
        ) {
            self.service = service
            self.accessGroup = accessGroup
            self.accessibility = accessibility
            locks = lockFolder.map { FileStore(folder: $0) }
        }

        public func load() async throws(StoreError) -> Data? { try read() }

        public func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
            let lock = try await locks?.lockWrite()
            defer { lock?.release() }
            // The actor does not suspend after this line, so within this process the comparison and
            // the write are one step.
            guard try read() == expected else { return false }
            guard let new else {
                let status = SecItemDelete(query as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else {
                    throw Self.error(status)
                }
                return true
            }
            // The accessibility is also set, because the app may have changed its choice.
            let change: [CFString: Any] = [kSecValueData: new, kSecAttrAccessible: attribute]
            var status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                let item = query.merging(change) { $1 }
                status = SecItemAdd(item as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Self.error(status) }
            return true
        }

        public func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
            if let locks { return try await locks.lockRefresh(waiting: waiting) }
            return try await memory.lockRefresh(waiting: waiting)
        }

        private func read() throws(StoreError) -> Data? {
            var item: CFTypeRef?
            let wanted = query.merging([kSecReturnData: true]) { $1 }
            let status = unsafe SecItemCopyMatching(wanted as CFDictionary, &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = item as? Data else {
                throw Self.error(status)
            }
            return data
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                kSecAttrAccount: "session", kSecAttrSynchronizable: false,
                // This is also needed on macOS, where the old Keychain ignores the accessibility.
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

        /// -25308 means that the device is locked: there may be a session.
        private static func error(_ status: OSStatus) -> StoreError {
            status == errSecInteractionNotAllowed || status == errSecNotAvailable
                ? .locked : .failed("Keychain status \(status)")
        }
    }
#endif
