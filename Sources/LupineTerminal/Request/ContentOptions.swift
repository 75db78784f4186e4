#if Terminal
  import ArgumentParser

  /// The options for the content of a request.
  struct ContentOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Sends the items as JSON. This is the default.")
    var json = false

    @Flag(name: [.short, .long], help: "Sends the items as a form, with files as a multipart form.")
    var form = false

    @Flag(help: "Sends the items as a multipart form.")
    var multipart = false

    @Option(help: ArgumentHelp("Sends this text.", valueName: "text"))
    var raw: String?

    @Flag(help: "Does not read the content from the standard input.")
    var ignoreStdin = false

    @Option(help: ArgumentHelp("The scheme of a URL that has none.", valueName: "scheme"))
    var defaultScheme = "http"

    func validate() throws {
      guard [json, form, multipart].count(where: \.self) <= 1 else {
        throw ValidationError("--json, --form and --multipart exclude each other.")
      }
      guard ["http", "https"].contains(defaultScheme) else {
        throw ValidationError("The value of --default-scheme is not http or https.")
      }
    }
  }
#endif
