internal import Glibc
internal import Synchronization

/// Notices changes in folders immediately (inotify(7)), as far as the kernel reports them: not
/// behind a symbolic link, nor on a network file system.
package final class FolderWatch: Sendable {
    private struct State: Sendable {
        /// The folders by inotify's watch descriptors.
        var folders: [Int32: String] = [:]
        /// The root folders. Some of them may not exist yet.
        var roots: [String] = []
        var missing: [String] = []
        var version = 0
    }

    private static let foldersMax = 1000
    private static let depthMax = 6
    /// Room for several events, each with a name of at most 255 bytes.
    private static let eventBytesMax = 4096
    private static let mask = UInt32(
        IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR)

    private let descriptor: Int32
    private let isIgnored: @Sendable (String) -> Bool
    private let state = Mutex(State())

    /// nil if the limit of inotify instances is reached. `isIgnored` is called with the name of a
    /// file or folder, without its path.
    package init?(ignoring isIgnored: @escaping @Sendable (String) -> Bool) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.isIgnored = isIgnored
    }

    deinit { close(descriptor) }

    /// Replaces the watched folders, including all their subfolders.
    package func watch(_ roots: [String]) {
        state.withLock { state in
            for folder in state.folders.keys { inotify_rm_watch(descriptor, folder) }
            state.folders = [:]
            state.roots = roots
            state.missing = []
            for root in roots { add(root, depth: 0, to: &state) }
        }
    }

    /// Returns another number after each change. It costs one system call.
    package var version: Int {
        state.withLock { state in
            if !state.missing.isEmpty { retry(&state) }
            if hasChanged(&state) { state.version += 1 }
            return state.version
        }
    }

    private func retry(_ state: inout State) {
        let missing = state.missing
        state.missing = []
        for root in missing { add(root, depth: 0, to: &state) }
        if state.missing.count < missing.count { state.version += 1 }
    }

    private func add(_ folder: String, depth: Int, to state: inout State) {
        guard depth <= Self.depthMax, state.folders.count < Self.foldersMax else { return }
        let watch = inotify_add_watch(descriptor, folder, Self.mask)
        guard watch >= 0 else {
            if depth == 0, !state.missing.contains(folder) { state.missing.append(folder) }
            return
        }
        state.folders[watch] = folder
        for name in Self.folders(in: folder) where !isIgnored(name) {
            add("\(folder)/\(name)", depth: depth + 1, to: &state)
        }
    }

    private static func folders(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Reads the queued events.
    private func hasChanged(_ state: inout State) -> Bool {
        var hasChanged = false
        var hasNewFolders = false
        var bytes = [UInt8](repeating: 0, count: Self.eventBytesMax)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            var rest = bytes[..<count]
            while rest.count >= Event.headBytes {
                let event = Event(&rest)
                // A folder is no longer watched, which is not a change by itself.
                guard event.mask & UInt32(IN_IGNORED) == 0 else {
                    state.folders[event.folder] = nil
                    continue
                }
                guard !isIgnored(event.name) else { continue }
                hasChanged = true
                if event.mask & Event.ofFolders != 0 { hasNewFolders = true }
            }
        }
        if hasNewFolders {
            for root in state.roots { add(root, depth: 0, to: &state) }
        }
        return hasChanged
    }

    /// `struct inotify_event` with the name that follows it.
    private struct Event {
        static let headBytes = 16
        /// A folder was created or removed, or the kernel lost events.
        static let ofFolders = UInt32(
            IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF | IN_Q_OVERFLOW)

        let folder: Int32
        let mask: UInt32
        /// The name of the changed file; empty for an event of a watched folder itself.
        let name: String

        init(_ bytes: inout ArraySlice<UInt8>) {
            func number(at offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(bytes[bytes.startIndex + offset + $1]) << ($1 * 8) }
            }
            folder = Int32(bitPattern: number(at: 0))
            mask = number(at: 4)
            let nameCount = Int(number(at: 12))
            let name = bytes.dropFirst(Self.headBytes).prefix(nameCount)
            self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            bytes = bytes.dropFirst(Self.headBytes + nameCount)
        }
    }
}
