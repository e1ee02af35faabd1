package import Foundation

/// The directory of Package.swift.
package enum RepositoryRoot {
    package static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The providers' keys of all runs: an RSA key takes a third of a second to make.
    package static let issuerKeys = url.appending(path: ".build/issuer-keys").path
}
