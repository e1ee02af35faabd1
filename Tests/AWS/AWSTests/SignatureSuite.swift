import Foundation

/// One case of AWS's published test suite; see `Vectors/README.md` for its origin.
struct SignatureCase: Sendable, CustomTestStringConvertible {
    let json: JSON

    var testDescription: String { text("name") }

    func text(_ name: String) -> String { json[name]?.stringValue ?? "" }

    private var context: JSON { json["context"] ?? .null }

    var signer: Signer {
        let keys = context["credentials"] ?? .null
        var signer = Signer(
            AWSCredentials(
                accessKeyID: keys["access_key_id"]?.stringValue ?? "",
                secretAccessKey: SecretBytes(utf8: keys["secret_access_key"]?.stringValue ?? ""),
                sessionToken: (keys["token"]?.stringValue).map { SecretBytes(utf8: $0) }),
            region: context["region"]?.stringValue ?? "",
            service: context["service"]?.stringValue ?? "")
        signer.path = path
        signer.sendsPayloadHash = context["sign_body"]?.boolValue ?? false
        signer.signsSessionToken = !leavesTokenUnsigned
        return signer
    }

    var path: PathRule { context["normalize"]?.boolValue == true ? .standard : .verbatim }

    var leavesTokenUnsigned: Bool { context["omit_session_token"]?.boolValue == true }

    var secret: SecretBytes {
        SecretBytes(utf8: context["credentials"]?["secret_access_key"]?.stringValue ?? "")
    }

    var time: Instant {
        get throws { try #require(Instant(iso8601: context["timestamp"]?.stringValue ?? "")) }
    }

    var lifetime: Span { .seconds(context["expiration_in_seconds"]?.int64Value ?? 0) }

    /// The suite's raw request: request line, headers, an empty line, the body.
    var request: HTTPRequest {
        get throws { try Self.request(text("request")) }
    }

    static func request(_ raw: String) throws -> HTTPRequest {
        let parts = raw.components(separatedBy: "\n\n")
        var lines = parts[0].components(separatedBy: "\n").filter { !$0.isEmpty }
        let start = lines.removeFirst()
        let words = start.split(separator: " ")
        let method = try #require(HTTPRequest.Method(rawValue: String(words[0])))
        // `GET /example space/ HTTP/1.1`
        let target = words.dropFirst().dropLast().joined(separator: " ")
        var headers: [HTTPHeader] = []
        for line in lines {
            if line.hasPrefix(" "), let last = headers.popLast() {
                headers.append(HTTPHeader(last.name, last.value + "\n" + line))
            } else {
                let pair = line.split(separator: ":", maxSplits: 1)
                headers.append(HTTPHeader(String(pair[0]), pair.count > 1 ? String(pair[1]) : ""))
            }
        }
        return HTTPRequest(
            method, "https://example.amazonaws.com" + target, headers: headers,
            body: Array(parts.dropFirst().joined(separator: "\n\n").utf8))
    }

    static let all: [SignatureCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/sigv4_suite.json")
        guard let data = try? Data(contentsOf: file),
            let suite = try? JSON.parse(Array(data), limits: .response)
        else { return [] }
        return (suite["cases"]?.arrayValue ?? []).map { SignatureCase(json: $0) }
    }()
}
