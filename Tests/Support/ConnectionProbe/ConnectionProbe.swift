import Glibc

/// A program over libcurl in a process whose resolver and clock do as they are told:
/// `ConnectionProbe URL STEP...`; see `ProbeScript` for the steps.
@main
struct ConnectionProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let url = arguments.first else {
      print("usage: ConnectionProbe URL STEP...")
      exit(64)
    }
    var script = ProbeScript(url: url)
    for step in arguments.dropFirst() { try await script.take(step) }
  }
}
