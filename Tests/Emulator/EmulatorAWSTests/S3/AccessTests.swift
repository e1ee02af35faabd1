import AWSSignature
import BaseTestSupport
import EmulatorAWS

/// What depends on the time or on a revocation.
@Suite struct AccessTests {
    @Test func `expired and revoked credentials are rejected`() throws {
        let harness = try S3Harness()
        let session = try harness.session()
        try harness.call(.get, "/", as: session).expect(200)
        try harness.call(.get, "/", as: harness.session(until: start)).expect(400, "ExpiredToken")
        #expect(harness.authority.revocations.revoke(session.accessKeyID, issuedUpTo: start))
        try harness.call(.get, "/", as: session).expect(403, "AccessDenied")
    }

    @Test func `outdated requests are refused`() throws {
        let harness = try S3Harness()
        try harness.call(.get, "/", at: start - .minutes(15)).expect(200)
        for moment in [start - .milliseconds(901_000), start + .milliseconds(901_000)] {
            try harness.call(.get, "/", at: moment).expect(403, "RequestTimeTooSkewed")
        }
    }
}
