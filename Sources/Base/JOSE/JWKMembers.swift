internal import Bytes
internal import JSON

/// The members of one JWK (RFC 7517), parsed strictly.
struct JWKMembers {
    /// The limit of a key ID.
    static let keyIDBytesMax = 256
    static let secretBytes = 32...4096

    let object: JSONObject

    enum Operation: String {
        case sign, verify
    }

    func text(_ name: String) throws(KeyFailure) -> String {
        guard let text = object[name]?.stringValue else { throw .malformed }
        return text
    }

    func bytes(_ name: String) throws(KeyFailure) -> [UInt8] {
        guard let bytes = Base64URL.decode(try text(name)), !bytes.isEmpty else {
            throw .malformed
        }
        return bytes
    }

    /// A value of fixed length, such as a coordinate (RFC 7518 section 6.2.1.2: leading zeros are
    /// kept).
    func bytes(_ name: String, count: Int) throws(KeyFailure) -> [UInt8] {
        let bytes = try bytes(name)
        guard bytes.count == count else { throw .malformed }
        return bytes
    }

    func secret(_ name: String) throws(KeyFailure) -> SecretBytes {
        SecretBytes(try bytes(name))
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    func keyID() throws(KeyFailure) -> String? {
        guard let member = object["kid"] else { return nil }
        guard let text = member.stringValue, (1...Self.keyIDBytesMax).contains(text.utf8.count)
        else { throw .malformed }
        return text
    }

    /// The one algorithm of the key, determined by its type. An `alg` member must agree; a token's
    /// header is not used (CVE-2026-22817 was caused by that).
    func algorithm() throws(KeyFailure) -> Algorithm {
        let kind = try text("kty")
        let algorithm: Algorithm
        if kind.isSame(as: "RSA") {
            algorithm = .rs256
        } else if kind.isSame(as: "EC"), try text("crv").isSame(as: "P-256") {
            algorithm = .es256
        } else if kind.isSame(as: "OKP"), try text("crv").isSame(as: "Ed25519") {
            algorithm = .edDSA
        } else if kind.isSame(as: "oct") {
            algorithm = .hs256
        } else {
            throw .unsupported
        }
        guard let member = object["alg"] else { return algorithm }
        guard let name = member.stringValue else { throw .malformed }
        guard Algorithm(name: name) == algorithm else { throw .unsupported }
        return algorithm
    }

    /// RFC 7517 sections 4.2 and 4.3: both members are optional, and both are enforced.
    func checkUse(_ operation: Operation) throws(KeyFailure) {
        if let use = object["use"] {
            guard let text = use.stringValue else { throw .malformed }
            guard text.isSame(as: "sig") else { throw .wrongUse }
        }
        guard let operations = object["key_ops"] else { return }
        guard let values = operations.arrayValue, values.count <= 16 else { throw .malformed }
        let names = values.compactMap(\.stringValue)
        guard names.count == values.count else { throw .malformed }
        for (index, name) in names.enumerated() {
            guard !names[..<index].contains(where: name.isSame(as:)) else { throw .malformed }
        }
        guard names.contains(where: { $0.isSame(as: operation.rawValue) }) else {
            throw .wrongUse
        }
    }
}
