import LupineCurl
import LupineTerminal

/// The program `lupine-curl`: the program `lupine` with libcurl, whose libraries take as long to load as a request.
@main enum Program {
  static func main() async { await TerminalProgram.run { .curl } }
}
