internal import Glibc
package import HTTP

/// The location of the trusted certificate authorities.
///
/// A static executable is built on one distribution and runs on another, so the location is
/// determined at run time.
package struct CertificateTrust: Sendable {
    /// The values for libcurl: one of the two is set.
    package struct Location: Sendable, Equatable {
        package let file: String?
        package let directory: String?

        package init(file: String? = nil, directory: String? = nil) {
            self.file = file
            self.directory = directory
        }
    }

    private let variable: @Sendable (_ name: String) -> String?
    private let isReadable: @Sendable (_ path: String) -> Bool

    /// `isReadable` asks the file system. It is an argument for the sake of tests.
    package init(
        variable: @escaping @Sendable (_ name: String) -> String?,
        isReadable: @escaping @Sendable (_ path: String) -> Bool
    ) {
        self.variable = variable
        self.isReadable = isReadable
    }

    /// Environment variables come first (`SSL_CERT_FILE`, `CURL_CA_BUNDLE`, `SSL_CERT_DIR`), then
    /// the locations of known distributions.
    package init(variable: @escaping @Sendable (_ name: String) -> String?) {
        self.init(variable: variable, isReadable: { access($0, R_OK) == 0 })
    }

    static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  // Amazon Linux, Fedora, RHEL
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Amazon Linux 2023, newer Fedora
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine without the ca-certificates package
    ]

    package func certificates() throws(HTTPFailure) -> Location {
        for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] {
            guard let path = setting(name) else { continue }
            // There is no fallback to the system's bundle, because a configured bundle replaces it.
            guard isReadable(path) else { throw Self.unreadable(name) }
            return Location(file: path)
        }
        if let path = setting("SSL_CERT_DIR") {
            guard isReadable(path) else { throw Self.unreadable("SSL_CERT_DIR") }
            return Location(directory: path)
        }
        guard let found = Self.bundles.first(where: isReadable) else {
            throw .connectFailed(
                .noAuthorities,
                detail: "no certificate authorities found; set SSL_CERT_FILE to a bundle")
        }
        return Location(file: found)
    }

    private func setting(_ name: String) -> String? {
        variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func unreadable(_ name: String) -> HTTPFailure {
        .connectFailed(.noAuthorities, detail: "\(name) cannot be read")
    }
}
