internal import Bytes
internal import JSON
internal import Time

extension TokenExpectations {
    func checkType(_ type: String?) throws(TokenFailure) {
        guard accepts(type.map(Self.mediaType), among: types.map { $0.map(Self.mediaType) })
        else { throw .wrongType }
    }

    func check(_ claims: RegisteredClaims) throws(TokenFailure) {
        try checkParties(claims)
        try checkTimes(claims)
        for name in requires {
            guard let value = claims.object[name], !value.isNull else { throw .missingClaim(name) }
        }
    }

    private func checkParties(_ claims: RegisteredClaims) throws(TokenFailure) {
        guard accepts(claims.issuer, among: issuers) else {
            throw claims.issuer == nil ? .missingClaim("iss") : .wrongIssuer
        }
        guard let audiences = claims.audiences else {
            guard accepts(nil, among: self.audiences) else { throw .missingClaim("aud") }
            return
        }
        guard audiences.contains(where: { accepts($0, among: self.audiences) }) else {
            throw .wrongAudience
        }
    }

    private func checkTimes(_ claims: RegisteredClaims) throws(TokenFailure) {
        if let expiresAt = claims.expiresAt {
            // A token has expired "on or after" this time (RFC 7519 section 4.1.4).
            guard now < expiresAt + leeway else { throw .expired }
        } else if requiresExpiry || ageMax == nil {
            throw .missingClaim("exp")
        }
        let start = now + (issueLeeway ?? leeway)
        if let notBefore = claims.notBefore, start < notBefore { throw .notYetValid }
        if let issuedAt = claims.issuedAt, start < issuedAt { throw .issuedInFuture }
        guard let ageMax else { return }
        guard let issuedAt = claims.issuedAt else { throw .missingClaim("iat") }
        guard now < issuedAt + ageMax + leeway else { throw .tooOld }
    }

    private func accepts(_ value: String?, among expected: [String?]) -> Bool {
        expected.contains { candidate in
            switch (candidate, value) {
            case (let candidate?, let value?): candidate.isSame(as: value)
            case (nil, nil): true
            case (.some, nil), (nil, .some): false
            }
        }
    }

    /// RFC 7515 section 4.1.9: a type without a slash has the prefix `application/`. Media types
    /// are compared without regard to the case of ASCII letters only.
    private static func mediaType(_ type: String) -> String {
        let text = type.asciiLowercased
        return text.utf8.contains(UInt8(ascii: "/")) ? text : "application/" + text
    }
}
