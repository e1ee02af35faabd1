import Simulations
import TestSupport

/// Every history of the rotation of refresh tokens in a small scope: see docs/simulation.md.
@Suite("Rotation, exhaustively") struct RotationModelTests {
    @Test func `no history of three clients breaks a rule`() throws {
        let report = try RotationModel().explore()
        expectEqual(report.finding, nil)
        // Fewer would mean that something is not explored any more.
        #expect(report.states > 4000 && report.serverStates >= 15, "\(report.line)")
    }

    @Test(arguments: [
        (RotationModel.Flaw.unconditional, "a refresh after the acknowledged end"),
        (.endlessGrace, "after the grace period"),
    ])
    func `a planted bug is found, with its history`(
        flaw: RotationModel.Flaw, finding: String
    ) throws {
        var scope = RotationModel.Scope()
        scope.clients = 2
        let found = try #require(try RotationModel(scope, flaw: flaw).explore().finding)
        #expect(found.contains(finding), "\(found)")
        #expect(found.contains("\n  begin\n"))
    }
}
