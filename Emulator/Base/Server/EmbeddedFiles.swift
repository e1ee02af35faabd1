internal import CDashboard

/// A file that is part of the executable: one of `Emulator/Dashboard/Pages`.
package struct EmbeddedFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    package static let dashboard: [EmbeddedFile] = {
        var count = 0
        let files = latchkey_dashboard(&count)
        return UnsafeBufferPointer(start: files, count: count).map { file in
            EmbeddedFile(
                name: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }()
}
