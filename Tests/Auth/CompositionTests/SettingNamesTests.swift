@Suite("Names of settings") struct SettingNamesTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private func problems(_ settings: [String: String], of function: String = "me") -> [String] {
        deployment.problems(
            settings.merging(["STORE": "memory:"]) { given, _ in given }, of: function)
    }

    @Test(arguments: [
        ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_IDS"), ("TRUSTEDHOPS", "TRUSTED_HOPS"),
        ("ISUER", "ISSUER"), ("ISSEUR", "ISSUER"), ("HOOK", "HOOKS"),
        ("ALLOWED_ORIGN", "ALLOWED_ORIGINS"), ("UI_COLOUR", "UI_COLOR"), ("MAIL_FORM", "MAIL_FROM"),
        ("MAIL_URI", "MAIL_URL"), ("OMITED_FUNCTION", "OMITTED_FUNCTIONS"),
        ("LOG_FORMATS", "LOG_FORMAT"), ("PASSKEY_RP", "PASSKEY_RP_ID"),
    ])
    func `a name that is nearly a setting is refused, with the setting`(name: String, near: String)
    {
        expectEqual(
            problems([name: "x"]),
            [
                "\(name) is not a setting; did you mean \(near)? If another program needs "
                    + "\(name), also set \(near); it may be empty."
            ])
        expectEqual(problems([name: "x", near: ""]), [])
    }

    @Test func `misspelt settings of a provider or a contract are detected too`() {
        let provider = [
            "OIDC_PROVIDERS": "acme-id", "OIDC_ACME_ID_ISSUER": "https://login.example.com",
            "OIDC_ACME_ID_CLIENT_IDS": "a", "OIDC_ACME_ID_CLIENT_SECRETS": "x",
        ]
        #expect(problems(provider).contains { $0.contains("mean OIDC_ACME_ID_CLIENT_SECRET?") })
        #expect(
            problems(["CONTRACT": "livlogios", "APP_BUNDLE_IDS": "x"]).contains {
                $0.hasPrefix("APP_BUNDLE_IDS is not a setting; did you mean APP_BUNDLE_ID?")
            })
        expectEqual(problems(["APP_BUNDLE_IDS": "x"]), [])
    }

    /// What shells, containers, schedulers and platforms set.
    @Test(arguments: [
        // bash and zsh, from a console, su and ssh
        "SHELL PWD OLDPWD LOGNAME HOME LANG LANGUAGE LC_ALL LC_CTYPE LESSCLOSE LESSOPEN TERM USER "
            + "SHLVL PATH MAIL MAILCHECK MAILPATH HOSTNAME HOSTTYPE HISTFILE HISTSIZE HISTCONTROL "
            + "PS1 UID EUID PPID EDITOR VISUAL PAGER COLORTERM CLICOLOR LS_COLORS SSH_CLIENT "
            + "SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK DISPLAY XDG_SESSION_ID XDG_RUNTIME_DIR "
            + "DBUS_SESSION_BUS_ADDRESS SUDO_USER SUDO_UID SUDO_GID SUDO_COMMAND TMPDIR TZ _",
        // systemd
        "INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MEMORY_PRESSURE_WATCH NOTIFY_SOCKET "
            + "MEMORY_PRESSURE_WRITE LISTEN_PID LISTEN_FDS LISTEN_FDNAMES LISTEN_PIDFDID "
            + "WATCHDOG_PID WATCHDOG_USEC STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY "
            + "RUNTIME_DIRECTORY CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY",
        // containers and their platforms
        "container HOSTNAME PORT HOST DYNO K_SERVICE K_REVISION K_CONFIGURATION DATABASE_URL "
            + "FLY_APP_NAME FLY_REGION HEROKU_APP_NAME RENDER RAILWAY_ENVIRONMENT WEBSITE_HOSTNAME "
            + "KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_PROTO "
            + "KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_SERVICE_PORT_HTTPS REDIS_URL "
            + "APP_ENV APP_HOME "
            + "NODE_ENV LOGLEVEL LOG_DIR DEBUG_MODE JAVA_HOME SECRET_KEY SERVER_NAME SERVER_PORT",
        // continuous integration
        "CI GITHUB_ACTIONS GITHUB_WORKFLOW GITHUB_RUN_ID GITHUB_TOKEN GITHUB_REPOSITORY GITHUB_REF "
            + "GITHUB_SHA GITHUB_ENV GITHUB_OUTPUT GITHUB_STEP_SUMMARY RUNNER_OS RUNNER_TEMP "
            + "RUNNER_DEBUG ACTIONS_RUNTIME_TOKEN ACTIONS_CACHE_URL ACTIONS_ID_TOKEN_REQUEST_URL "
            + "AGENT_TOOLSDIRECTORY GITLAB_CI CI_JOB_ID CI_JOB_TOKEN CI_COMMIT_SHA CI_PROJECT_NAME "
            + "JENKINS_URL BUILD_ID BUILD_NUMBER JOB_NAME NODE_NAME WORKSPACE TRAVIS CIRCLECI",
        // Lambda and the SDKs
        "_HANDLER _X_AMZN_TRACE_ID LAMBDA_TASK_ROOT LAMBDA_RUNTIME_DIR AWS_LAMBDA_FUNCTION_NAME "
            + "AWS_LAMBDA_LOG_FORMAT AWS_LAMBDA_LOG_LEVEL AWS_LAMBDA_RUNTIME_API AWS_REGION "
            + "AWS_DEFAULT_REGION AWS_EXECUTION_ENV AWS_XRAY_CONTEXT_MISSING "
            + "AWS_XRAY_DAEMON_ADDRESS AWS_ENDPOINT_URL AWS_ENDPOINT_URL_SQS AWS_ENDPOINT_URL_SNS "
            + "AWS_ENDPOINT_URL_SES AWS_ENDPOINT_URL_S3 AWS_PROFILE AWS_ROLE_ARN LD_LIBRARY_PATH "
            + "SSL_CERT_FILE SSL_CERT_DIR "
            + "NIX_SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE fprocess exec_timeout Http_Host "
            + "read_timeout write_timeout",
    ])
    func `common environment variables are not refused`(_ names: String) {
        let variables = names.split(separator: " ").map { (String($0), "/some/value") }
        expectEqual(problems(Dictionary(variables) { first, _ in first }), [])
    }

    @Test func `variables of a container's other services are not settings`() {
        let services = [
            "STORES": "tcp://10.0.0.1:80", "STORE_PORT": "tcp://10.0.0.1:80",
            "ISSUER_SERVICE_HOST": "10.0.0.1",
        ]
        expectEqual(problems(services), [])
    }

    // MARK: MAIL

    @Test(arguments: ["/var/mail/root", "/var/spool/mail/ada", "maildir:~/Maildir", "x"])
    func `the variable MAIL of a login shell is not a setting`(_ mailbox: String) {
        let mail = ["MAIL": mailbox, "MAIL_FROM": "no-reply@example.com"]
        expectEqual(
            problems(mail, of: "housekeeping").map { $0.prefix { $0 != "," } },
            ["MAIL_URL is required to send mail: ses"])
        expectEqual(
            problems(mail.merging(["MAIL_URL": "folder:mail"]) { $1 }, of: "housekeeping"), [])
    }

    @Test func `the former name of MAIL_URL is still read`() {
        let from = ["MAIL_FROM": "no-reply@example.com"]
        func problems(_ settings: [String: String]) -> [String] {
            self.problems(settings.merging(from) { $1 }, of: "housekeeping")
        }
        expectEqual(problems(["MAIL": "smtp://mail.example.com"]), [])
        expectEqual(problems(["MAIL": "folder:mail"]), [])
        expectEqual(problems(["MAIL": "ses"]), ["AWS_REGION is required"])
        #expect(problems(["MAIL": "pop3://x"]).contains { $0.hasPrefix("MAIL must be ses") })
        expectEqual(problems(["MAIL": "pop3://x", "MAIL_URL": "smtp://mail.example.com"]), [])
    }
}
