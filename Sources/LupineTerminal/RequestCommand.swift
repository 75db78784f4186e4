#if Terminal
  import ArgumentParser
  import HTTPTypes
  import LupineCore
  import LupineSession
  import LupineStreams

  /// `lupine [METHOD] URL [ITEM…]`: makes a request, and prints the response.
  struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "request", abstract: "Makes a request, and prints the response.",
      usage: "lupine [METHOD] URL [ITEM ...] [OPTIONS]",
      discussion: """
        The method is GET, or POST with content. A URL without a scheme begins with http://, and :8080/x is on this \
        machine.

        ITEMS:
          name=text         content: a text             name=@file    from a file
          name:=JSON        content: a JSON value       name:=@file   from a file
          name@file         content: an uploaded file   @file         the whole content
          name==text        a parameter of the query    name==@file   from a file
          Name:value        a field of the head         Name:@file    from a file
          Name:             without this field          Name;         a field without a value

        Brackets in a name lead into JSON: a[b]=text is a member, a[]=text an element, and a\\[b\\]=text has no path.

        A backslash before : ; = or @ makes it a part of the text. A file makes the content a multipart form. POST, PUT \
        and PATCH without content items read the content from a pipe or a file.
        """)

    @Argument(help: ArgumentHelp("The method, the URL and the items.", valueName: "word"))
    var words: [String] = []

    @Flag(name: [.customShort("F"), .long], help: "Follows redirects.")
    var follow = false

    @OptionGroup(title: "Content")
    var content: ContentOptions
    @OptionGroup(title: "Output")
    var output: OutputOptions
    @OptionGroup(title: "Credentials")
    var credentials: CredentialOptions
    @OptionGroup(title: "Connection")
    var server: ServerOptions

    func run() async throws {
      if output.quiet { Message.beQuiet() }
      let line = try RequestLine(words, defaultScheme: content.defaultScheme)
      var made = try RequestMaker(line, content)
      let credential = try credentials.read()
      try made.authenticate(credential.headers)
      warn(about: made)
      let parts = output.parts(for: made.request.method, on: .output)
      let printer = ExchangePrinter(output.curl ? [] : parts, on: .output)
      let session = try server.makeSession(following: follow) { base in
        PrintingTransport(
          base: base, printer: printer, removedFields: made.removedFields, isOnline: !output.offline,
          usesHTTP2: server.usesHTTP2)
      }
      let request = session.session.streamRequest(made.request)
      credential.add(to: request)
      if output.curl { return try printCurl(request, port: made.request.url.effectivePort) }
      try await Exchange(request, printer, output, sendsContent: made.request.hasBody).run()
      await session.finish()
    }

    private func warn(about made: RequestMaker) {
      server.warnAboutProxy()
      for name in made.exposedFields {
        Message.warn(
          "other users of this machine can read the secret of \(name) in the list of processes; write \(name):@FILE.")
      }
    }

    private func printCurl(_ request: DataStreamRequest, port: Int) throws {
      let options = try CurlOptions(server, credentials, follows: follow, port: port)
      let command = options.adding(to: request.debugDescription)
      try StandardOutput.output.write(ControlEscaper.lines(command) + "\n")
    }
  }
#endif
