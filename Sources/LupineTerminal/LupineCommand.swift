#if Terminal
  import ArgumentParser

  /// The terminal program `lupine`.
  @main struct LupineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lupine", abstract: "Looks at what HTTP servers do, and at recordings of it.",
      subcommands: [CassettesCommand.self, PinsCommand.self])
  }
#else
  /// Prints how to build the program, whose argument parser is an external package.
  @main enum LupineCommand {
    static func main() {
      print("Built without its commands; build with: swift build --traits Terminal --product lupine")
    }
  }
#endif
