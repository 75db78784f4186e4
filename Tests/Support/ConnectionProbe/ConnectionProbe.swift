import Glibc

/// Sends requests in a process with a scripted resolver and clocks: `ConnectionProbe URL STEP...`.
///
/// `ProbeScript` defines the steps. The transport is libcurl, or the native one after the step `native`.
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
