#if Terminal
  import ArgumentParser
  import LupineCore
  import LupineSession

  /// The options that authenticate requests.
  struct CredentialOptions: ParsableArguments {
    private static let secretHelp = "@FILE and env:NAME read it from a file or a variable."

    @Option(
      name: [.short, .long],
      help: ArgumentHelp(
        "Authenticates with Basic. Without a password, the program asks for it. \(secretHelp)",
        valueName: "user[:password]"))
    var auth: String?

    @Option(
      help: ArgumentHelp("Authenticates with Digest, in the same way.", valueName: "user[:password]"))
    var digest: String?

    @Option(help: ArgumentHelp("Sends a bearer token. \(secretHelp)", valueName: "token"))
    var bearer: String?

    func validate() throws {
      guard [auth, digest, bearer].count(where: { $0 != nil }) <= 1 else {
        throw ValidationError("--auth, --digest and --bearer exclude each other.")
      }
    }

    /// Reads the credential, and warns if other users can read it too.
    func read() throws -> ProgramCredential {
      if let auth { return .basic(try Self.credential(auth, "--auth")) }
      if let digest { return .digest(try Self.credential(digest, "--digest")) }
      guard let bearer else { return .none }
      let secret = try SecretText(bearer, option: "--bearer")
      secret.warn("--bearer")
      return .bearer(secret.text)
    }

    private static func credential(_ argument: String, _ option: String) throws -> Credential {
      let secret = try SecretText(argument, option: option)
      if let colon = secret.text.firstIndex(of: ":") {
        secret.warn(option)
        let password = secret.text[secret.text.index(after: colon)...]
        return Credential(username: String(secret.text[..<colon]), password: String(password))
      }
      guard let password = PasswordPrompt.ask("Password of \(ControlEscaper.line(secret.text)): ") else {
        throw CommandFailure(
          "\(option) has no password, and there is no terminal to ask on. Write USER:PASSWORD in a file, and \(option) "
            + "@FILE.", .usage)
      }
      return Credential(username: secret.text, password: password)
    }
  }

  /// The credential of a request.
  enum ProgramCredential {
    case none
    case basic(Credential)
    case digest(Credential)
    case bearer(String)

    /// The fields that send the credential with the first request.
    var headers: RequestHeaders {
      switch self {
      case .none, .digest: []
      case .basic(let credential): [.authorization(username: credential.username, password: credential.password)]
      case .bearer(let token): [.authorization(bearerToken: token)]
      }
    }

    /// Adds the credential that answers challenges to a request.
    func add(to request: some SessionRequest) {
      if case .digest(let credential) = self { request.authenticate(with: credential) }
    }
  }
#endif
