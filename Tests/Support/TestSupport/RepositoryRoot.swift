package import Foundation

/// The directory of Package.swift.
package enum RepositoryRoot {
    package static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
