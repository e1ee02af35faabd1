internal import Bytes
internal import JSON

/// A log line for people:
/// `2026-11-29T10:52:00.123Z info GET /nope 404 3ms refused operation=unrouted requestId=1f6c20ab`.
enum LogText {
    /// The members whose names are not shown.
    private static let bare = ["time", "level", "event"]
    /// The members of a request, in a form that servers have in common.
    private static let request = ["method", "path", "status", "milliseconds"]
    /// IDs are shortened. Their beginning is enough to find the request in a log of JSON lines.
    private static let idBytes = 8

    static func line(_ members: JSONObject) -> [UInt8] {
        var line: [UInt8] = []
        func add(_ name: String?, _ value: JSON, _ unit: String = "") {
            if !line.isEmpty { line.append(UInt8(ascii: " ")) }
            if let name { line += "\(name)=".utf8 }
            // A text with a space is quoted, as in JSON.
            if let text = value.stringValue, !text.isEmpty, text.utf8.allSatisfy(isPlain) {
                line += text.utf8
            } else {
                line += value.serialized
            }
            line += unit.utf8
        }
        let isOfRequest = members["method"] != nil && members["path"] != nil
        for (name, value) in members.members {
            if name.isSame(as: "event"), isOfRequest {
                for part in request {
                    guard let value = members[part] else { continue }
                    add(nil, value, part.isSame(as: "milliseconds") ? "ms" : "")
                }
            }
            if isOfRequest, request.contains(where: name.isSame(as:)) { continue }
            if ["requestId", "traceId"].contains(where: name.isSame(as:)) { continue }
            add(bare.contains(where: name.isSame(as:)) ? nil : name, value)
        }
        if let id = members["requestId"] { add("requestId", shortened(id)) }
        if let trace = members["traceId"], !isSame(trace, members["requestId"]) {
            add("traceId", trace)
        }
        return line
    }

    private static func shortened(_ id: JSON) -> JSON {
        guard let text = id.stringValue else { return id }
        return .string(String(decoding: text.utf8.prefix(idBytes), as: UTF8.self))
    }

    /// The ID of a trace that begins here has the same digits as the request's ID, so it is not
    /// repeated.
    private static func isSame(_ trace: JSON, _ request: JSON?) -> Bool {
        guard let trace = trace.stringValue, let request = request?.stringValue else {
            return false
        }
        return trace.utf8.elementsEqual(request.utf8.lazy.filter { $0 != UInt8(ascii: "-") })
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
    }
}
