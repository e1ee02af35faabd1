import JSON

/// RFC 7396. Members keep their order; new ones follow.
enum MergePatch {
    static func apply(_ patch: JSON, to target: JSON) -> JSON {
        guard let changes = patch.objectValue else { return patch }
        var result = target.objectValue ?? [:]
        for (name, change) in changes.members {
            result[name] = change.isNull ? nil : apply(change, to: result[name] ?? .null)
        }
        return .object(result)
    }
}
