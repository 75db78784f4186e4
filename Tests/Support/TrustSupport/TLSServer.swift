import Foundation
import Testing

/// `openssl s_server` on a free port of loopback with certificates of the fixtures; it ends with this value.
package final class TLSServer {
  package let port: Int
  private let process = Process()
  private let folder: URL?

  /// Starts the server and waits until it says its port.
  ///
  /// - Parameters:
  ///   - name: whose certificate and key it has.
  ///   - chain: what it sends behind its own certificate: a fixture, or the path of a file.
  ///   - staple: the OCSP response that it staples.
  ///   - answer: the whole answer to a GET of `/answer`. Default: a page about the connection, whatever is asked for.
  ///   - options: more options of `openssl s_server`.
  package init(
    _ name: String, chain: String? = nil, staple: String? = nil, answer: String? = nil, options: [String] = []
  ) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // Whatever happens to the tests, it does not stay for longer than this.
    var arguments = [
      "--signal=KILL", "120", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", Pki.path("\(name).pem"),
      "-key", Pki.path("\(name).key.pem"),
    ]
    // The small keys and old digests of the bad certificates must not be refused by the server itself.
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
    // It leads a process group, and may have inherited a mask that blocks every signal but this one.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Its URL by one of its names.
  package func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }

  /// A folder with the answer, which is what the server looks for its files in.
  private static func folder(_ answer: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-answer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(answer.utf8).write(to: folder.appending(path: "answer"))
    return folder
  }
}
