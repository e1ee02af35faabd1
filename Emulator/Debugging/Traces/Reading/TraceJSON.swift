package import JSON
internal import Time

extension RecordedCall {
    package var json: JSON {
        var object: JSONObject = [
            "number": .number(Int64(number)), "service": .string(kind),
            "operation": .string(operation),
            "resource": .string(resource),
            "startedAt": .string(startedAt.iso8601Milliseconds),
            "durationMicroseconds": .number(Int64(microseconds)),
            "outcome": .string(outcome), "verdict": .string(verdict.rawValue),
        ]
        object["traceId"] = .string(trace.description)
        object["status"] = status.map { .number(Int64($0)) }
        object["reason"] = reason.map { .string($0) }
        object["requestId"] = requestID.map { .string($0) }
        object["mail"] = mail.map { .string($0) }
        object["initMicroseconds"] = initMicroseconds.map { .number(Int64($0)) }
        if isScheduled { object["scheduled"] = true }
        if !faults.isEmpty { object["faults"] = .array(faults.map { .number(Int64($0)) }) }
        return .object(object)
    }
}

extension RecordedEvent {
    package var json: JSON {
        switch self {
        case .call(let call): return call.json
        case .line(let line):
            var object: JSONObject = [
                "number": .number(Int64(line.number)),
                "at": .string(line.at.iso8601Milliseconds),
                "function": .string(line.function), "text": .string(line.text),
            ]
            object["requestId"] = line.requestID.map { .string($0) }
            return .object(object)
        }
    }

    /// The type of a server-sent event.
    package var kind: String {
        switch self {
        case .call: "call"
        case .line: "log"
        }
    }
}

extension Trace {
    /// The trace without its calls.
    package var summary: JSONObject {
        var summary: JSONObject = [
            "id": .string(id.description), "title": .string(rows.first?.call.title ?? ""),
            "startedAt": .string(startedAt.iso8601Milliseconds),
            "durationMicroseconds": .number(Int64(microseconds)),
            "outcome": .string(rows.first?.call.outcome ?? ""),
            "verdict": .string(verdict.rawValue), "callCount": .number(Int64(rows.count)),
            "last": .number(Int64(rows.map(\.call.number).max() ?? 0)),
        ]
        if rows.first?.call.isScheduled == true { summary["scheduled"] = true }
        return summary
    }

    /// - Parameters:
    ///   - linked: other traces that belong to this one.
    ///   - authorization: the traces of the authorization to which this one belongs, including this
    ///     one.
    ///   - log: what an invocation wrote, by its request ID; nil if that is not known.
    ///   - wrote: the items of a call that no later call wrote, with table and key.
    package func json(
        linked: [Trace], authorization: [Trace], log: (String) -> String?,
        wrote: (RecordedCall) -> [JSON]
    ) -> JSON {
        var object = summary
        object["linked"] = .array(linked.map { .object($0.summary) })
        if !authorization.isEmpty {
            object["authorization"] = .array(authorization.map { .object($0.summary) })
        }
        object["calls"] = .array(
            rows.map { row in
                guard case .object(var call) = row.call.json else { return row.call.json }
                call["title"] = .string(row.call.title)
                call["depth"] = .number(Int64(row.depth))
                call["log"] = row.call.requestID.flatMap(log).map { .string($0) }
                let items = wrote(row.call)
                if !items.isEmpty { call["wrote"] = .array(items) }
                call["parent"] = row.parent.map { .number(Int64($0)) }
                call["offsetMicroseconds"] = .number(
                    Int64((row.call.startNanoseconds - startNanoseconds) / 1000))
                return .object(call)
            })
        return .object(object)
    }
}
