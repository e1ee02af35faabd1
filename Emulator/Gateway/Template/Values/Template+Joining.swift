internal import Bytes

// Several templates are stacks of one account, deployed together.
extension Template {
    /// Joins the declarations of all templates; names must be unique, see `conflict(with:)`.
    package init(joining templates: [Template]) {
        self.init()
        for template in templates {
            functions += template.functions
            apis += template.apis
            schedules += template.schedules
            tables += template.tables
            buckets += template.buckets
            roles += template.roles
            policies += template.policies
            secrets += template.secrets
            settings += template.settings
            outputs += template.outputs
            exports += template.exports
            warnings += template.warnings
        }
    }

    /// A function by its name, or by a logical ID that no other function has.
    package func function(called name: String) -> FunctionResource? {
        if let named = functions.first(where: { $0.name.text.isSame(as: name) }) { return named }
        let found = functions.filter { $0.logicalID.isSame(as: name) }
        return found.count == 1 ? found.first : nil
    }

    /// The first name in this template that an earlier template uses for the same kind of resource.
    package func conflict(with earlier: Template) -> NameConflict? {
        let taken = earlier.uniqueNames
        for own in uniqueNames {
            guard
                let other = taken.first(where: {
                    $0.kind == own.kind && $0.name.isSame(as: own.name)
                })
            else { continue }
            return NameConflict(
                kind: own.kind, name: own.name, path: own.path, earlierPath: other.path)
        }
        return nil
    }

    /// Names that must be unique in an account. Buckets, roles, tables and the other kinds each
    /// have their own namespace.
    private var uniqueNames: [(kind: NameConflict.Kind, name: String, path: String)] {
        func path(_ logicalID: String) -> String { "Resources.\(logicalID)" }
        var names: [(kind: NameConflict.Kind, name: String, path: String)] = []
        names += functions.map { (.function, $0.name.text, path($0.logicalID)) }
        names += tables.map { (.table, $0.name, path($0.logicalID)) }
        names += buckets.map { (.bucket, $0.name, path($0.logicalID)) }
        names += secrets.map { (.secret, $0.name, path($0.logicalID)) }
        names += settings.map { (.parameter, $0.name, path($0.logicalID)) }
        names += roles.map { (.role, $0.name, path($0.logicalID)) }
        names += policies.map { (.policy, $0.arn, path($0.logicalID)) }
        names += schedules.map { (.schedule, $0.name, $0.path) }
        names += exports.map { (.export, $0.name, "Outputs.\($0.output)") }
        return names
    }
}

/// A name that two templates use.
package struct NameConflict: Sendable, Equatable {
    package enum Kind: String, Sendable, Equatable {
        case function, table, bucket, secret, parameter, role, policy, schedule, export

        /// The property that sets a resource's name.
        package var property: String {
            switch self {
            case .function: "FunctionName"
            case .table: "TableName"
            case .bucket: "BucketName"
            case .role: "RoleName"
            case .policy: "ManagedPolicyName"
            case .secret, .parameter, .schedule: "Name"
            case .export: "Export.Name"
            }
        }
    }

    package let kind: Kind
    package let name: String
    /// The position of the name in the later template, and in the earlier one.
    package let path: String
    package let earlierPath: String
}
