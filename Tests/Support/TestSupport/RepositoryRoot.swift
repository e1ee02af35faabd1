package import Foundation

/// The folder that holds Package.swift.
package enum RepositoryRoot {
    package static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
