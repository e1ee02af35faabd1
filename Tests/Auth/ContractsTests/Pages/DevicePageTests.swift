import AuthTestSupport
import Contracts
import TestSupport

@Suite("Page of devices") struct DevicePageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    @Test func `the devices are listed, and the current one is marked`() throws {
        var browser = try kit.registered()
        kit.kit.clock.advance(by: .hours(1))
        var other = kit.browser("Mozilla/5.0 (iPhone) Version/18 Safari/605")
        other.open("signin")
        other.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        browser.open("devices")
        let ids = browser.text.matches(of: /name="id" value="([^"]+)"/)
        #expect(browser.status == 200 && ids.count == 2)
        #expect(browser.text.matches(of: /This browser/).count == 1)
        for name in ["Firefox, Linux", "Safari, iPhone", "Forget every other device"] {
            #expect(browser.text.contains(name), "\(name)")
        }
        // Trust is for accounts with a second factor.
        #expect(!browser.text.contains("Trust this browser"))
    }
}
