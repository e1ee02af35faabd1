internal import JSON

/// A requirement or a preference about verifying the user, by a PIN or biometrics (WebAuthn
/// section 5.8.6).
package enum UserVerificationRequirement: String, Sendable {
    case required, preferred, discouraged
}

/// Whether the credential can be found without its ID (WebAuthn section 5.4.6).
package enum ResidentKeyRequirement: String, Sendable {
    case required, preferred, discouraged
}

/// The requested kind of authenticator (WebAuthn section 5.4.5).
package enum AuthenticatorAttachment: String, Sendable {
    case platform
    case crossPlatform = "cross-platform"
}

/// A hint for the first choice in the client's user interface (WebAuthn section 5.8.8).
package enum CredentialHint: String, Sendable {
    case securityKey = "security-key"
    case clientDevice = "client-device"
    case hybrid
}

/// A credential in options, with the transports from its registration.
package struct CredentialDescriptor: Sendable, Equatable {
    package let id: CredentialID
    package let transports: [String]

    package init(id: CredentialID, transports: [String]) {
        self.id = id
        self.transports = transports
    }

    var json: JSON {
        var object: JSONObject = ["type": "public-key", "id": .string(id.text)]
        if !transports.isEmpty { object["transports"] = .array(transports.map { .string($0) }) }
        return .object(object)
    }
}

extension JSONObject {
    /// The members that both kinds of options have. If there are no hints, the member is left out.
    mutating func add(hints: [CredentialHint], timeout: Duration) {
        if !hints.isEmpty { self["hints"] = .array(hints.map { .string($0.rawValue) }) }
        let (seconds, attoseconds) = timeout.components
        self["timeout"] = .number(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
