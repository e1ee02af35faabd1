internal import JSON

/// One check of a token, for display.
struct TokenCheck: Sendable {
    enum Name: String, Sendable, CaseIterable {
        case faults, size, parts, base64url, json, crit, alg, kid, signature
        case iss, aud, azp, exp, nbf, iat
        case authTime = "auth_time"
        case nonce, typ, sub, email
        case emailVerified = "email_verified"
        case session
        /// Checks of a refresh token.
        case proof, expiry, generation
    }

    enum Verdict: String, Sendable { case passed, failed, skipped }

    let name: Name
    /// The value in the token; never its signature.
    let value: JSON?
    let expected: String
    let verdict: Verdict
    let explanation: String

    init(
        _ name: Name, _ verdict: Verdict, value: JSON? = nil, expected: String = "",
        _ explanation: String
    ) {
        self.name = name
        self.value = value.map(Self.shortened)
        self.expected = expected
        self.verdict = verdict
        self.explanation = explanation
    }

    private static let charactersMax = 300

    /// Texts in a token can be long.
    private static func shortened(_ value: JSON) -> JSON {
        switch value {
        case .null, .bool: return value
        case .number, .string, .array, .object:
            let text = value.stringValue ?? value.text
            guard text.unicodeScalars.count > charactersMax else { return value }
            var short = String.UnicodeScalarView()
            short.append(contentsOf: text.unicodeScalars.prefix(charactersMax))
            return .string(String(short) + "…")
        }
    }

    var json: JSON {
        var object: JSONObject = ["check": .string(name.rawValue)]
        object["value"] = value
        if !expected.isEmpty { object["expected"] = .string(expected) }
        object["verdict"] = .string(verdict.rawValue)
        object["explanation"] = .string(explanation)
        return .object(object)
    }
}

/// The ordered checks of a token, and the result.
struct TokenVerdict: Sendable {
    /// `ID token of apple`
    let subject: String
    var checks: [TokenCheck]
    var header: JSONObject?
    var claims: JSONObject?
    /// Why a verdict is not possible although no check failed.
    var doubt: String?

    var json: JSON {
        let failure = checks.first { $0.verdict == .failed }
        var object: JSONObject = [
            "token": .string(subject),
            "verdict": failure != nil ? "failed" : doubt != nil ? "undecided" : "passed",
        ]
        if let failure {
            object["firstFailure"] = .string(failure.name.rawValue)
            object["explanation"] = .string(failure.explanation)
        } else {
            object["explanation"] = .string(doubt ?? "No check failed.")
        }
        object["checks"] = .array(checks.map(\.json))
        object["header"] = header.map(JSON.object)
        object["claims"] = claims.map(JSON.object)
        return .object(object)
    }
}
