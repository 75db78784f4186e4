#if Terminal
  import ArgumentParser
  import LupineFoundation
  import LupineRecording

  /// `lupine cassettes`: the files of recordings.
  struct CassettesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cassettes", abstract: "Checks, tidies and converts the files of recordings.",
      subcommands: [Check.self, Prune.self, Export.self, Import.self])

    /// `lupine cassettes check`.
    struct Check: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Checks that cassettes can be read, and that they contain no secret.",
        discussion: """
          Prints a line for each defect, and exits with 1 if there is one, as a hook before a commit needs it. \
          Without a path it checks all cassettes below the current folder.
          """)

      @OptionGroup var cassettes: CassettePaths
      @OptionGroup var rules: RedactionOptions

      func run() throws {
        let paths = try cassettes.found()
        let check = CassetteCheck(redaction: rules.redaction)
        let problems = paths.flatMap { check.problems(at: $0) }
        problems.forEach { print($0) }
        if !problems.isEmpty { throw ExitCode.failure }
        print(paths.count == 1 ? "1 cassette is in order." : "\(paths.count) cassettes are in order.")
      }
    }

    /// `lupine cassettes prune`.
    struct Prune: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Removes files of bodies that no cassette names, and incomplete files of killed recordings.",
        discussion: """
          Works in the named folders, and in those of the cassettes that it finds. A file .cassette.part that has \
          exchanges stays: the next recording takes them in.
          """)

      @OptionGroup var cassettes: CassettePaths

      @Flag(help: "Prints the files, and removes none.")
      var dryRun = false

      func run() throws {
        for folder in try cassettes.folders() {
          let leftovers = try CassetteLeftovers(in: folder)
          if !dryRun { try leftovers.remove() }
          for name in leftovers.names { print("\(dryRun ? "Would remove" : "Removed") \(folder)/\(name)") }
        }
      }
    }

    /// `lupine cassettes export`.
    struct Export: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Prints a cassette as an HTTP Archive (HAR 1.2), with the files beside it that have at most 16 MiB.")

      @Argument(help: "A cassette.")
      var cassette: String

      func run() throws {
        let archive = try Cassette(contentsOf: cassette).har(withFilesBeside: cassette)
        print(String(decoding: archive, as: UTF8.self), terminator: "")
      }
    }

    /// `lupine cassettes import`.
    struct Import: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Writes the exchanges of an HTTP Archive (HAR) to a cassette, and replaces their secrets.")

      @Argument(help: "An archive, as browsers and proxies write it.")
      var archive: String

      @Argument(help: "The cassette to write, which must not exist.")
      var cassette: String

      @OptionGroup var rules: RedactionOptions

      func run() throws {
        guard !FileManager.default.fileExists(atPath: cassette) else {
          throw CommandFailure("\(cassette.debugDescription) exists already. Remove it, or name another file.")
        }
        let read = try Cassette(har: Data(InputFiles.bytes(archive, .fileFailed)))
        try read.redacted(rules.redaction).write(to: cassette)
        let count = read.entries.count
        print(count == 1 ? "1 exchange is in \(cassette)." : "\(count) exchanges are in \(cassette).")
      }
    }
  }

  /// The rules of a redaction that a command can name.
  struct RedactionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A text that is no secret; repeat the option for several.", valueName: "text"))
    var harmless: [String] = []

    @Option(help: ArgumentHelp("A name whose values are no secrets, such as code.", valueName: "name"))
    var harmlessMember: [String] = []

    @Option(help: ArgumentHelp("A further name whose values are secrets.", valueName: "name"))
    var secretMember: [String] = []

    var redaction: Redaction {
      let rules = harmless.map { Redaction.Rule.harmless($0) } + harmlessMember.map { .harmless(member: $0) }
      return Redaction().redacting(rules + secretMember.map { .member($0) })
    }
  }
#endif
