internal import Bytes
internal import EmulatorBase

extension FixtureFailure {
    /// Lists the functions and suggests the most similar name. `names` are all names of the
    /// functions.
    static func unknownFunction(
        _ name: String, among functions: [String], names: [String]? = nil, remark: String = ""
    ) -> FixtureFailure {
        let names = names ?? functions
        let near =
            NearestName.byPart(name, among: names) ?? NearestName.find(name, among: names)
        let hint = near.map { "; did you mean \($0)?" } ?? "."
        let list =
            functions.isEmpty
            ? "There are no functions." : "Functions: \(functions.joined(separator: ", "))"
        return FixtureFailure("function not found: \(name)\(hint) \(list)\(remark)")
    }
}

extension FixtureFailure {
    /// `keys` are the routes that lead to the function.
    package static func noRoute(
        _ method: String, _ target: String, to function: String, _ keys: [String]
    ) -> FixtureFailure {
        FixtureFailure(
            "\(method) \(target) matches no route of an HTTP API to \(function), which has "
                + (keys.isEmpty ? "none" : keys.joined(separator: ", ")))
    }
}

extension NearestName {
    /// `refresh` for `RefreshFunction` and vice versa, if exactly one name matches.
    fileprivate static func byPart(_ name: String, among names: [String]) -> String? {
        let asked = name.asciiLowercased
        let parts = names.filter { other in
            other.containsIgnoringCase(asked) || asked.containsIgnoringCase(other)
        }
        return parts.count == 1 ? parts[0] : nil
    }
}
