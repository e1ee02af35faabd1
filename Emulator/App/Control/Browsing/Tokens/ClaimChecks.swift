internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import JSON
internal import Time

/// The claims that name the issuer, the audience and the sign-in of a token.
struct ClaimChecks {
    let claims: JSONObject
    let header: JSONObject
    let issuer: TokenIssuer?
    let question: TokenQuestion
    let knownIssuers: [String]

    // MARK: iss, aud, azp

    var issuerCheck: TokenCheck {
        let expected = (issuer?.issuers ?? knownIssuers).joined(separator: ", ")
        guard let value = claims["iss"] else {
            return TokenCheck(.iss, .failed, expected: expected, "The token names no issuer.")
        }
        guard let text = value.stringValue, issuer?.has(issuer: text) == true else {
            return TokenCheck(
                .iss, .failed, value: value, expected: expected,
                issuer.map { "The token names another issuer than \($0.name)." }
                    ?? "The emulator does not know this issuer.")
        }
        return TokenCheck(
            .iss, .passed, value: value, expected: expected, "The issuer is the expected one.")
    }

    private var expectedAudiences: [String] {
        question.audiences.isEmpty ? issuer?.audiences ?? [] : question.audiences
    }

    var audienceCheck: TokenCheck {
        let known = expectedAudiences
        let expected = known.joined(separator: ", ")
        guard let value = claims["aud"] else {
            return TokenCheck(
                .aud, .failed, expected: expected, "The token names no audience.")
        }
        let named = value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue)
        guard let named, named.count == value.arrayValue?.count ?? 1 else {
            return TokenCheck(
                .aud, .failed, value: value, expected: expected,
                "An audience is a text, or a list of texts.")
        }
        guard !known.isEmpty else {
            return TokenCheck(
                .aud, .skipped, value: value,
                "The expected audience is not known: give it with audience.")
        }
        guard named.contains(where: known.containsText) else {
            return TokenCheck(
                .aud, .failed, value: value, expected: expected,
                "The token is for another app. If it is yours, give its ID with audience.")
        }
        guard let other = named.first(where: { !known.containsText($0) }) else {
            return TokenCheck(
                .aud, .passed, value: value, expected: expected, "The token is for this app.")
        }
        return TokenCheck(
            .aud, .failed, value: value, expected: expected,
            "The token is also for \(other), which is not this app (OpenID Connect Core "
                + "section 3.1.3.7). Latchkey's functions accept it if azp is this app.")
    }

    var partyCheck: TokenCheck {
        let known = expectedAudiences
        guard let value = claims["azp"] else {
            return TokenCheck(
                .azp, .skipped, "The token does not name the client that requested it.")
        }
        guard !known.isEmpty else {
            return TokenCheck(.azp, .skipped, value: value, "The expected audience is not known.")
        }
        let isOurs = value.stringValue.map(known.containsText) ?? false
        return TokenCheck(
            .azp, isOurs ? .passed : .failed, value: value,
            expected: known.joined(separator: ", "),
            isOurs
                ? "The token was requested by this app."
                : "The token was requested by another client. Google names an Android app here: "
                    + "if it is yours, give its ID with audience.")
    }

    // MARK: nonce, typ

    var nonceCheck: TokenCheck {
        let value = claims["nonce"]
        guard let nonce = question.nonce else {
            return TokenCheck(
                .nonce, .skipped, value: value,
                value == nil
                    ? "The token has no nonce, and none was given to compare."
                    : "No nonce was given to compare.")
        }
        let hash = SHA256.hash(utf8: nonce)
        let forms = [
            ("as it is", nonce), ("as its SHA-256 in hexadecimal", Hex.encode(hash)),
            ("as its SHA-256 in base64url", Base64URL.encode(hash)),
        ]
        let expected = "\(nonce), or its SHA-256"
        guard let value else {
            return TokenCheck(
                .nonce, .failed, expected: expected,
                "The token has no nonce: it may come from another sign-in.")
        }
        let form = forms.first { value.stringValue?.isSame(as: $0.1) == true }
        return TokenCheck(
            .nonce, form == nil ? .failed : .passed, value: value, expected: expected,
            form.map { "The token has the nonce \($0.0)." }
                ?? "The token is from a sign-in with another nonce.")
    }

    var typeCheck: TokenCheck {
        let value = header["typ"]
        let name = value?.stringValue.map(Self.mediaType)
        let isApp = issuer?.isApp == true
        let allowed = isApp ? ["at+jwt", "jwt"] : ["jwt"]
        let expected = isApp ? "at+jwt; JWT in some contracts" : "JWT, or none"
        if value == nil, !isApp {
            return TokenCheck(.typ, .passed, expected: expected, "Optional in an ID token.")
        }
        guard let name, allowed.containsText(name) else {
            return TokenCheck(
                .typ, .failed, value: value, expected: expected,
                isApp
                    ? "The type of an access token is at+jwt (RFC 9068 section 2.1)."
                    : "This is another kind of token, not an ID token.")
        }
        return TokenCheck(
            .typ, .passed, value: value, expected: expected, "The type is as expected.")
    }

    /// RFC 7515 section 4.1.9: case-insensitive, and a type without a slash has the prefix
    /// `application/`.
    private static func mediaType(_ text: String) -> String {
        let name = text.asciiUppercased.lowercased()
        return name.has(prefix: "application/") ? name.dropping(prefix: "application/") : name
    }

    // MARK: sub, email

    var subjectCheck: TokenCheck {
        let value = claims["sub"]
        let text = value?.stringValue ?? value?.int64Value.map { String($0) }
        let isFine = text.map { (1...255).contains($0.utf8.count) } ?? false
        return TokenCheck(
            .sub, isFine ? .passed : .failed, value: value, expected: "1 to 255 bytes",
            isFine
                ? "The token names its subject."
                : value == nil ? "The token names no subject." : "The subject is not a usable text."
        )
    }

    var emailCheck: TokenCheck {
        let value = claims["email"]
        let parts = value?.stringValue?.pieces(at: "@") ?? []
        let isFine = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        return TokenCheck(
            .email, isFine ? .passed : .failed, value: value, expected: "an e-mail address",
            isFine
                ? "The token has an address."
                : value == nil
                    ? "The token has no address: the app did not ask for it, or the account has "
                        + "none. Latchkey's functions sign in by sub, without it."
                    : "This is not an e-mail address.")
    }

    var verificationCheck: TokenCheck {
        let value = claims["email_verified"]
        guard claims["email"] != nil else {
            return TokenCheck(.emailVerified, .skipped, value: value, "There is no address.")
        }
        let isVerified = value == true || value == "true"
        return TokenCheck(
            .emailVerified, isVerified ? .passed : .failed, value: value,
            expected: #"true or "true""#,
            isVerified
                ? "The provider has verified the address."
                : "The provider has not verified the address: it may not be the person's. "
                    + "Latchkey's functions sign in by sub, and do not trust such an address.")
    }
}
