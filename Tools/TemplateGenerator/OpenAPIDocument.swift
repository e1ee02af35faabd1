import AuthDomain
import Contracts
import JSON

/// The OpenAPI document of a contract: routes, operation IDs, security and error rows are generated
/// from its endpoints; summaries and schemas come from its own part,
/// `Parts/<contract>.openapi.json`.
///
/// In that part, `x-errors` has the rows of `responses` that endpoints share: `all`, `body` for
/// endpoints with a body, `signedIn` for endpoints with an access token, and `oauth` instead of
/// these for endpoints that return OAuth errors. `"x-schema": "Session"` stands for JSON content of
/// that schema. All other members are merged into the document (RFC 7396).
struct OpenAPIDocument {
    let contract: Contract
    let own: JSONObject

    var json: JSON {
        var skeleton: JSONObject = ["openapi": "3.1.0", "info": ["version": "1.0.0"]]
        skeleton["servers"] = [["url": "http://127.0.0.1:8000", "description": "make run"]]
        var paths = JSONObject()
        // Pages are left out, because they are for people. A catch-all route below `.well-known` is
        // left out, because its documents are also listed by their own paths.
        for endpoint in contract.endpoints where !endpoint.isPage {
            guard let route = endpoint.route else { continue }
            let path = route.path.replacing("+}", with: "}")
            if path != route.path, path.hasPrefix("/.well-known/") { continue }
            var item = paths[path]?.objectValue ?? [:]
            item[route.method.lowercased()] = operation(endpoint, route)
            paths[path] = .object(item)
        }
        skeleton["paths"] = .object(paths)
        var part = own
        part["x-errors"] = nil
        return withContent(MergePatch.apply(.object(part), to: .object(skeleton)))
    }

    private func withContent(_ json: JSON) -> JSON {
        switch json {
        case .object(let object):
            var result = JSONObject(object.members.map { ($0.name, withContent($0.value)) })
            if let schema = object["x-schema"]?.stringValue {
                result["x-schema"] = nil
                result["content"] = [
                    "application/json": [
                        "schema": ["$ref": .string("#/components/schemas/\(schema)")]
                    ]
                ]
            }
            return .object(result)
        case .array(let items):
            return .array(items.map(withContent))
        case .string, .number, .bool, .null:
            return json
        }
    }

    private func operation(_ endpoint: Endpoint, _ route: Route) -> JSON {
        var operation: JSONObject = ["operationId": .string(endpoint.operation.name)]
        switch endpoint.access {
        case .unrestricted: operation["security"] = []
        case .signedIn: operation["security"] = [["accessToken": []]]
        case .optionallySignedIn: operation["security"] = [[:], ["accessToken": []]]
        case .guarded: operation["security"] = [["adminSession": []]]
        }
        operation["responses"] = .object(errors(endpoint))
        return .object(operation)
    }

    private func errors(_ endpoint: Endpoint) -> JSONObject {
        var groups = [endpoint.answersAsOAuth ? "oauth" : "all"]
        if endpoint.body != .none, !endpoint.answersAsOAuth { groups.append("body") }
        if endpoint.access == .signedIn { groups.append("signedIn") }
        var rows = JSONObject()
        for (status, name) in groups.flatMap({ own["x-errors"]?[$0]?.objectValue?.members ?? [] }) {
            rows[status] = ["$ref": .string("#/components/responses/\(name.stringValue ?? "")")]
        }
        return JSONObject(rows.members.sorted { $0.name < $1.name }.map { ($0.name, $0.value) })
    }
}
