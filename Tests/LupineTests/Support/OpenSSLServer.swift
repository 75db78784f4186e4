import Foundation
import LupineFixtures
import Testing

/// `openssl s_server` on a free port of loopback, with one of the certificates of `Fixtures`.
///
/// The server ends when this value is released.
final class OpenSSLServer {
  let port: Int
  private let process = Process()
  private let lifeline = Pipe()

  /// Starts the server and waits until it prints its port.
  init(certificate name: String) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    // The shell kills the server when the input of the shell closes, which also happens when the tests crash.
    process.arguments = [
      "-c", "openssl s_server -www -accept 127.0.0.1:0 -cert \"$1\" -key \"$2\" 2>&1 & read -r _; kill -9 $!", "sh",
      Fixture.path("Certificates/\(name).pem"), Fixture.path("Certificates/\(name).key.pem"),
    ]
    process.standardInput = lifeline
    process.standardOutput = output
    try process.run()
    port = try Self.port(from: output.fileHandleForReading)
  }

  deinit { try? lifeline.fileHandleForWriting.close() }

  /// The URL of the server, with the host name of the valid certificates.
  var url: String { "https://localhost:\(port)/" }

  private static func port(from output: FileHandle) throws -> Int {
    var text = ""
    while true {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix("ACCEPT") }), let port = line.split(separator: ":").last {
        return try #require(Int(port))
      }
      let data = output.availableData
      try #require(!data.isEmpty, "openssl s_server did not start: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
  }
}
