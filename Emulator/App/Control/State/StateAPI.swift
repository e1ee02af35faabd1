internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// `/_emulator/state`: all state as pages of JSON lines.
///
/// An export during writes contains complete records, but is not a snapshot of one moment.
package struct StateAPI: Sendable {
    let services: EmulatorServices

    /// Secrets come first, because later records may be encrypted with them.
    private var parts: [any StatePart] {
        [
            SecretStatePart(service: services.secrets), TableStatePart(service: services.tables),
            ObjectStatePart(store: services.objects, clock: services.clock),
            IdentityStatePart(service: services.identity), MailStatePart(mailbox: services.mailbox),
        ]
    }

    package static let cursorHeader = "x-latchkey-next"

    func handle(_ request: ServerRequest) -> ServerResponse {
        do {
            switch request.method {
            case "GET": return try export(request)
            case "POST": return try take(request)
            case "DELETE":
                for part in parts { try part.clear() }
                services.noteReset()
                _ = try services.load()
                return .json(["cleared": true])
            default: return .error(405, "Method not allowed: use GET, POST or DELETE.")
            }
        } catch let error as StateFailure {
            return .error(400, error.description)
        } catch {
            return .error(500, "\(error)")
        }
    }

    private func export(_ request: ServerRequest) throws -> ServerResponse {
        let query = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 4) ?? []
        let cursor = try query.first { $0.0 == "cursor" }.map { try Self.cursor($0.1) }
        let index = cursor?.part ?? 0
        let parts = parts
        guard index < parts.count else { throw StateFailure("invalid cursor") }
        let (records, next) = try parts[index].page(from: cursor?.position)
        var lines: [UInt8] = []
        for record in records { lines += record.serialized + [UInt8(ascii: "\n")] }
        var headers = [HTTPHeader("Content-Type", "application/x-ndjson")]
        let following: JSON? =
            if let next {
                ["part": .number(Int64(index)), "position": next]
            } else if index + 1 < parts.count {
                ["part": .number(Int64(index + 1))]
            } else {
                nil
            }
        if let following {
            headers.append(
                HTTPHeader(Self.cursorHeader, Base64URL.encode(following.serialized)))
        }
        return ServerResponse(status: 200, headers: headers, body: lines)
    }

    private static func cursor(_ text: String) throws -> (part: Int, position: JSON?) {
        guard let bytes = Base64URL.decode(text),
            let json = try? JSON.parse(bytes, limits: .event),
            let part = json["part"]?.int64Value, part >= 0
        else { throw StateFailure("invalid cursor") }
        return (Int(part), json["position"])
    }

    private func take(_ request: ServerRequest) throws -> ServerResponse {
        let parts = parts
        var count: Int64 = 0
        // Functions read their secrets once, at their start.
        var hasSecrets = false
        defer { if hasSecrets { services.loadOrNote() } }
        for line in request.body.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSON.parse(Array(line), limits: StateLimits.json),
                let kind = record["kind"]?.stringValue
            else { throw StateFailure("record \(count + 1): expected a JSON object with a kind") }
            guard let part = parts.first(where: { $0.kinds.contains(kind) }) else {
                throw StateFailure("record \(count + 1): unknown kind \(kind)")
            }
            do {
                try part.take(record)
            } catch {
                throw StateFailure("record \(count + 1), of kind \(kind): \(error)")
            }
            count += 1
            hasSecrets = hasSecrets || kind == "secret"
        }
        return .json(["taken": .number(count)])
    }
}
