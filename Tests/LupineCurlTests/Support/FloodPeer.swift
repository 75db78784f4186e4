import Foundation
import Glibc
import LupineCore
import LupineSupport
import LupineFixtures
import LupineTesting

/// `Tests/Support/Peers/flood`: a server, or a proxy, in a process of its own that keeps its clients busy without end.
final class FloodPeer {
  /// What it sends; see the script.
  enum Kind: String, CaseIterable, Sendable {
    case emptyData = "empty-data"
    case smallData = "small-data"
    case unknown, priority
    case windowUpdate = "window-update"
    case ping, settings
    case smallChunks = "small-chunks"
    case interim, tunnel, challenge
    /// A body that goes on until `finish`, and no flood.
    case steady

    static let floods = allCases.filter { $0 != .steady }

    var version: ProtocolVersion {
      switch self {
      case .smallChunks, .interim, .tunnel, .challenge, .steady: .http1_1
      default: .http2
      }
    }

    /// Whether it sends a body, slowly, so that only its client ends it.
    var isBody: Bool { self == .smallData || self == .smallChunks || self == .challenge }
  }

  /// How it is reached.
  enum Line: CaseIterable, Sendable {
    case plain, secured, unixSocket
  }

  /// The path of its Unix-domain socket, if it has one.
  let unixSocket: String?
  private let port: Int
  /// Opens once a client gets what it sends.
  let isFlooding = Gate()
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let kind: Kind
  private let isSecured: Bool

  init(_ kind: Kind, over line: Line = .plain) throws {
    self.kind = kind
    isSecured = line == .secured
    let path = FileManager.default.temporaryDirectory.appending(path: "flood-\(UInt32.random(in: 0 ... .max))").path
    unixSocket = line == .unixSocket ? path : nil
    let certificate = ["localhost.pem", "localhost.key.pem"].map { Fixture.path("Certificates/\($0)") }
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", Fixture.path("../Tests/Support/Peers/flood"), kind.rawValue] + (isSecured ? certificate : [])
      + (unixSocket.map { [$0] } ?? [])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let descriptor = output.fileHandleForReading.fileDescriptor
    port = Self.line(from: descriptor).flatMap { Int($0) } ?? 0
    try SystemThread("flood") { [isFlooding] in
      if Self.line(from: descriptor) != nil { isFlooding.open() }
    }.detach()
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    if let unixSocket { unlink(unixSocket) }
  }

  /// The proxy that it is, if it is one.
  var proxy: String? { kind == .tunnel ? "\(isSecured ? "https" : "http")://localhost:\(port)" : nil }

  /// Ends the body of a peer that is `steady` with the letter z.
  func finish() { try? input.fileHandleForWriting.write(contentsOf: Array("\n".utf8)) }

  /// What proves connections to it.
  var credential: ConnectionCredential? { kind == .challenge ? .ntlm(username: "ali", password: "sesame") : nil }

  /// How a request reaches it.
  var connectionKey: ConnectionKey {
    get throws(LupineError) {
      var connectionKey = ConnectionKey()
      connectionKey.unixSocket = unixSocket
      connectionKey.connectionCredential = credential
      if let proxy { connectionKey.proxy = try Proxy(proxy) }
      return connectionKey
    }
  }

  var url: String {
    if kind == .tunnel { return "https://a.example/" }
    return unixSocket == nil ? "\(isSecured ? "https" : "http")://localhost:\(port)/" : "http://localhost/"
  }

  private static func line(from descriptor: Int32) -> String? {
    var line = ""
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1 {
      if byte == 0x0A { return line }
      line.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return nil
  }
}
