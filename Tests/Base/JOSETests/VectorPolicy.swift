import Bytes
import JOSE
import JSON

// Every published case runs. An invalid one must be refused whatever it is, a JWE included. A
// valid one must be accepted, with these exceptions:
//
// - Its algorithm is not one of ours (RS384, PS256, ES512, HS512, key wrapping, …): refused by
//   algorithm, which the case itself names. The tests count these apart.
// - Wycheproof JWS 372 and 373 hold a `?` inside base64url and a code over that very text. The
//   RFC 7515 alphabet has no `?`; whoever skips it gives one token many spellings.
// - Wycheproof JWS 367 and 370 are marked invalid, but are case 357, valid, byte for byte: no
//   verifier can tell them apart. They must be accepted, and a test shows that they are equal.
// - A detached payload and JSON serialisation (RFC 7515 appendix F, section 7.2): compact only.
// - `b64` and `crit` (RFC 7797): we know no extension.
enum VectorPolicy {
    static let malleable: Set = [372, 373]
    static let mislabelled: Set = [367, 370]

    /// Whether the case is one that we must accept.
    static func accepts(_ token: JSON, isValid: Bool, id: Int, isSignatureFile: Bool) -> Bool {
        if isSignatureFile, malleable.contains(id) { return false }
        if isSignatureFile, mislabelled.contains(id) { return true }
        return isValid && hasOurAlgorithm(token)
    }

    /// The algorithm in the header, read as leniently as need be.
    static func hasOurAlgorithm(_ token: JSON) -> Bool {
        guard let text = token.stringValue, let first = text.split(separator: ".").first,
            let header = Base64URL.decode(first.filter { $0 != "?" }),
            let name = (try? JSON.parse(header, limits: .request))?["alg"]?.stringValue
        else { return false }
        return Algorithm(name: name) != nil
    }
}
