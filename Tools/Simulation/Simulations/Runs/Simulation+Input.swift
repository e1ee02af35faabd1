import AuthDomain

extension ClientCall {
    var changesPassword: Bool {
        switch self {
        case .verifyByLink, .verifyByCode, .resetByLink, .resetByCode, .changePassword,
            .deleteAccount:
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
        default: nil
        }
    }

    var signsIn: Bool {
        switch self {
        case .verifyByLink, .verifyByCode, .logIn, .logInWrongly, .logInAsAnother,
            .signInWithProvider, .replayIdentityToken, .redeemLink, .redeemCode, .beginAsGuest,
            .guessPasswords, .signUpWithPasskey, .signInWithPasskey, .keepGuest:
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
    /// A person's input.
    func input(of call: ClientCall, _ person: Person, _ choice: Int) -> CallInput {
        var input = CallInput()
        input.choice = choice
        input.email = person.email
        input.password = password(of: person)
        func letter(_ kind: Mail.Kind) -> MailFacts.Letter? {
            let fitting = person.letters.filter { $0.kind == kind }
            // Mostly the latest, sometimes one that was used.
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
            person.passwords.append(
                dialect.password(
                    "correct horse \(person.index) number \(person.passwords.count)"))
            input.newPassword = person.passwords.last ?? ""
        case .signInWithProvider, .replayIdentityToken, .keepGuest:
            person.identities += 1
            // Some have no address.
            let isOther = choice / 8 % 3 == 0
            let subject = isOther ? "\(person.index)-\(choice / 32 % 4)" : "\(person.index)"
            input.identityToken =
                "apple|subject-\(subject)|\(isOther ? "" : person.email)|\(person.identities)"
        default: break
        }
        return input
    }

    /// The password in the person's memory.
    func password(of person: Person) -> String {
        checker.passwords[person.index]?.current ?? person.passwords[0]
    }
}
