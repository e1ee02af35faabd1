internal import Bytes
internal import Cryptography

/// The certificate files in a directory, replaced atomically.
struct CertificateFolder {
    let path: String

    private static let fileBytesMax = 1 << 16

    func make() throws(CertificatesFailure) {
        try checked { () throws(FileFailure) in try Files.makeDirectory(path) }
    }

    /// Nil if the file is missing or invalid.
    func certificate(_ name: String) throws(CertificatesFailure) -> Certificate? {
        try read(name).flatMap { try? Certificate(pem: String(decoding: $0, as: UTF8.self)) }
    }

    func key(_ name: String) throws(CertificatesFailure) -> P256PrivateKey? {
        try read(name).flatMap { try? P256PrivateKey(pem: SecretBytes($0)) }
    }

    private func read(_ name: String) throws(CertificatesFailure) -> [UInt8]? {
        try checked { () throws(FileFailure) in
            do throws(FileFailure) {
                return try Files.read("\(path)/\(name)", bytesMax: Self.fileBytesMax)
            } catch {
                if error.isMissing { return nil }
                throw error
            }
        }
    }

    /// A secret must never be readable by others, not even while it is written.
    func write(_ name: String, _ bytes: [UInt8], isSecret: Bool) throws(CertificatesFailure) {
        try checked { () throws(FileFailure) in
            try Files.write(bytes, to: "\(path)/\(name)", mode: isSecret ? 0o600 : 0o644)
        }
    }

    private func checked<Result>(
        _ body: () throws(FileFailure) -> Result
    ) throws(CertificatesFailure) -> Result {
        do throws(FileFailure) { return try body() } catch {
            throw .file(name: error.path, code: error.code)
        }
    }
}
