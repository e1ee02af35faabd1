import BaseTestSupport
import EmulatorThirdParties

@Suite("SES SendEmail") struct SendEmailTests {
    private static let ada = #""Destination":{"ToAddresses":["ada@example.com"]}"#
    private static let hello =
        #""Simple":{"Subject":{"Data":"Hi"},"Body":{"Text":{"Data":"Hello"}}}"#

    @Test func `a sender must be verified if that is configured`() throws {
        let harness = try MailHarness(requiresVerifiedSenders: true)
        try harness.sendSimple().expect(
            400, "MessageRejected",
            "Email address is not verified. The following identities failed the check in region "
                + "US-EAST-1: no-reply@example.com")
        try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"Example.com"}"#)
            .isAccepted()
        try harness.sendSimple().isAccepted()
    }

    @Test func `policies determine who may send as whom`() throws {
        let harness = try MailHarness(
            poorPolicy: #""Effect":"Allow","Action":"ses:SendEmail","Resource":"#
                + #""arn:aws:ses:us-east-1:123456789012:identity/example.com","#
                + #""Condition":{"StringLike":{"ses:FromAddress":"no-reply@*"}}"#)
        func send(from: String) throws -> SESTestResponse {
            try harness.call(
                .post, "/v2/email/outbound-emails",
                #"{"FromEmailAddress":"\#(from)",\#(Self.ada),"Content":{\#(Self.hello)}}"#,
                as: harness.poor)
        }
        try send(from: "no-reply@example.com").isAccepted()
        let refusal = try send(from: "boss@example.com")
        refusal.expect(
            403, "AccessDeniedException",
            "User `arn:aws:iam::123456789012:user/poor' is not authorized to perform "
                + "`ses:SendEmail' on resource "
                + "`arn:aws:ses:us-east-1:123456789012:identity/boss@example.com'")
        try send(from: "no-reply@elsewhere.example").expect(403, "AccessDeniedException")
        try harness.call(.get, "/v2/email/account", as: harness.poor).expect(
            403, "AccessDeniedException")
    }
}
