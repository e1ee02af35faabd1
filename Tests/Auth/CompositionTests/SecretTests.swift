import AuthTestSupport
import Contracts
import Dispatch
import Foundation

@Suite("Secrets") struct SecretTests {
    static let cloud = [
        "STORE": "memory:", "CONTRACT": "whateat", "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s3cr3t-aws-key",
    ]

    /// Secrets Manager, the Parameter Store and KMS with a single value.
    private func deployment(_ value: String, status: Int = 200) throws -> TestDeployment {
        try TestDeployment { _ throws(HTTPFailure) in
            let body: JSON = [
                "SecretString": .string(value), "Parameter": ["Value": .string(value)],
                "Plaintext": .string(Data(value.utf8).base64EncodedString()),
            ]
            return HTTPResponse(status: status, body: body.serialized)
        }
    }

    private func problems(_ deployment: TestDeployment, _ reference: String) -> [String] {
        var settings = Self.cloud
        settings["JWT_SECRET"] = reference
        return deployment.problems(settings, of: "signout")
    }

    static let long = String(repeating: "s3cr3t.", count: 5)

    @Test func `a secret may be a reference, fetched once and only if needed`() throws {
        for reference in ["secretsmanager:prod/jwt", "ssm:/prod/jwt", "kms:AQID"] {
            let deployment = try deployment(Self.long)
            expectEqual(problems(deployment, reference), [])
            expectEqual(deployment.requests.withLock { $0.count }, 1)
        }
        let unused = try deployment(Self.long)
        expectEqual(problems(unused, Self.long), [])
        #expect(unused.requests.withLock { $0.isEmpty })
    }

    @Test func `a member of a JSON secret can be selected`() throws {
        let text = "{\"jwt\":\"\(Self.long)\",\"other\":5}"
        try expectEqual(problems(deployment(text), "secretsmanager:prod#jwt"), [])
        for member in ["none", "other", "jwt.x"] {
            let found = try problems(deployment(text), "secretsmanager:prod#\(member)")
            #expect(found.count == 1 && !found[0].contains("s3cr3t"))
        }
        try expectEqual(problems(deployment("no JSON s3cr3t"), "secretsmanager:prod#jwt").count, 1)
    }

    @Test func `an unresolvable reference is an error without secrets`() throws {
        let references = [
            "secretsmanager:", "secretsmanager:#", "ssm:", "secretsmanager:s3cr3t", "ssm:/s3cr3t",
            "kms:", "kms:s3cr3t", "kms:AQID", "kms:AQI", "kms:=",
        ]
        for reference in references {
            let found = try problems(deployment("s3cr3t", status: 400), reference)
            #expect(found.count == 1 && found[0].hasPrefix("JWT_SECRET"), "\(reference)")
            #expect(!found.joined().contains("s3cr3t"))
        }
        let down = try TestDeployment()
        expectEqual(problems(down, "secretsmanager:prod").count, 1)
    }

    static let masterKeys: [(String, Bool)] = [
        (String(repeating: "0123456789abcdef", count: 4), true),
        (Data(repeating: 7, count: 32).base64EncodedString(), true),
        ("a pass phrase that is long enough to hold", true),
        (String(repeating: "0", count: 31), false), ("short", false), (" ", false),
        ("file:/nowhere", false),
    ]

    @Test(arguments: masterKeys) func `a master key can be given in three formats`(
        key: String, isGood: Bool
    ) throws {
        let problems = try TestDeployment().problems(["STORE": "memory:", "MASTER_KEY": key])
        expectEqual(problems.isEmpty, isGood)
    }

    @Test func `a trailing newline is not part of a key`() throws {
        let deployment = try TestDeployment()
        let file = deployment.path("key")
        try Data([UInt8](repeating: 0xFE, count: 31) + [0x0A]).write(to: URL(filePath: file))
        let settings = ["STORE": "memory:", "MASTER_KEY": "file:\(file)"]
        expectEqual(deployment.problems(settings), [])
        try Data((String(repeating: "k", count: 31) + "\n").utf8).write(to: URL(filePath: file))
        expectEqual(deployment.problems(settings).count, 1)
    }

    @Test func `a key file that another user could have written or read is refused`() throws {
        let key = String(repeating: "k", count: 32)
        let deployment = try TestDeployment()
        let path = deployment.path("state.db.key")
        func problems() -> [String] {
            deployment.problems(["STORE": "sqlite:\(deployment.path("state.db"))"])
        }
        for (mode, isGood) in [(0o666, false), (0o640, false), (0o604, false), (0o400, true)] {
            _ = try deployment.write("state.db.key", key)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let found = problems()
            expectEqual(found.isEmpty, isGood, "\(String(mode, radix: 8))")
            #expect(found.allSatisfy { $0.hasPrefix("MASTER_KEY") })
            try FileManager.default.removeItem(atPath: path)
            for file in ["state.db", "state.db-wal", "state.db-shm"] {
                try? FileManager.default.removeItem(atPath: deployment.path(file))
            }
        }
        let target = try deployment.write("target", key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        expectEqual(problems().count, 1)
        try FileManager.default.removeItem(atPath: target)
        // A dangling link must not be followed when the key is created either.
        #expect(problems().count == 1 && !FileManager.default.fileExists(atPath: target))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        expectEqual(problems().count, 1)
        try FileManager.default.removeItem(atPath: path)
        if geteuid() == 0 {
            _ = try deployment.write("state.db.key", key)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600, .ownerAccountID: 65_534], ofItemAtPath: path)
            expectEqual(problems().count, 1)
        }
    }
}
