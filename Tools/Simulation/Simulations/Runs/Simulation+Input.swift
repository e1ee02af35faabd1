import AuthDomain

extension ClientCall {
    var changesPassword: Bool {
        switch self {
        case .verifyByLink, .verifyByCode, .resetByLink, .resetByCode, .changePassword,
            .deleteAccount, .addPassword, .confirmPassword, .removeMethod:
            true
        default: false
        }
    }

    /// A user's next action, for example with a requested mail.
    var answers: [ClientCall]? {
        switch self {
        case .beginAsGuest: [.keepGuest]
        case .enrolFactor: [.logIn, .removeFactor]
        case .signUpWithPasskey: [.signInWithPasskey]
        case .addPasskey: [.removePasskey, .signInWithPasskey]
        case .register: [.verifyByLink, .verifyByCode]
        case .requestLink: [.redeemLink, .redeemCode]
        case .forgotPassword: [.resetByLink, .resetByCode]
        case .changeEmail: [.confirmEmail, .confirmEmail, .undoEmail]
        case .confirmEmail: [.undoEmail, .logIn]
        case .requestConfirmation: [.confirmEmail]
        case .addPassword: [.confirmPassword, .undoChange]
        case .linkIdentity: [.undoChange, .removeMethod]
        default: nil
        }
    }

    var signsIn: Bool {
        switch self {
        case .verifyByLink, .verifyByCode, .logIn, .logInWrongly, .logInAsAnother,
            .signInWithProvider, .replayIdentityToken, .redeemLink, .redeemCode, .beginAsGuest,
            .guessPasswords, .signUpWithPasskey, .signInWithPasskey, .keepGuest,
            .mergeSessions, .signInOnPage:
            true
        default: false
        }
    }

    /// The user wants the session of the device to end.
    var endsSession: Bool {
        switch self {
        case .signOut, .signOutEverywhere, .deleteAccount: true
        default: false
        }
    }
}

extension Simulation {
    /// Draws a person's input for a call.
    func input(of call: ClientCall, _ person: Person, _ choice: Int) -> CallInput {
        var input = CallInput()
        input.choice = choice
        let changes = parameters.features.contains(.accountChanges)
        input.email = changes && choice / 16 % 3 == 0 ? person.mailboxes[1] : person.email
        input.password = password(of: person, input.email)
        func letter(_ page: LinkPolicy.Purpose) -> MailFacts.Letter? {
            let fitting = person.letters.filter { $0.page == page.rawValue }
            // Returns usually the latest mail, and sometimes a mail that was already used.
            return choice % 8 == 0 && !fitting.isEmpty
                ? fitting[choice / 8 % fitting.count] : fitting.last
        }
        switch call {
        case .verifyByLink, .verifyByCode:
            let letter = letter(.verifyEmail)
            (input.token, input.code) = (letter?.token, letter?.code)
            input.password = person.passwords[0]
        case .register: input.password = person.passwords[0]
        case .logInWrongly: input.password = "wrong password \(choice % 4)"
        case .logInAsAnother:
            input.email = people[(person.index + 1) % people.count].email
        case .redeemLink, .redeemCode:
            let letter = letter(.magicLink)
            (input.token, input.code) = (letter?.token, letter?.code)
        case .resetByLink, .resetByCode, .changePassword:
            let letter = letter(.resetPassword)
            (input.token, input.code) = (letter?.token, letter?.code)
            input.newPassword = addPassword(to: person)
        case .signInWithProvider, .replayIdentityToken, .keepGuest:
            person.identities += 1
            // Some identities have no address.
            let isOther = choice / 8 % 3 == 0
            let subject = isOther ? "\(person.index)-\(choice / 32 % 4)" : "\(person.index)"
            input.identityToken =
                "apple|subject-\(subject)|\(isOther ? "" : person.email)|\(person.identities)"
        case .confirmEmail, .confirmPassword, .undoEmail, .undoChange, .stepUp:
            let pages: [ClientCall: LinkPolicy.Purpose] = [
                .confirmEmail: .confirmEmail, .confirmPassword: .addPassword,
                .undoEmail: .undoEmail, .undoChange: .undoChange, .stepUp: .magicLink,
            ]
            let letter = pages[call].flatMap(letter)
            (input.token, input.code) = (letter?.token, letter?.code)
            input.identityToken = identityToken(of: person, "apple", "\(person.index)")
            input.othersWallet = people[(person.index + 1) % people.count].wallet
        case .changeEmail, .addPassword:
            let own = person.mailboxes[call == .addPassword ? 0 : choice / 8 % 2]
            input.newEmail =
                choice % 8 == 0 ? people[(person.index + 1) % people.count].email : own
            if call == .addPassword { input.password = person.passwords[0] }
        case .linkIdentity:
            input.method = choice % 3 == 0 ? "apple" : "google"
            input.identityToken = identityToken(of: person, input.method, "\(person.index)")
        case .signInOnPage:
            input.identityToken = identityToken(of: person, "apple", "\(person.index)")
        case .removeMethod:
            input.method = ["apple", "google", "email", "password"][choice % 4]
        default: break
        }
        return input
    }

    private func addPassword(to person: Person) -> String {
        let password = dialect.password(
            "correct horse \(person.index) number \(person.passwords.count)")
        person.passwords.append(password)
        return password
    }

    func identityToken(
        of person: Person, _ provider: String, _ subject: String
    ) -> String {
        person.identities += 1
        let email = provider == "apple" ? person.email : ""
        return "\(provider)|subject-\(subject)|\(email)|\(person.identities)"
    }

    /// The password that the person remembers.
    func password(of person: Person, _ email: String) -> String {
        facts.passwords.latest(of: email)?.current ?? person.passwords[0]
    }
}
