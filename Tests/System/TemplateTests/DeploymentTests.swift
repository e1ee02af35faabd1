import Foundation
import TestSupport

/// Checks `Deployments` as far as possible without a cloud; docs/deploying.md lists what is not
/// checked. The checks are programs in the folder `deployments`, which print the problems.
@Suite("Deployments", .hangLimit) struct DeploymentTests {
    /// Manifests and units: their schemas, least privilege, and settings that the executable
    /// accepts.
    @Test func `Kubernetes, OpenFaaS and systemd files are right`() throws {
        let executable = BuiltExecutables.path(of: "latchkey")
        try expectEqual(Self.findings("check-manifests", executable), "")
    }

    @Test func `the AWS provider knows every argument of the Terraform files`() throws {
        try expectEqual(Self.findings("check-terraform-schema"), "")
    }

    /// Terraform evaluates each expression; the result is compared with AWS's transform of the
    /// template.
    @Test(.enabled(if: terraform != nil, "terraform is not installed"), arguments: Template.served)
    func `Terraform creates the same resources as SAM`(contract: String) throws {
        let terraform = try #require(Self.terraform)
        try expectEqual(Self.findings("compare-terraform", terraform, contract), "")
    }

    /// Needs a static executable: `make test` only.
    @Test(.enabled(if: BuiltExecutables.areShipped))
    func `an OCI image is right, and runs as its configuration says`() throws {
        let executable = BuiltExecutables.path(of: "latchkey")
        let findings = try Self.findings("check-oci-image", "latchkey", executable)
        expectEqual(findings, "", "\(findings)")
    }

    /// As root, installs the package in an empty Debian; otherwise only inspects it.
    @Test(.enabled(if: BuiltExecutables.areShipped))
    func `a Debian package and a tarball are right, and the server runs without settings`() throws {
        let folder = try #require(BuiltExecutables.directory)
        let findings = try Self.findings("check-dist", folder)
        expectEqual(findings, "", "\(findings)")
    }

    @Test func `the deployment script deploys once, and passes secrets by standard input`() throws {
        try expectEqual(Self.findings("check-deploy-script"), "")
    }

    @Test func `an OCI image of the emulator runs with nothing but its files`() throws {
        let emulator = BuiltExecutables.path(of: "emulator")
        try expectEqual(Self.findings("check-emulator-image", emulator), "")
    }

    @Test func `the emulator's Dockerfile contains all files and libraries`() throws {
        let emulator = BuiltExecutables.path(of: "emulator")
        try expectEqual(Self.findings("check-dockerfile", emulator), "")
    }

    /// docs/scaling.md is computed from docs/store-costs.md: `scripts/capacity --write`.
    @Test func `the costs of many users are up to date`() throws {
        let capacity = Repository.root.appending(path: "scripts/capacity")
        try expectEqual(Run.of(capacity, ["--check"]).output, "")
    }

    private static let terraform: String? =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/terraform" }.first(where: FileManager.default.isExecutableFile)

    private static func findings(_ check: String, _ arguments: String...) throws -> String {
        let script = Repository.root.appending(
            path: "Tests/System/TemplateTests/deployments/\(check)")
        let run = try Run.of(
            URL(filePath: try VirtualEnvironment.program("python")), [script.path] + arguments)
        return run.status == 0 || !run.output.isEmpty ? run.output : "status \(run.status)"
    }
}
