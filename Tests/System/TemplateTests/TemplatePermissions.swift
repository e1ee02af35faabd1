import BaseTestSupport
import Foundation

/// The permissions of each function of a contract: the table's partitions by action, and the
/// secrets that it may read, as the action `secrets`. A change here changes what a compromised
/// function could access.
struct TemplatePermissions: Equatable {
    var functions: [String: [String: Set<String>]] = [:]

    /// The permissions in the policies of a template.
    init(_ template: Template) throws {
        for function in template.functions {
            let executable = try #require(function.executable)
            functions[executable] = [:]
            for statement in try template.statements(of: function) {
                let actions = statement["Action"]?.texts ?? []
                guard actions.contains(where: { $0.hasPrefix("dynamodb:") }) else { continue }
                let partitions = try template.partitions(of: statement)
                for action in actions.map({ String($0.dropFirst("dynamodb:".count)) }) {
                    // A batch must be allowed by a single statement.
                    expectEqual(
                        functions[executable]?[action], nil,
                        "\(executable): \(action) is in two statements")
                    functions[executable]?[action] = Set(partitions)
                }
            }
            let secrets = try template.secrets(of: function)
            if !secrets.isEmpty { functions[executable]?["secrets"] = Set(secrets) }
        }
    }
}

// The reviewed permissions.
extension TemplatePermissions {
    private static let folder = Repository.root.appending(
        path: "Functions/Templates/Parts/permissions")

    /// The contracts with a file.
    static let reviewedContracts: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .map { String($0.prefix { $0 != "." }) }.sorted()

    static func reviewed(_ contract: String) throws -> TemplatePermissions {
        let data = try Data(contentsOf: folder.appending(path: "\(contract).txt"))
        return TemplatePermissions(String(decoding: data, as: UTF8.self))
    }

    static func allReviewed() throws -> [TemplatePermissions] {
        try reviewedContracts.map(reviewed)
    }

    private init(_ text: String) {
        var function = ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix(" ") {
                functions[function]?[words[0]] = Set(words.dropFirst())
            } else {
                function = words[0]
                functions[function] = [:]
            }
        }
    }
}
