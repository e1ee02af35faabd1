import AuthOperations

@Suite("HOOKS") struct HookSettingTests {
    @Test func `hooks are functions, processes and URLs`() {
        let (hooks, problems) = HookSetting.parse(
            "beforeSignUp=function:check,beforeSignIn?=https://example.com/in?a=b")
        #expect(problems.isEmpty)
        expectEqual(hooks.map(\.kind), [.beforeSignUp, .beforeSignIn])
        expectEqual(hooks.map(\.failsOpen), [false, true])
        expectEqual(hooks.map(\.target), [.function("check"), .url("https://example.com/in?a=b")])
        let others = HookSetting.parse(
            "beforeSignIn=process:/usr/bin/check,beforeSignUp=http://127.0.0.1:8080/in"
        ).hooks
        expectEqual(
            others.map(\.target),
            [.process("/usr/bin/check"), .url("http://127.0.0.1:8080/in")])
    }

    @Test(arguments: [
        "", "beforeSignIn", "beforeSignIn=", "BeforeSignIn=function:a", "other=function:a",
        "tokens=function:a", "beforeSignIn??=function:a", "beforeSignIn=function:",
        "beforeSignIn=function:a b", "beforeSignIn=function:a/b", "beforeSignIn=process:send",
        "beforeSignIn=process:/a/../b", "beforeSignIn=process:/a//b", "beforeSignIn=process:/",
        "beforeSignIn=http://example.com/", "beforeSignIn=http://127.0.0.1.example.com/",
        "beforeSignIn=https://user@example.com/", "beforeSignIn=https://",
        "beforeSignIn=https:///path", "beforeSignIn=https://example.com/#part",
        "beforeSignIn=function:a,", "beforeSignIn=function:a,beforeSignIn=function:b",
        "beforeSignIn=function:\u{E9}", "beforeSignIn =function:a",
    ])
    func `a wrong value is refused`(_ text: String) {
        expectEqual(HookSetting.parse(text).problems.count, 1)
    }

    @Test func `a long value is refused`() {
        let name = String(repeating: "a", count: 171)
        expectEqual(HookSetting.parse("beforeSignIn=function:\(name)").problems.count, 1)
        let long = "beforeSignIn=https://example.com/" + String(repeating: "a", count: 4096)
        expectEqual(HookSetting.parse(long).problems, ["HOOKS has more than 4096 bytes"])
    }

    @Test func `a problem does not show the target`() {
        let (_, problems) = HookSetting.parse(
            "beforeSignUp=ftp://example.com/hidden,beforeSignIn=hidden")
        #expect(problems.count == 2 && !problems.contains { $0.contains("hidden") })
    }
}
