import Foundation
import LupineFixtures
import Testing

/// `openssl s_server` on a free port of loopback with certificates of the fixtures; it ends with this value.
final class TLSServer {
  let port: Int
  private let process = Process()

  /// Starts the server and waits until it says its port.
  init(_ name: String, chain: String? = nil, staple: String? = nil, options: [String] = []) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // Whatever happens to the tests, it does not stay for longer than this.
    var arguments = [
      "--signal=KILL", "120", "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", Pki.path("\(name).pem"),
      "-key", Pki.path("\(name).key.pem"),
    ]
    // The small keys and old digests of the bad certificates must not be refused by the server itself.
    arguments += ["-cipher", "DEFAULT@SECLEVEL=0"]
    if let chain { arguments += ["-cert_chain", Pki.path("\(chain).pem")] }
    if let staple { arguments += ["-status_file", Pki.path("\(staple).ocsp.der")] }
    process.arguments = arguments + options
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
    // It leads a process group, and may have inherited a mask that blocks every signal but this one.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Its URL by one of its names.
  func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }
}
