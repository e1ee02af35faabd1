// Every published case runs. An invalid one must be refused, even if it is a JWE. A valid one must
// be accepted, with these exceptions:
//
// - Its algorithm is not supported (RS384, PS256, ES512, HS512, key wrapping, …): refused by
//   algorithm, which the case names. The tests count these separately.
// - Wycheproof JWS 372 and 373 have a `?` inside base64url and a MAC over that text. The RFC 7515
//   alphabet has no `?`; skipping it would give one token several encodings.
// - Wycheproof JWS 367 and 370 are marked invalid but are byte for byte equal to the valid case
//   357. They must be accepted, and a test checks that they are equal.
// - A detached payload and JSON serialisation (RFC 7515 appendix F, section 7.2): compact only.
// - `b64` and `crit` (RFC 7797): no extension is supported.
enum VectorPolicy {
    static let malleable: Set = [372, 373]
    static let mislabelled: Set = [367, 370]

    /// Whether the case must be accepted.
    static func accepts(_ token: JSON, isValid: Bool, id: Int, isSignatureFile: Bool) -> Bool {
        if isSignatureFile, malleable.contains(id) { return false }
        if isSignatureFile, mislabelled.contains(id) { return true }
        return isValid && hasOurAlgorithm(token)
    }

    /// Whether the header's algorithm is supported; the header is parsed leniently.
    static func hasOurAlgorithm(_ token: JSON) -> Bool {
        guard let text = token.stringValue, let first = text.split(separator: ".").first,
            let header = Base64URL.decode(first.filter { $0 != "?" }),
            let name = (try? JSON.parse(header, limits: .request))?["alg"]?.stringValue
        else { return false }
        return Algorithm(name: name) != nil
    }
}
