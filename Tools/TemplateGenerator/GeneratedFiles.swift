import Contracts
import Foundation
import JSON

/// The generated files of a checkout.
struct GeneratedFiles {
    private static let templates = "Functions/Templates"
    private static let parts = "\(templates)/Parts"

    let root: String

    /// Compares each file with what it should be, and writes those that differ, if `writes`.
    ///
    /// - Returns: the files that differed.
    func update(writes: Bool) throws -> [String] {
        let folders = try FunctionFolder.all(in: path("Functions"))
        let shared = try object("\(Self.parts)/shared.json")
        let reviewed = try reviewedPermissions()
        var files: [(name: String, text: String)] = []
        for contract in Contract.all {
            let part = "\(Self.parts)/\(contract.name)"
            let file = "\(Self.templates)/\(contract.name)"
            // A new contract starts with what each executable may do elsewhere, for review.
            let permissions = reviewed[contract.name] ?? .union(of: reviewed, for: contract)
            files.append(("\(Self.parts)/permissions/\(contract.name).txt", permissions.text))
            let template = SAMTemplate(
                contract: contract, folders: folders, permissions: permissions, shared: shared,
                own: try object("\(part).json", orEmpty: true))
            files.append(("\(file).json", JSONLayout.text(try template.document())))
            let document = OpenAPIDocument(
                contract: contract, own: try object("\(part).openapi.json", orEmpty: true))
            files.append(("\(file).openapi.json", JSONLayout.text(document.json)))
        }
        return try files.compactMap { name, text in
            if exists(name), try self.text(name) == text { return nil }
            if writes { try Data(text.utf8).write(to: URL(filePath: path(name))) }
            return name
        }
    }

    private func reviewedPermissions() throws -> [String: Permissions] {
        let folder = "\(Self.parts)/permissions"
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

    private func object(_ file: String, orEmpty: Bool = false) throws -> JSONObject {
        if orEmpty, !exists(file) { return [:] }
        do {
            let json = try JSON.parse(Array(try text(file).utf8), limits: .response)
            guard let object = json.objectValue else { throw Failure("\(file) is not an object") }
            return object
        } catch let failure as JSONFailure {
            throw Failure("\(file): \(failure)")
        }
    }
}

/// A problem in the parts, for whoever wrote them.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
