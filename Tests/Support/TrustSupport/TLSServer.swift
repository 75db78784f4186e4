import Foundation
import Testing

/// `openssl s_server` on a free port of loopback with certificates of the fixtures; `deinit` ends it.
package final class TLSServer {
  package let port: Int
  private let process = Process()
  private let folder: URL?

  /// Starts the server and waits until it prints its port.
  ///
  /// - Parameters:
  ///   - name: the fixture with its certificate and key.
  ///   - chain: the certificates that it sends after its own: a fixture, or the path of a file.
  ///   - staple: the OCSP response that it staples.
  ///   - answer: the whole response to a GET of `/answer`. Default: a page about the connection, for every path.
  ///   - options: more options of `openssl s_server`.
  package init(
    _ name: String, chain: String? = nil, staple: String? = nil, answer: String? = nil, options: [String] = []
  ) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // The server ends after 120 seconds even if the tests crash.
    var arguments = [
      "--signal=KILL", "120", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", Pki.path("\(name).pem"),
      "-key", Pki.path("\(name).key.pem"),
    ]
    // The server itself must accept the small keys and the old digests of the bad certificates.
    arguments += ["-cipher", "DEFAULT@SECLEVEL=0", answer == nil ? "-www" : "-HTTP"]
    if let chain { arguments += ["-cert_chain", chain.hasPrefix("/") ? chain : Pki.path("\(chain).pem")] }
    if let staple { arguments += ["-status_file", Pki.path("\(staple).ocsp.der")] }
    folder = try answer.map(Self.folder)
    process.currentDirectoryURL = folder
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
    // The process leads a process group, and may have inherited a mask that blocks every signal except SIGKILL.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// The URL of the server with one of its host names.
  package func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }

  /// Creates the folder from which the server reads the file `answer`.
  private static func folder(_ answer: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-answer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(answer.utf8).write(to: folder.appending(path: "answer"))
    return folder
  }
}
