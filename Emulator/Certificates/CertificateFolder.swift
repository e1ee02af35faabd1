internal import Bytes
internal import Cryptography
internal import Glibc

/// The files of a directory, each of them whole at any time.
struct CertificateFolder {
    let path: String

    private static let fileBytesMax = 1 << 16

    func make() throws(CertificatesFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .file(name: path, code: errno)
        }
    }

    /// Nil when there is none, or none that can be used.
    func certificate(_ name: String) throws(CertificatesFailure) -> Certificate? {
        try read(name).flatMap { try? Certificate(pem: String(decoding: $0, as: UTF8.self)) }
    }

    func key(_ name: String) throws(CertificatesFailure) -> P256PrivateKey? {
        try read(name).flatMap { try? P256PrivateKey(pem: SecretBytes($0)) }
    }

    private func read(_ name: String) throws(CertificatesFailure) -> [UInt8]? {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(name: name, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.fileBytesMax)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(name: name, code: errno) }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Beside it first, then in its place. It is private from its first byte on.
    func write(_ name: String, _ bytes: [UInt8], isSecret: Bool) throws(CertificatesFailure) {
        let unfinished = "\(path)/.\(name).\(getpid())"
        unlink(unfinished)
        let descriptor = open(
            unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .file(name: name, code: errno) }
        var code = fill(descriptor, bytes)
        close(descriptor)
        if code == 0, rename(unfinished, "\(path)/\(name)") != 0 { code = errno }
        guard code == 0 else {
            unlink(unfinished)
            throw .file(name: name, code: code)
        }
    }

    private func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            left = left.dropFirst(count)
        }
        return fsync(descriptor) == 0 ? 0 : errno
    }
}
