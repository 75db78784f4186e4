#if Terminal
  import ArgumentParser
  import LupineObservability
  import LupineTransfers

  /// `lupine download`: downloads files, and continues those of an earlier run.
  struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "download", abstract: "Downloads files, and continues downloads that were interrupted.",
      discussion: """
        Redirects are followed. A download that is interrupted continues by itself; after the end of the program, the \
        same command continues it. A file has the name that the server suggests, or the last part of the URL, and never \
        leaves the folder. A file that exists is kept, unless --overwrite is given.

        Each line of the list has a URL and, after a blank, the SHA-256 digest of the file, if it is known. Empty lines \
        and lines that begin with # are ignored.
        """)

    @Argument(help: "The URLs of the files.")
    var urls: [String] = []

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The folder of the files, which is made if it is missing.", valueName: "folder"),
      completion: .directory)
    var folder = "."

    @Option(
      name: [.customShort("j"), .customLong("jobs")], help: ArgumentHelp("Downloads at a time.", valueName: "number"))
    var jobs = 4

    @Option(
      name: [.customShort("i"), .customLong("input")],
      help: ArgumentHelp("A file with further URLs; - is the standard input.", valueName: "file"), completion: .file())
    var list: String?

    @Option(help: ArgumentHelp("The SHA-256 digest that the file must have.", valueName: "digest"))
    var sha256: String?

    @Flag(help: "Replaces files that exist.")
    var overwrite = false

    @Flag(name: [.short, .long], help: "Shows no progress and no warnings; only errors.")
    var quiet = false

    @OptionGroup(title: "Credentials")
    var credentials: CredentialOptions
    @OptionGroup(title: "Connection")
    var server: ServerOptions

    func validate() throws {
      guard (1...100).contains(jobs) else {
        throw ValidationError("The value of --jobs is not a number from 1 to 100.")
      }
      // The path of a file in an empty folder would be that of a file in the root.
      guard !folder.isEmpty else { throw ValidationError("--output has an empty name. Write the name of a folder.") }
      guard !urls.isEmpty || list != nil else {
        throw ValidationError("A URL is missing. Write URLs, or name a file of URLs with --input.")
      }
      if sha256 != nil, urls.count != 1 || list != nil {
        throw ValidationError("--sha256 is for one URL. In the file of -i, each URL has its own.")
      }
    }

    func run() async throws {
      if quiet { Message.beQuiet() }
      let entries =
        try urls.map { try DownloadEntry($0, digest: sha256) } + (list.map { try DownloadEntry.read($0) } ?? [])
      guard !entries.isEmpty else {
        throw CommandFailure("The list \(list ?? "") has no URL. Write one a line.", .usage)
      }
      let credential = try credentials.read()
      server.warnAboutProxy()
      let session = try server.makeSession(following: true)
      let bar = quiet ? nil : SharedProgressBar(transfers: entries.count)
      let run = DownloadRun(
        session: session.session, folder: folder, credential: credential, retries: server.retry,
        replacesFiles: overwrite, bar: bar)
      let failures = await run.download(entries, jobs: jobs)
      bar?.finish()
      await session.finish()
      guard let first = failures.first else { return }
      let next = failures.allSatisfy(\.isResumable) ? "continues them" : "tries them again"
      Message.fail(
        "\(failures.count) of \(entries.count) downloads failed. The same command \(next), and keeps the others.")
      throw first.status
    }
  }
#endif
