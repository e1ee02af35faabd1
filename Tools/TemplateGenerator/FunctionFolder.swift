import Foundation

/// A folder of `Functions`: the name of the executable and its description, from its `main.swift`.
struct FunctionFolder {
    /// `SignIn`
    let folder: String
    /// `signin`
    let executable: String
    let description: String

    /// The function's logical ID in CloudFormation: `SignInFunction`.
    var logicalID: String { "\(folder)Function" }

    /// The folders of single functions, without the server of a whole contract.
    static func all(in path: String) throws -> [FunctionFolder] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().compactMap { folder in
            let file = "\(path)/\(folder)/main.swift"
            guard let source = try? String(contentsOfFile: file, encoding: .utf8) else {
                return nil
            }
            let call = /LatchkeyFunction\.run[A-Za-z]*\(\s*"([^"]+)",\s*"([^"]+)"/
            guard let match = source.firstMatch(of: call) else {
                throw Failure("\(file) has no LatchkeyFunction.run(\"name\", \"What it does.\")")
            }
            return FunctionFolder(
                folder: folder, executable: String(match.1), description: String(match.2))
        }
    }
}
