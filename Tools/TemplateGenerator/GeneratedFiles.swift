package import Contracts
import Foundation
import JSON

/// The generated files of a checkout: the templates and OpenAPI documents of some contracts.
package struct GeneratedFiles {
    private static let templates = "Functions/Templates"

    private let root: String
    private let contracts: [Contract]
    /// The folder of the files; its subfolder `Parts` contains their sources.
    private let folder: String

    package init(root: String, contracts: [Contract] = Contract.all, folder: String? = nil) {
        self.root = root
        self.contracts = contracts
        self.folder = folder ?? Self.templates
    }

    /// Compares each generated file with its expected contents. If `writes`, writes the files that
    /// differ.
    ///
    /// - Returns: the files that differed.
    package func update(writes: Bool) throws -> [String] {
        try files().compactMap { name, text in
            if exists(name), try self.text(name) == text { return nil }
            if writes { try Data(text.utf8).write(to: URL(filePath: path(name))) }
            return name
        }
    }

    /// Adds permissions that functions used and that are not listed yet, for review. A new function
    /// also gets the secrets that its endpoints need.
    package func record(_ file: String) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let used = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let reviewed = try reviewedPermissions(in: folder)
        for contract in contracts {
            var permissions = reviewed[contract.name] ?? Permissions("")
            for words in used where words.count == 4 && words[0] == contract.name {
                permissions.add(words[2], words[3], to: words[1], of: contract)
            }
            let name = path("\(folder)/Parts/permissions/\(contract.name).txt")
            try Data(permissions.text.utf8).write(to: URL(filePath: name))
        }
    }

    private func files() throws -> [(name: String, text: String)] {
        let folders = try FunctionFolder.all(in: path("Functions"))
        let shared = try object("\(Self.templates)/Parts/shared.json")
        let reviewed = try reviewedPermissions(in: Self.templates)
            .merging(reviewedPermissions(in: folder)) { first, _ in first }
        return try contracts.flatMap { contract in
            let part = "\(folder)/Parts/\(contract.name)"
            // A new contract starts with each executable's permissions in the other contracts, for
            // review.
            let permissions = reviewed[contract.name] ?? .union(of: reviewed, for: contract)
            let template = SAMTemplate(
                contract: contract, folders: folders, permissions: permissions, shared: shared,
                own: try objectIfExists("\(part).json") ?? [:])
            let whole = try template.document()
            var files = [
                ("\(folder)/Parts/permissions/\(contract.name).txt", permissions.text),
                ("\(folder)/\(contract.name).json", JSONLayout.text(whole)),
            ]
            // Only one template of the example has an API to copy.
            if whole["Resources"]?["Api"] != nil, folder == Self.templates {
                let single = SingleTemplate(
                    whole: whole.objectValue ?? [:], contract: contract, permissions: permissions,
                    shared: shared,
                    patches: [
                        try object("\(Self.templates)/Parts/single.json"),
                        try objectIfExists("\(part)-single.json") ?? [:],
                    ])
                let text = JSONLayout.text(try single.document())
                files.append(("\(folder)/\(contract.name)-single.json", text))
            }
            if let own = try objectIfExists("\(part).openapi.json") {
                let document = OpenAPIDocument(contract: contract, own: own)
                files.append(
                    ("\(folder)/\(contract.name).openapi.json", JSONLayout.text(document.json)))
            }
            return files
        }
    }

    private func reviewedPermissions(in folder: String) throws -> [String: Permissions] {
        let folder = "\(folder)/Parts/permissions"
        let files = try FileManager.default.contentsOfDirectory(atPath: path(folder))
        return Dictionary(
            uniqueKeysWithValues: try files.filter { $0.hasSuffix(".txt") }.map { file in
                (String(file.dropLast(4)), Permissions(try text("\(folder)/\(file)")))
            })
    }

    private func path(_ file: String) -> String { "\(root)/\(file)" }

    private func exists(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: path(file))
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: path(file), encoding: .utf8)
    }

    private func objectIfExists(_ file: String) throws -> JSONObject? {
        exists(file) ? try object(file) : nil
    }

    private func object(_ file: String) throws -> JSONObject {
        do {
            let json = try JSON.parse(Array(try text(file).utf8), limits: .response)
            guard let object = json.objectValue else { throw Failure("\(file) is not an object") }
            return object
        } catch let failure as JSONFailure {
            throw Failure("\(file): \(failure)")
        }
    }
}

/// A problem in the parts, reported to their author.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
