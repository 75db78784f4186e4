import Foundation
import LupineFixtures
import Testing

/// `openssl s_server` on a free port of loopback, with one of the certificates of `Fixtures`; it ends with this value.
final class OpenSSLServer {
  let port: Int
  private let process = Process()

  /// Starts the server and waits until it says its port.
  init(certificate name: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Whatever happens to the tests, it does not stay for longer than this.
    process.arguments = [
      "timeout", "120", "openssl", "s_server", "-www", "-accept", "127.0.0.1:0",
      "-cert", Fixture.path("Certificates/\(name).pem"), "-key", Fixture.path("Certificates/\(name).key.pem"),
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var text = ""
    while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    let line = text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }
    port = try #require(line?.split(separator: ":").last.flatMap { Int($0) }, "openssl s_server did not start: \(text)")
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Its URL by the name that the good certificates have.
  var url: String { "https://localhost:\(port)/" }
}
