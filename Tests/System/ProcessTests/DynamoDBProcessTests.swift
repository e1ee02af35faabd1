import AuthTestSupport
import TestSupport

/// The built functions with DynamoDB, emulated by moto and by the emulator: signed requests over
/// real connections.
@Suite("Functions on DynamoDB", .serialized, .hangLimit)
struct DynamoDBProcessTests {
    @Test func `a missing table and missing credentials are in the log`() throws {
        let url = try DynamoDB.emulator.url
        let settings = Deployment.dynamoDBSettings(table: "no-such-table", url: url)
        let answer = try Deployment(settings).run("challenge")
        expectEqual(answer.status, 500)
        #expect(answer.errorText.contains(#""event":"store_failed""#), "\(answer.errorText)")
        #expect(answer.errorText.contains("there is no such table"), "\(answer.errorText)")
        #expect(answer.errorText.contains(#""reason":"fault.storeRefused""#))
        let anonymous = try Deployment(
            settings.filter { !$0.name.hasSuffix("KEY_ID") && $0.name != "AWS_SECRET_ACCESS_KEY" }
                + [("AWS_EC2_METADATA_DISABLED", "true")]
        ).run("challenge")
        #expect(anonymous.errorText.contains("no credentials"), "\(anonymous.errorText)")
        #expect(anonymous.errorText.contains(#""event":"store_failed""#))
    }
}
