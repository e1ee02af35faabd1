internal import Bytes
internal import Cryptography
internal import HTTP
internal import JSON
internal import Time

/// Parameter Store. All parameters come from the template, so each has one version and no labels.
extension SecretsService {
    static let parametersMax = 10

    func parameter(_ request: JSON) -> HTTPResponse {
        switch find(parameter: request["Name"]?.stringValue ?? "") {
        case .found(let parameter, let selector):
            reply(["Parameter": json(parameter, request, selector: selector)])
        case .noVersion(let version, let name):
            refusal(
                "ParameterVersionNotFound",
                "Systems Manager could not find version \(version) of \(name). Verify the "
                    + "version and try again.")
        case .none: refusal("ParameterNotFound", nil)
        }
    }

    /// Lists the parameters by name.
    func parameters(_ request: JSON) -> HTTPResponse {
        let names = request["Names"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard (1...Self.parametersMax).contains(names.count) else {
            let limit = names.isEmpty ? "greater than or equal to 1" : "less than or equal to 10"
            return invalid(
                "Value '[\(names.joined(separator: ", "))]' at 'names' failed to satisfy "
                    + "constraint: Member must have length \(limit)")
        }
        var found: [(name: String, json: JSON)] = []
        var missing: [JSON] = []
        for name in Set(names).sorted() {
            if case .found(let parameter, let selector) = find(parameter: name) {
                found.append((parameter.name, json(parameter, request, selector: selector)))
            } else {
                missing.append(.string(name))
            }
        }
        found.sort { $0.name < $1.name }
        return reply([
            "Parameters": .array(found.map(\.json)), "InvalidParameters": .array(missing),
        ])
    }

    /// A page of the parameters below a path, by name.
    func parametersByPath(_ request: JSON) -> HTTPResponse {
        let path = request["Path"]?.stringValue ?? ""
        guard path.utf8.starts(with: "/".utf8) else {
            return refusal(
                "ValidationException",
                "The parameter doesn't meet the parameter name requirements. The parameter name "
                    + "must begin with a forward slash \"/\".")
        }
        let limit = Int(request["MaxResults"]?.int64Value ?? Int64(Self.parametersMax))
        guard (1...Self.parametersMax).contains(limit) else {
            let bound = limit < 1 ? "greater than or equal to 1" : "less than or equal to 10"
            return invalid(
                "Value '\(limit)' at 'maxResults' failed to satisfy constraint: Member must have "
                    + "value \(bound)")
        }
        var filters: [ParameterFilter] = []
        for filter in request["ParameterFilters"]?.arrayValue ?? [] {
            do throws(ParameterFilter.Problem) {
                filters.append(try ParameterFilter(filter))
            } catch {
                return refusal(error.type, error.message)
            }
        }
        var after = ""
        if let token = request["NextToken"]?.stringValue {
            guard let bytes = Base64URL.decode(token),
                let name = String(validating: bytes, as: UTF8.self)
            else { return refusal("InvalidNextToken", "The specified token is not valid.") }
            after = name
        }
        let all = declaredParameters.filter { parameter in
            Self.isBelow(path, parameter.name, recursive: request["Recursive"] == true)
                && filters.allSatisfy { $0.accepts(parameter) } && after < parameter.name
        }.sorted { $0.name < $1.name }
        let page = all.prefix(limit)
        var answer: JSONObject = [
            "Parameters": .array(page.map { json($0, request, selector: nil) })
        ]
        if all.count > page.count, let last = page.last {
            answer["NextToken"] = .string(Base64URL.encode(Array(last.name.utf8)))
        }
        return reply(.object(answer))
    }

    /// A name without a slash is at the first level.
    private static func isBelow(_ path: String, _ name: String, recursive: Bool) -> Bool {
        let levels = name.split(separator: "/")
        let own = path.split(separator: "/")
        return levels.count > own.count && levels.starts(with: own)
            && (recursive || levels.count == own.count + 1)
    }

    /// The ARNs of the parameters, or of the path, that a request names.
    func parameterARNs(of request: JSON?) -> [String] {
        let names =
            request?["Names"]?.arrayValue?.compactMap(\.stringValue)
            ?? [request?["Name"]?.stringValue ?? request?["Path"]?.stringValue ?? ""]
        return names.map { name in
            let name = Self.withoutSelector(name).name
            return name.utf8.starts(with: "arn:".utf8) ? name : parameterARN(name)
        }
    }

    private func parameterARN(_ name: String) -> String {
        parameterPrefix + (name.utf8.starts(with: "/".utf8) ? name : "/\(name)")
    }

    private enum FoundParameter {
        case found(DeclaredParameter, selector: String?)
        case noVersion(String, of: String)
        case none
    }

    /// Finds a parameter by its name or ARN, either with a version or label at its end.
    private func find(parameter id: String) -> FoundParameter {
        let (name, selector) = Self.withoutSelector(id)
        let found = declaredParameters.first {
            $0.name.isSame(as: name) || parameterARN($0.name).isSame(as: name)
        }
        guard let found else { return .none }
        guard let selector, !selector.isSame(as: "1") else {
            return .found(found, selector: selector)
        }
        return Int64(selector) == nil ? .none : .noVersion(selector, of: name)
    }

    /// `name`, `name:3`, `name:label`; a name has no colons, and an ARN has five.
    private static func withoutSelector(_ id: String) -> (name: String, selector: String?) {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        let own = id.utf8.starts(with: "arn:".utf8) ? 6 : 1
        guard parts.count == own + 1, let last = parts.last else { return (id, nil) }
        return (parts.dropLast().joined(separator: ":"), String(last))
    }

    private func json(
        _ parameter: DeclaredParameter, _ request: JSON, selector: String?
    ) -> JSON {
        var json: JSONObject = [
            "ARN": .string(parameterARN(parameter.name)), "Name": .string(parameter.name),
            "Type": .string(parameter.type), "Version": 1, "DataType": "text",
            "LastModifiedDate": .number(startedAt.seconds),
        ]
        json["Selector"] = selector.map { .string(":\($0)") }
        // The real ciphertext is of a key in KMS.
        let isEncrypted = parameter.isSecure && request["WithDecryption"] != true
        json["Value"] = .string(
            isEncrypted
                ? Base64.encode(SHA256.hash(utf8: parameter.value)) : parameter.value)
        return .object(json)
    }

    private func invalid(_ problem: String) -> HTTPResponse {
        refusal("ValidationException", "1 validation error detected: \(problem)")
    }
}

/// A member of `ParameterFilters`.
private struct ParameterFilter {
    struct Problem: Error {
        let type: String
        let message: String
    }

