internal import Bytes
internal import HTTP
internal import JSON

/// Finds functions of a running emulator by their name, their logical ID in the template, or their
/// executable.
struct FunctionLookup {
    struct Entry {
        let name: String
        let logicalID: String?
        let executable: String?

        /// `SignInFunction (signin)`
        var text: String {
            guard let executable, !executable.isSame(as: name) else { return name }
            return "\(name) (\(executable))"
        }
    }

    let entries: [Entry]

    /// nil if the list is not available.
    init?(_ url: String, _ transport: HTTPTransport) {
        func get(_ path: String) -> JSON? {
            let request = HTTPRequest(
                .get, "\(url)/2015-03-31/functions\(path)",
                limits: HTTPLimits(
                    connectMillisecondsMax: 1000, totalMillisecondsMax: 10_000,
                    responseBytesMax: 8 << 20))
            guard let response = try? transport.send(InvokeCommand.signed(request)),
                response.status == 200
            else {
                return nil
            }
            return try? JSON.parse(response.body, limits: .event)
        }
        guard let list = get("")?["Functions"]?.arrayValue else { return nil }
        entries = list.compactMap { $0["FunctionName"]?.stringValue }.map { name in
            let function = get("/\(name)")
            let location = function?["Code"]?["Location"]?.stringValue
            return Entry(
                name: name,
                logicalID: function?["Tags"]?["aws:cloudformation:logical-id"]?.stringValue,
                executable: location.flatMap(Self.executable))
        }
    }

    /// The function's name. For `…/signin/bootstrap` it is the folder's name, because all
    /// executables for Lambda are named `bootstrap`.
    private static func executable(at path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        return parts.last?.isSame(as: "bootstrap") == true ? parts.dropLast().last : parts.last
    }

    /// The name of the function that `called` refers to, or otherwise of the one with the
    /// executable `replacement`. If there is none, the error ends with `remark`.
    func name(
        of called: String, or replacement: String?, remark: String
    ) throws(FixtureFailure) -> String {
        func unique(_ what: String, _ found: [Entry]) throws(FixtureFailure) -> Entry? {
            guard found.count <= 1 else {
                let names = found.map(\.name).joined(separator: ", ")
                throw FixtureFailure("\(called) is the \(what) of several functions: \(names)")
            }
            return found.first
        }
        let identified = entries.filter { $0.logicalID?.isSame(as: called) == true }
        if let entry = try unique("logical ID", identified) { return entry.name }
        let executables = [called, replacement].compactMap(\.self).map { name in
            entries.filter { $0.executable?.isSame(as: name) == true }
        }
        let found = executables.first { !$0.isEmpty } ?? []
        guard let entry = try unique("executable", found) else {
            throw .unknownFunction(
                called, among: entries.map(\.text),
                names: entries.flatMap { [$0.name, $0.executable, $0.logicalID] }
                    .compactMap(\.self), remark: remark)
        }
        return entry.name
    }
}
