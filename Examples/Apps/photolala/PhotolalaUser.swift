import Foundation

struct PhotolalaUser: Codable, Equatable, Sendable {
    let id: UUID
    let appleUserID: String?
    let googleUserID: String?
    let email: String?
    let displayName: String
    let createdAt: String
    let updatedAt: String
}

/// Temporary credentials of AWS for the user's own photos.
struct STSCredentials: Codable, Sendable {
    let accessKeyId: String
    let secretAccessKey: String
    let sessionToken: String
    let expiration: Date
}

extension STSCredentials: CustomStringConvertible, CustomReflectable {
    var description: String { "storage credentials" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The response of `photolala-auth-signin`.
struct SignInResult: Decodable, Sendable {
    let user: PhotolalaUser
    let credentials: STSCredentials
}

/// The alternative response.
struct SignInRefused: Error, Decodable {
    struct Reason: Decodable {
        let code: String
    }

    let error: Reason
}