    private enum Key: String { case type = "Type", keyID = "KeyId", label = "Label" }

    private let key: Key
    private let isPrefix: Bool
    private let values: [String]

    init(_ json: JSON) throws(Problem) {
        let name = json["Key"]?.stringValue ?? ""
        guard let key = Key(rawValue: name) else {
            throw Problem(
                type: "InvalidFilterKey",
                message: "The following filter key is not valid: \(name). Valid filter keys "
                    + "include: [Type, KeyId, Label].")
        }
        let option = json["Option"]?.stringValue ?? "Equals"
        guard ["Equals", "BeginsWith"].contains(option) else {
            throw Problem(
                type: "InvalidFilterOption",
                message: "The following filter option is not valid: \(option). Valid options "
                    + "include: [BeginsWith, Equals].")
        }
        self.key = key
        isPrefix = option == "BeginsWith"
        values = json["Values"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard !values.isEmpty else {
            throw Problem(
                type: "InvalidFilterValue", message: "The filter value is not valid.")
        }
    }

    func accepts(_ parameter: DeclaredParameter) -> Bool {
        let own: String? =
            switch key {
            case .type: parameter.type
            case .keyID: parameter.isSecure ? "alias/aws/ssm" : nil
            case .label: nil
            }
        guard let own else { return false }
        return values.contains { isPrefix ? own.utf8.starts(with: $0.utf8) : own.isSame(as: $0) }
    }
}
