internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

// The page with the devices on which a user has signed in. A browser can be trusted: its cookie
// then replaces the second factor.
extension PageEndpoints {
    static let devices = AccountPage(
        name: .devices, operation: .pageAccount,
        show: { page, session, problem in
            page.devicesPage(
                session.user, try page.auth.listDevices(session.principal), problem)
        },
        submit: { page, session in
            let (principal, caller) = (session.principal, session.caller)
            let own = principal.session.origin.device?.text ?? ""
            switch try page.fields.text("action") {
            case "forget":
                let id = try page.fields.required("id")
                try page.auth.revokeDevice(id, principal, caller)
                guard id.isSame(as: own) else { return page.redirect(to: .devices, .revoked) }
                return page.redirect(
                    to: .signIn, .signedOut,
                    setting: page.freshCookies(nil) + [page.cookies.removing(.device)])
            case "forgetOthers":
                try page.auth.revokeOtherDevices(principal, caller)
                return page.redirect(to: .devices, .othersSignedOut)
            default:
                let output = try page.auth.trustDevice(
                    own, code: try page.fields.required("code"), caller)
                return page.redirect(
                    to: .devices, .browserTrusted, setting: [page.trusted(output.token)])
            }
        }
    ).routes
}

extension PageRequest {
    /// The facts about this browser for a sign-in.
    var device: DeviceClaim { DeviceClaim(token: cookie(.device)) }

    func trusted(_ token: DeviceToken) -> Cookie {
        cookies.holding(token.reveal(), .device, for: auth.policy.devices?.trustLifetime)
    }

    fileprivate func devicesPage(
        _ user: User, _ devices: [ListDevices.Entry], _ problem: PageProblem?
    ) -> Answer {
        var after: HTML = "<ul>\n\(HTML(joining: devices.map(row)))</ul>\n"
        if devices.contains(where: { !$0.isCurrent }) {
            after.append(
                html(
                    PageForm(
                        page: .devices, button: .devicesForgetOthers, action: "forgetOthers",
                        isMain: false, isDanger: true)))
        }
        let own = devices.first { $0.isCurrent }
        if user.hasSecondFactor, let own, own.trustEndsAt == nil {
            let days = auth.policy.devices.map { "\($0.trustLifetime.seconds / 86_400)" } ?? ""
            let code = PageField(name: "code", label: .fieldCode, kind: .code)
            after.append(
                """
                <h2>\(texts(.devicesTrust))</h2>
                <p class="soft">\(texts(.devicesTrustAbout, [("days", days)]))</p>
                \(html(
                    PageForm(page: .devices, button: .devicesTrust, fields: [code]), problem))
                """)
        }
        return show(
            .devicesTitle, problem, about: [texts(.devicesAbout)], after: after,
            links: [(.account, .accountBack)])
    }

    private func row(_ entry: ListDevices.Entry) -> HTML {
        let name = deviceName(entry.device.name, entry.device.userAgent)
        let used = texts.html(
            .devicesUsed,
            [
                ("first", "\(day(entry.device.firstSeenAt))"), ("last", time(entry.lastUsedAt)),
            ])
        let trust = entry.trustEndsAt.map { texts(.devicesTrusted, [("day", day($0))]) }
        let about = facts([used] + [entry.device.address, trust].map { $0.map { "\($0)" } })
        let tag: HTML =
            entry.isCurrent ? " <span class=\"tag\">\(texts(.accountCurrent))</span>" : ""
        let forget = PageForm(
            page: .devices, button: .devicesForget, hidden: [("id", entry.device.id.text)],
            action: "forget", isMain: false, isDanger: true,
            label: texts(.devicesForgetThat, [("device", name)]))
        return "<li><span>\(name)\(tag)<small>\(about)</small></span>\(html(forget))</li>\n"
    }
}
