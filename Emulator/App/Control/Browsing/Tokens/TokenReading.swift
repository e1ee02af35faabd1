internal import Bytes
internal import EmulatorBase
internal import JSON

/// A token in compact serialization (RFC 7515 section 7.1), parsed as far as possible.
struct TokenReading: Sendable {
    private(set) var checks: [TokenCheck] = []
    private(set) var header: JSONObject?
    private(set) var claims: JSONObject?
    private(set) var signingInput: [UInt8] = []
    private(set) var signature: [UInt8] = []

    private static let limits = JSONLimits(bytesMax: 16 << 10, depthMax: 16, membersMax: 256)

    init(_ token: String) { read(token) }

    private mutating func read(_ token: String) {
        let size = token.utf8.count
        let sizeMax = TokenQuestion.tokenBytesMax
        guard size <= sizeMax else {
            return add(
                .size, false, .number(size), "at most \(sizeMax) bytes",
                "The token is too long: functions reject it without reading it.")
        }
        add(.size, true, .number(size), "at most \(sizeMax) bytes", "The length is valid.")
        let parts = token.pieces(at: ".")
        guard parts.count == 3 else {
            return add(
                .parts, false, .number(parts.count), "3",
                parts.count == 5
                    ? "Five parts are an encrypted token (JWE); a signed one has three."
                    : "A signed token (JWS) has three parts, with dots between them.")
        }
        add(.parts, true, 3, "3", "Header, payload and signature.")
        let decoded = parts.map { Base64URL.decode($0) }
        if let place = decoded.firstIndex(where: { $0 == nil }) {
            let part = ["header", "payload", "signature"][place]
            let isPadded = parts[place].utf8.contains(UInt8(ascii: "="))
            return add(
                .base64url, false, .string(part), "base64url without padding",
                isPadded
                    ? "The \(part) ends in =, as base64 does; base64url of a token has no padding."
                    : "The \(part) is not canonical base64url (RFC 7515 section 2).")
        }
        add(.base64url, true, nil, "base64url without padding", "All three parts can be decoded.")
        readObjects(decoded.map { $0 ?? [] })
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
        signature = decoded[2] ?? []
    }

    /// Whether header and claims can be checked.
    var isReadable: Bool { header != nil && claims != nil }

    private mutating func readObjects(_ parts: [[UInt8]]) {
        header = object(parts[0], "header")
        guard header != nil else { return }
        claims = object(parts[1], "payload")
        guard claims != nil else { return }
        add(
            .json, true, nil, "two JSON objects without duplicate names",
            "Header and payload are JSON objects.")
    }

    private mutating func object(_ bytes: [UInt8], _ part: String) -> JSONObject? {
        let why: String
        do throws(JSONFailure) {
            if let object = try JSON.parse(bytes, limits: Self.limits).objectValue { return object }
            why = "it is not an object"
        } catch .duplicateName {
            why = "a member occurs twice, and parsers differ in which one they use"
        } catch {
            why = error.reason
        }
        add(
            .json, false, .string(part), "two JSON objects without duplicate names",
            "The \(part) is not a strict JSON object: \(why).")
        return nil
    }

    private mutating func add(
        _ name: TokenCheck.Name, _ isPassed: Bool, _ value: JSON?, _ expected: String,
        _ explanation: String
    ) {
        checks.append(
            TokenCheck(
                name, isPassed ? .passed : .failed, value: value, expected: expected, explanation))
    }
}
