internal import EmulatorBase
internal import JSON

/// The addresses of a running emulator in a file, which is written when the emulator is ready and
/// removed when it stops.
package struct AddressFile: Sendable {
    /// The file's name in the data directory.
    package static let name = "addresses.json"
    private static let bytesMax = 64 << 10

    let path: String

    /// Removes the file that a killed emulator left.
    init(fresh path: String) {
        self.path = path
        Files.remove(path)
    }

    func write(_ addresses: EmulatorAddresses) throws {
        do throws(FileFailure) {
            try Files.write(addresses.json.serialized + [0x0A], to: path)
        } catch {
            throw CommandFailure("cannot write \(error)")
        }
    }

    func remove() { Files.remove(path) }

    /// The emulator that uses a data directory, with the URL of its app endpoint.
    package enum Found {
        case running(url: String)
        /// An emulator was killed and left its file.
        case stale(path: String)
    }

    /// nil if the directory has no such file.
    package static func find(in directory: String) -> Found? {
        let path = "\(directory)/\(name)"
        guard let bytes = try? Files.read(path, bytesMax: bytesMax) else { return nil }
        guard DirectoryLock.isHeld(directory),
            let url = (try? JSON.parse(bytes, limits: .event))?["url"]?.stringValue
        else { return .stale(path: path) }
        return .running(url: url)
    }
}

extension EmulatorAddresses {
    /// The same members as in `/_emulator/health`.
    var json: JSON {
        var object: JSONObject = [
            "url": .string(appURL), "awsUrl": .string(awsURL), "controlUrl": .string(controlURL),
            "issuerUrl": .string(issuerURL), "smtpPort": .number(Int64(smtpPort)),
        ]
        if let playgroundURL { object["playgroundUrl"] = .string(playgroundURL) }
        if let tls {
            object["httpsUrl"] = .string("https://127.0.0.1:\(tls.app)")
            object["awsHttpsUrl"] = .string("https://127.0.0.1:\(tls.aws)")
        }
        return .object(object)
    }
}
