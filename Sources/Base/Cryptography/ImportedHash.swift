internal import Bytes

/// A password hash that another system made: bcrypt, scrypt or PBKDF2, in the forms of common
/// libraries.
///
/// Each is verified at the cost in the hash, within limits, so that a row of the store cannot make
/// a function run out of memory or time.
///
/// | form | made by |
/// |---|---|
/// | `$2b$12$…`, also `$2a$` and `$2y$` | every bcrypt |
/// | `$scrypt$ln=16,r=8,p=1$salt$tag` | PHC string format, passlib |
/// | `scrypt:32768:8:1$salt$hex` | Werkzeug (Flask) |
/// | `scrypt$16384$salt$8$5$base64` | Django |
/// | `$pbkdf2-sha256$29000$salt$tag` | passlib |
/// | `$pbkdf2-sha256$i=600000,l=32$salt$tag` | PHC string format |
/// | `pbkdf2:sha256:1000000$salt$hex` | Werkzeug (Flask) |
/// | `pbkdf2_sha256$1000000$salt$base64` | Django |
struct ImportedHash {
    enum Method {
        case bcrypt(cost: Int, String)
        case scrypt(Scrypt.Cost)
        case pbkdf2(PBKDF2.Digest, iterations: Int)
    }

    let method: Method
    private let salt: [UInt8]
    let tag: SecretBytes

    static let bytesMax = 512
    /// Limit for PBKDF2: two million iterations with SHA-256 take about half a second.
    static let iterationsMax = 2_000_000
    private static let tagBytes = 16...128

    init(parsing text: String) throws(CryptoFailure) {
        guard text.utf8.count <= Self.bytesMax else { throw .limitExceeded }
        if let cost = Bcrypt.cost(of: text) {
            (method, salt, tag) = (.bcrypt(cost: cost, text), [], SecretBytes([]))
            return
        }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        var found = try Self.crypt(parts)
        if found == nil { found = try Self.werkzeug(parts) }
        if found == nil { found = try Self.django(parts) }
        guard let read = found,
            Self.tagBytes.contains(read.tag.count), !read.salt.isEmpty
        else { throw .malformed }
        (method, salt, tag) = (read.method, read.salt, SecretBytes(read.tag))
    }

    func verify(_ password: SecretBytes) throws(CryptoFailure) -> Bool {
        switch method {
        case .bcrypt(_, let text): try Bcrypt.verify(password, text)
        case .scrypt(let cost):
            try Scrypt.derive(password, salt: salt, cost: cost, count: tag.count) == tag
        case .pbkdf2(let digest, let iterations):
            try PBKDF2.derive(
                digest, password, salt: salt, iterations: iterations, count: tag.count) == tag
        }
    }
}

extension ImportedHash {
    private typealias Parts = (method: Method, salt: [UInt8], tag: [UInt8])

    /// `$name$parameters$salt$tag`, both in base64.
    private static func crypt(_ parts: [String]) throws(CryptoFailure) -> Parts? {
        guard parts.count == 5, parts[0].isEmpty, let salt = base64(parts[3]),
            let tag = base64(parts[4])
        else { return nil }
        let parameters = parameters(parts[2])
        switch parts[1] {
        case "scrypt":
            guard let rounds = parameters["ln"], (1...20).contains(rounds),
                let blockSize = parameters["r"], let parallelism = parameters["p"]
            else { return nil }
            let cost = try Scrypt.Cost(
                iterations: 1 << rounds, blockSize: blockSize, parallelism: parallelism)
            return (.scrypt(cost), salt, tag)
        case "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512":
            guard let iterations = number(parts[2]) ?? parameters["i"] else { return nil }
            let digest = String(parts[1].dropFirst("pbkdf2-".count))
            return (try pbkdf2(digest, iterations), salt, tag)
        default: return nil
        }
    }

    /// `name:parameters$salt$tag`, with the salt as plain text and the tag in hexadecimal.
    private static func werkzeug(_ parts: [String]) throws(CryptoFailure) -> Parts? {
        guard parts.count == 3, let tag = Hex.decode(parts[2]) else { return nil }
        let words = parts[0].split(separator: ":").map(String.init)
        let salt = Array(parts[1].utf8)
        switch words.first {
        case "scrypt":
            let numbers = words.dropFirst().compactMap(number)
            guard words.count == 4, numbers.count == 3 else { return nil }
            let cost = try Scrypt.Cost(
                iterations: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
            return (.scrypt(cost), salt, tag)
        case "pbkdf2":
            guard words.count == 3, let iterations = number(words[2]) else { return nil }
            return (try pbkdf2(words[1], iterations), salt, tag)
        default: return nil
        }
    }

    /// `name$parameters`, with the salt as plain text and the tag in padded base64.
    private static func django(_ parts: [String]) throws(CryptoFailure) -> Parts? {
        guard let tag = parts.last.flatMap({ Base64.decode($0) }) else { return nil }
        switch (parts[0], parts.count) {
        case ("scrypt", 6):
            guard let iterations = number(parts[1]), let blockSize = number(parts[3]),
                let parallelism = number(parts[4])
            else { return nil }
            let cost = try Scrypt.Cost(
                iterations: iterations, blockSize: blockSize, parallelism: parallelism)
            return (.scrypt(cost), Array(parts[2].utf8), tag)
        case ("pbkdf2_sha1", 4), ("pbkdf2_sha256", 4), ("pbkdf2_sha512", 4):
            guard let iterations = number(parts[1]) else { return nil }
            let digest = String(parts[0].dropFirst("pbkdf2_".count))
            return (try pbkdf2(digest, iterations), Array(parts[2].utf8), tag)
        default: return nil
        }
    }

    private static func pbkdf2(
        _ digest: String, _ iterations: Int
    ) throws(CryptoFailure) -> Method {
        guard let digest = PBKDF2.Digest(rawValue: digest) else { throw .malformed }
        guard (1...iterationsMax).contains(iterations) else { throw .limitExceeded }
        return .pbkdf2(digest, iterations: iterations)
    }

    /// `ln=16,r=8,p=1`
    private static func parameters(_ text: String) -> [String: Int] {
        text.split(separator: ",").reduce(into: [:]) { found, pair in
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let value = number(String(sides[1])) else { return }
            found[String(sides[0])] = value
        }
    }

    private static func number(_ text: String) -> Int? {
        guard (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(text)
    }

    /// Decodes base64 without padding; passlib writes `.` for `+`.
    private static func base64(_ text: String) -> [UInt8]? {
        let standard = text.map { $0 == "." ? "+" : $0 }
        return Base64.decode(
            String(standard) + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
