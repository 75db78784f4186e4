import LupineTerminal

/// The program `lupine`, which runs `lupine-curl` for `--transport curl`.
@main enum Program {
  static func main() async { await TerminalProgram.run() }
}
