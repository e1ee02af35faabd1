import EmulatorAWS
import Testing

@Suite struct PolicyParsingTests {
    @Test(
        arguments: [
            ("", .notJSON), ("{", .notJSON), (#"{"a":1,"a":2}"#, .notJSON), ("[]", .syntax),
            (#"{"Version":"2012-10-17"}"#, .noStatement),
            (#"{"Version":"2012-10-17","Statement":[]}"#, .noStatement),
            (#"{"Version":"2012-10-18","Statement":[]}"#, .version),
            (#"{"Version":1,"Statement":[]}"#, .version),
            (#"{"Statement":["x"]}"#, .syntax), (#"{"Statements":[]}"#, .syntax),
        ] as [(String, PolicyFailure)])
    func `an invalid document is refused`(text: String, failure: PolicyFailure) {
        #expect(throws: failure) { try PolicyDocument(parsing: text, as: .identity) }
    }

    @Test(
        arguments: [
            (#""Action":"s3:*","Resource":"*""#, .identity, .missingField("Effect")),
            (#""Effect":"allow","Action":"s3:*","Resource":"*""#, .identity, .syntax),
            (#""Effect":"Allow","Resource":"*""#, .identity, .noAction),
            (#""Effect":"Allow","Action":[],"Resource":"*""#, .identity, .noAction),
            (#""Effect":"Allow","Action":1,"Resource":"*""#, .identity, .syntax),
            (
                #""Effect":"Allow","Action":"GetObject","Resource":"*""#, .identity,
                .unprefixedAction
            ),
            (
                #""Effect":"Allow","Action":"s3:Get:Object","Resource":"*""#, .identity,
                .unprefixedAction
            ),
            (#""Effect":"Allow","Action":"s3:","Resource":"*""#, .identity, .unprefixedAction),
            (#""Effect":"Allow","Action":"s3:*""#, .identity, .noResource),
            (
                #""Effect":"Allow","Action":"s3:*","NotAction":"s3:*","Resource":"*""#, .identity,
                .syntax
            ),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"b/*""#, .identity,
                .resourceNotARN("b/*")
            ),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"*","Principal":"*""#, .identity,
                .prohibitedField("Principal")
            ),
            (#""Effect":"Allow","Action":"s3:*","Resource":"*","Who":"*""#, .identity, .syntax),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"*","Condition":{"Equals":{"a:b":"c"}}"#,
                .identity, .syntax
            ),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"*","Condition":{"NullIfExists":{"a:b":"c"}}"#,
                .identity, .syntax
            ),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"*","Condition":{"Bool":{"a":"c"}}"#,
                .identity, .unprefixedAction
            ),
            (
                #""Effect":"Allow","Action":"s3:*","Resource":"*","Condition":{"Bool":{"a:b":null}}"#,
                .identity, .syntax
            ),
            (#""Effect":"Allow","Action":"sts:AssumeRole""#, .trust, .missingField("Principal")),
            (
                #""Effect":"Allow","Principal":"*","Action":"sts:AssumeRole","Resource":"*""#,
                .trust,
                .prohibitedField("Resource")
            ),
            (#""Effect":"Allow","Principal":"x","Action":"sts:*""#, .trust, .invalidPrincipal),
            (#""Effect":"Allow","Principal":{},"Action":"sts:*""#, .trust, .invalidPrincipal),
            (
                #""Effect":"Allow","Principal":{"AWS":"x"},"Action":"sts:*""#, .trust,
                .invalidPrincipal
            ),
            (
                #""Effect":"Allow","Principal":{"AWS":"arn:aws:iam::1:role/*"},"Action":"sts:*""#,
                .trust,
                .invalidPrincipal
            ),
            (
                #""Effect":"Allow","Principal":{"Me":"*"},"Action":"sts:*""#, .trust,
                .invalidPrincipal
            ),
            (#""Effect":"Allow","Principal":"*","Action":"s3:*""#, .resource, .noResource),
        ] as [(String, PolicyDocument.Kind, PolicyFailure)])
    func `a statement with missing or surplus elements is refused`(
        members: String, kind: PolicyDocument.Kind, failure: PolicyFailure
    ) {
        #expect(throws: failure) { try policy(members, as: kind) }
    }

    @Test func `a single statement needs no list, and ids are unique`() throws {
        let one = #"{"Sid":"a","Effect":"Allow","Action":"s3:*","Resource":"*"}"#
        _ = try PolicyDocument(parsing: #"{"Statement":\#(one)}"#, as: .identity)
        #expect(throws: PolicyFailure.duplicateStatementID("a")) {
            try PolicyDocument(parsing: #"{"Statement":[\#(one),\#(one)]}"#, as: .identity)
        }
    }
}
