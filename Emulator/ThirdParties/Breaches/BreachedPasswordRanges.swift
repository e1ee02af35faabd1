internal import Bytes
internal import Cryptography
package import EmulatorBase
internal import HTTP

/// The range API of Have I Been Pwned, version 3, with a few passwords:
/// `GET /range/<first five digits of the SHA-1>`.
package enum BreachedPasswordRanges {
    /// The path at which the emulator serves the ranges.
    package static let prefix = "/_breaches"

    /// The breached passwords. None of them is in the list of common passwords, and each is long
    /// enough for every contract.
    package static let passwords = [
        "Breached-Password-1!", "Correct-Horse-Battery-Staple-1!",
    ]

    private static let rangeCharacters = 5
    private static let restCharacters = 35
    /// Have I Been Pwned pads to a number between 800 and 1,000.
    private static let paddedLines = 800

    /// - Parameter path: below `prefix`.
    package static func response(
        _ request: ServerRequest, path: some StringProtocol
    ) -> ServerResponse {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, parts[1] == "range" else {
            return .refusal(404, "Not found.")
        }
        guard request.method.utf8.elementsEqual("GET".utf8) else {
            return .refusal(405, "Method not allowed.")
        }
        let range = parts[2].uppercased()
        guard range.utf8.count == rangeCharacters, range.allSatisfy(\.isHexDigit) else {
            return text(400, "The hash prefix was not in a valid format")
        }
        var lines = passwords.compactMap { password -> String? in
            let hash = Hex.encode(BrokenDigest.sha1(Array(password.utf8))).uppercased()
            return hash.hasPrefix(range) ? "\(hash.dropFirst(rangeCharacters)):7" : nil
        }
        if request.header("add-padding")?.lowercased() == "true" {
            lines += padding(range, paddedLines - lines.count)
        }
        return text(200, lines.sorted().joined(separator: "\r\n"))
    }

    /// Deterministic suffixes that match no password.
    private static func padding(_ range: String, _ count: Int) -> [String] {
        (0..<count).map { number in
            let hash = Hex.encode(SHA256.hash(utf8: "\(range) \(number)")).uppercased()
            return "\(hash.prefix(restCharacters)):0"
        }
    }

    private static func text(_ status: Int, _ body: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", "text/plain")],
            body: Array(body.utf8))
    }
}
