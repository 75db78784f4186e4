import Glibc

/// Sends requests over libcurl in a process with a scripted resolver and clock: `ConnectionProbe URL STEP...`.
///
/// `ProbeScript` defines the steps.
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
