import BaseTestSupport
import EmulatorThirdParties

@Suite("SES templates and identities") struct TemplateTests {
    private func send(_ harness: MailHarness, _ template: String) throws -> SESTestResponse {
        try harness.send(
            #""Destination":{"ToAddresses":["ada@example.com"]},"Content":{"Template":{\#(template)}}"#
        )
    }

    private func create(_ harness: MailHarness) throws {
        try harness.call(
            .post, "/v2/email/templates",
            #"{"TemplateName":"welcome","TemplateContent":{"Subject":"Hi {{name}}","#
                + #""Text":"{{ user.code }} {{list.1}}{{! no }}","Html":"<b>{{{name}}}</b>"}}"#
        ).isAccepted()
    }

    @Test(arguments: [
        #""TemplateName":"welcome""#,
        #""TemplateArn":"arn:aws:ses:us-east-1:123456789012:template/welcome""#,
        #"""
        "TemplateContent":{"Subject":"Hi {{name}}","Text":"{{user.code}} {{list.1}}",
        "Html":"<b>{{name}}</b>"}
        """#,
    ])
    func `a template is rendered`(template: String) throws {
        let harness = try MailHarness()
        try create(harness)
        let data =
            #""TemplateData":"{\"name\":\"A&B\",\"user\":{\"code\":1234},\"list\":[1,true]}""#
        try send(harness, "\(template),\(data)").isAccepted()
        let message = try harness.newest().message
        expectEqual(message.header("subject"), "Hi A&B")
        expectEqual(message.text, "1234 true")
        expectEqual(message.html, "<b>A&B</b>")
        try expectEqual(harness.newest().entry.summary.failure, nil)
    }

    @Test(arguments: [
        ("{{gone}}", "Attribute 'gone' is not present in the rendering data."),
        ("{{name.x}}", "Attribute 'name.x' is not present in the rendering data."),
        ("{{name", "A tag of the template is not closed."),
        ("{{#if name}}x{{/if}}", "The emulator does not render {{#if name}}."),
        ("{{}}", "The emulator does not render {{}}."),
    ])
    func `a message that cannot be rendered is accepted and marked as failed in the mailbox`(
        text: String, failure: String
    ) throws {
        let harness = try MailHarness()
        try send(
            harness,
            #""TemplateContent":{"Subject":"S","Text":"\#(text)"},"TemplateData":"{\"name\":\"A\"}""#
        ).isAccepted()
        try expectEqual(harness.newest().entry.summary.failure, failure)
    }

    @Test func `templates are created, listed, updated, rendered and deleted`() throws {
        let harness = try MailHarness()
        try create(harness)
        try harness.call(
            .post, "/v2/email/templates",
            #"{"TemplateName":"welcome","TemplateContent":{"Subject":"x","Text":"y"}}"#
        ).expect(400, "AlreadyExistsException")
        for body in [
            #"{}"#, #"{"TemplateName":"a b","TemplateContent":{"Subject":"x","Text":"y"}}"#,
            #"{"TemplateName":"c","TemplateContent":{"Text":"y"}}"#,
            #"{"TemplateName":"d","TemplateContent":{"Subject":"y"}}"#, #"{"TemplateName":"e"}"#,
        ] {
            try harness.call(.post, "/v2/email/templates", body).expect(400, "BadRequestException")
        }
        let list = try harness.call(.get, "/v2/email/templates?PageSize=5")
        expectEqual(list.json["TemplatesMetadata"]?.arrayValue?.count, 1)
        expectEqual(list.json["TemplatesMetadata"]?.arrayValue?.first?["TemplateName"], "welcome")
        let changed = #"{"TemplateContent":{"Subject":"Bye {{name}}","Text":"y"}}"#
        try harness.call(.put, "/v2/email/templates/welcome", changed).isAccepted()
        let got = try harness.call(.get, "/v2/email/templates/welcome")
        expectEqual(got.json["TemplateContent"], ["Subject": "Bye {{name}}", "Text": "y"])
        try harness.call(
            .post, "/v2/email/templates/welcome/render", #"{"TemplateData":"{}"}"#
        ).expect(
            400, "BadRequestException", "Attribute 'name' is not present in the rendering data.")
        let rendered = try harness.call(
            .post, "/v2/email/templates/welcome/render", #"{"TemplateData":"{\"name\":\"x\"}"}"#)
        expectEqual(
            rendered.json["RenderedTemplate"]?.stringValue?.contains("Subject: Bye x\r\n"), true)
        try harness.call(.delete, "/v2/email/templates/welcome").isAccepted()
        try harness.call(.get, "/v2/email/templates/welcome").expect(404, "NotFoundException")
        try harness.call(.delete, "/v2/email/templates/welcome").expect(404, "NotFoundException")
    }

    @Test func `lists have pages`() throws {
        let harness = try MailHarness()
        for name in ["c.example", "a.example", "b@a.example"] {
            try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"\#(name)"}"#)
                .isAccepted()
        }
        let first = try harness.call(.get, "/v2/email/identities?PageSize=2").json
        expectEqual(
            first["EmailIdentities"]?.arrayValue?.map { $0["IdentityName"] },
            ["a.example", "b@a.example"])
        expectEqual(first["NextToken"], "2")
        let second = try harness.call(
            .post, "/v2/email/list-identities", #"{"PageSize":2,"NextToken":"2"}"#
        ).json
        expectEqual(second["EmailIdentities"]?.arrayValue?.map { $0["IdentityType"] }, ["DOMAIN"])
        expectEqual(second["NextToken"], nil)
        for query in ["NextToken=x", "NextToken=-1", "PageSize=x", "PageSize=1001"] {
            try harness.call(.get, "/v2/email/identities?\(query)").expect(
                400, "BadRequestException")
        }
    }

    @Test func `identities are verified when created`() throws {
        let harness = try MailHarness()
        let made = try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"Ada@b.c"}"#)
        expectEqual(made.json["VerifiedForSendingStatus"], true)
        try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"ada@B.c"}"#).expect(
            400, "AlreadyExistsException", "Email identity ada@b.c already exists.")
        try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"a b"}"#).expect(
            400, "BadRequestException")
        let got = try harness.call(.get, "/v2/email/identities/ada%40b.c")
        expectEqual(got.json["IdentityType"], "EMAIL_ADDRESS")
        try harness.call(.delete, "/v2/email/identities/ada%40b.c").isAccepted()
        try harness.call(.delete, "/v2/email/identities/ada%40b.c").expect(
            404, "NotFoundException", "Email identity ada@b.c does not exist.")
    }

    @Test func `the account reports its quota and usage`() throws {
        let harness = try MailHarness()
        try harness.sendSimple()
        let account = try harness.call(.get, "/v2/email/account").json
        expectEqual(account["SendQuota"]?["SentLast24Hours"], 1)
        expectEqual(account["SendingEnabled"], true)
        harness.mailbox.faults.switchOn(.sendingPaused)
        try expectEqual(harness.call(.get, "/v2/email/account").json["SendingEnabled"], false)
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/v2/email/outbound-emails"), (.post, "/v2/email/account"),
        (.get, "/v2/email/contacts"), (.get, "/v2/email/"), (.get, "/v2/email/templates/a/b/c"),
    ])
    func `an unknown operation is reported`(method: HTTPRequest.Method, path: String)
        throws
    {
        try MailHarness().call(method, path, "{}").expect(404, "UnknownOperationException")
    }
}
