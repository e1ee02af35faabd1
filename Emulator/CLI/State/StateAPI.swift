internal import Bytes
internal import EmulatorServer
internal import HTTP
internal import JSON

/// `/_emulator/state`: everything that is kept, page by page, as lines of JSON.
///
/// The pages follow one another, so whoever exports while others write gets each record whole, and
/// not one moment of all of them.
struct StateAPI: Sendable {
    let world: EmulatorServices

    /// Secrets first: what is sealed with them comes later.
    private var parts: [any StatePart] {
        [
            SecretStatePart(service: world.secrets), TableStatePart(service: world.tables),
            ObjectStatePart(store: world.objects, clock: world.clock),
            IdentityStatePart(service: world.identity), MailStatePart(mailbox: world.mailbox),
        ]
    }

    static let cursorHeader = "x-latchkey-next"

    func handle(_ request: ServerRequest) -> ServerResponse {
        do {
            switch request.method {
            case "GET": return try export(request)
            case "POST": return try take(request)
            case "DELETE":
                for part in parts { try part.clear() }
                _ = try world.load()
                return .json(["cleared": true])
            default: return .error(405, "The state is read, written and deleted.")
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
        guard index < parts.count else { throw StateFailure("the cursor is of another emulator") }
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
        else { throw StateFailure("the cursor is none of ours") }
        return (Int(part), json["position"])
    }

    private func take(_ request: ServerRequest) throws -> ServerResponse {
        let parts = parts
        var count: Int64 = 0
        // Functions read their secrets once, at their start.
        var hasSecrets = false
        defer { if hasSecrets { world.loadOrNote() } }
        for line in request.body.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSON.parse(Array(line), limits: StateLimits.json),
                let kind = record["kind"]?.stringValue
            else { throw StateFailure("record \(count + 1) is no object with a kind") }
            guard let part = parts.first(where: { $0.kinds.contains(kind) }) else {
                throw StateFailure("record \(count + 1) is of a kind that nobody knows: \(kind)")
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
