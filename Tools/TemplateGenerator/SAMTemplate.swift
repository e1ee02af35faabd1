import AuthDomain
import Contracts
import JSON

/// The template of a contract: the shared part, its functions, and its own part, which is a merge
/// patch.
struct SAMTemplate {
    let contract: Contract
    let folders: [FunctionFolder]
    let permissions: Permissions
    /// `Parts/shared.json`: the common parts of all contracts. Parts that a contract does not use
    /// are omitted from its template.
    let shared: JSONObject
    /// `Parts/<contract>.json`
    let own: JSONObject

    func document() throws -> JSON {
        var document = shared
        document["Description"] = .string("Latchkey with the contract \(contract.name).")
        document["Globals"] = MergePatch.apply(globals, to: shared["Globals"] ?? .null)
        let sharedResources = shared["Resources"]?.objectValue ?? [:]
        var resources = try functions()
        for (name, value) in sharedResources.members {
            if let function = resources[name] {
                resources[name] = MergePatch.apply(value, to: function)
            } else if !folders.contains(where: { $0.logicalID == name }) {
                resources[name] = name == "Api" ? api(value) : value
            }
        }
        if routes.isEmpty { (resources["Api"], resources["ApiMapping"]) = (nil, nil) }
        document["Resources"] = .object(resources)
        let merged = MergePatch.apply(.object(own), to: .object(document))
        return UnusedParts.removed(from: try rolePolicies(merged), sharedBy: shared)
    }

    private var routes: [Route] { contract.endpoints.compactMap(\.route) }

    /// The reviewed functions, in the order of the contract's endpoints.
    private func functions() throws -> JSONObject {
        let served =
            contract.endpoints.map(\.operation.function) + permissions.functions.keys.sorted()
        let declared = MergePatch.apply(.object(own), to: .object(shared))
        let sources = Set(
            ["Parameters", "Resources"].flatMap { declared[$0]?.objectValue?.members ?? [] }
                .map(\.name))
        var resources = JSONObject()
        for executable in served where permissions.functions[executable] != nil {
            guard let folder = folders.first(where: { $0.executable == executable }) else {
                throw Failure("no folder of Functions builds '\(executable)' of \(contract.name)")
            }
            guard resources[folder.logicalID] == nil else { continue }
            let properties = own["Resources"]?[folder.logicalID]?["Properties"]
            resources[folder.logicalID] =
                FunctionResource(
                    folder: folder, endpoints: contract.endpoints(of: executable),
                    permissions: permissions, sources: sources, hasRole: properties?["Role"] != nil
                ).json
        }
        return resources
    }

    private var globals: JSON {
        var variables: JSONObject = ["CONTRACT": .string(contract.name)]
        if contract.rules.requiresHTTPS { variables["DEBUG"] = ["Ref": "Debug"] }
        return ["Function": ["Environment": ["Variables": .object(variables)]]]
    }

    /// The API itself answers preflights, and verifies access tokens if the contract has an
    /// authorizer.
    private func api(_ shared: JSON) -> JSON {
        let acceptsProofs = contract.policy.proofs != nil
        let headers = CrossOrigin.requestHeaders(
            acceptsProofs: acceptsProofs, asksHooks: contract.policy.asksHooks)
        let exposed = CrossOrigin.exposedHeaders(acceptsProofs: acceptsProofs)
        let rules: JSON = [
            "AllowOrigins": ["Fn::Split": [",", ["Ref": "AllowedOrigins"]]],
            "AllowMethods": .array(Set(routes.map(\.method)).sorted().map { .string($0) }),
            "AllowHeaders": .array(headers.map { .string($0) }),
            "ExposeHeaders": .array(exposed.map { .string($0) }),
            "MaxAge": .number(CrossOrigin.maxAgeSeconds),
        ]
        let crossOrigin: JSON = ["Fn::If": ["HasAllowedOrigins", rules, ["Ref": "AWS::NoValue"]]]
        var patch: JSONObject = ["CorsConfiguration": crossOrigin]
        if permissions.functions["authorizer"] == nil { patch["Auth"] = .null }
        return MergePatch.apply(["Properties": .object(patch)], to: shared)
    }

    /// `{"Latchkey::Policy": "credentials"}` in a role is replaced by the policy of that
    /// executable.
    private func rolePolicies(_ json: JSON) throws -> JSON {
        switch json {
        case .object(let object):
            if let executable = object["Latchkey::Policy"]?.stringValue {
                guard permissions.functions[executable] != nil else {
                    throw Failure("\(contract.name) has no permissions for '\(executable)'")
                }
                return permissions.policy(of: executable)
            }
            return .object(
                JSONObject(try object.members.map { ($0.name, try rolePolicies($0.value)) }))
        case .array(let items):
            return .array(try items.map(rolePolicies))
        case .string, .number, .bool, .null:
            return json
        }
    }
}
