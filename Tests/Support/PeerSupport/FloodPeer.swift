import Foundation
import Glibc
package import LupineCore
import LupineSupport
import LupineFixtures
package import LupineTesting

/// A server or a proxy that sends to its clients without end: `Tests/Support/Peers/flood`, in its own process.
package final class FloodPeer {
  /// The bytes that the peer sends; the script has the details.
  package enum Kind: String, CaseIterable, Sendable {
    case emptyData = "empty-data"
    case smallData = "small-data"
    case unknown, priority
    case windowUpdate = "window-update"
    case ping
    case pingBursts = "ping-bursts"
    case settings
    case smallChunks = "small-chunks"
    case interim, tunnel, challenge
    /// A body that lasts until `finish()`; not a flood.
    case steady
    // Frames of HTTP/2 that the native transport alone ends in a known way.
    case padding
    case connectionWindows = "connection-windows"
    case priorityUpdate = "priority-update"
    case goAway = "go-away"
    case resets, continuation
    case emptyContinuation = "empty-continuation"
    case pushes, bombs
    case interimBombs = "interim-bombs"

    /// The floods of frames that the native transport alone is tested with.
    package static let frameFloods: [Kind] = [
      .padding, .connectionWindows, .priorityUpdate, .goAway, .resets, .continuation, .emptyContinuation, .pushes,
      .bombs, .interimBombs,
    ]

    package static let floods = allCases.filter { $0 != .steady && !frameFloods.contains($0) }

    package var version: ProtocolVersion {
      switch self {
      case .smallChunks, .interim, .tunnel, .challenge, .steady: .http1_1
      default: .http2
      }
    }

    /// Whether the flood is a body in small pieces, which only the client can end.
    package var isBody: Bool { self == .smallData || self == .smallChunks || self == .challenge }
  }

  /// The kind of connection to the peer.
  package enum Line: CaseIterable, Sendable {
    case plain, secured, unixSocket
  }

  /// The path of the peer's Unix-domain socket; `nil` over TCP.
  package let unixSocket: String?
  private let port: Int
  /// Opened when the peer begins to send to a client.
  package let isFlooding = Gate()
  /// Opened when a client has closed its connection.
  package let isClosed = Gate()
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let kind: Kind
  private let isSecured: Bool

  package init(_ kind: Kind, over line: Line = .plain) throws {
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
    // The thread holds the pipe, so that its descriptor is not closed, and its number not used again, before the end.
    try SystemThread("flood") { [output, isFlooding, isClosed] in
      let descriptor = output.fileHandleForReading.fileDescriptor
      while let line = Self.line(from: descriptor) { (line == "closed" ? isClosed : isFlooding).open() }
    }.detach()
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    if let unixSocket { unlink(unixSocket) }
  }

  /// The URL of this proxy; `nil` if the peer is a server.
  package var proxy: String? { kind == .tunnel ? "\(isSecured ? "https" : "http")://localhost:\(port)" : nil }

  /// Ends the body of a peer that is `steady` with the letter z.
  package func finish() { try? input.fileHandleForWriting.write(contentsOf: Array("\n".utf8)) }

  /// The credential for the challenge of this peer; `nil` if the peer sends no challenge.
  package var credential: ConnectionCredential? {
    kind == .challenge ? .ntlm(username: "ali", password: "sesame") : nil
  }

  /// The connection settings of a request to this peer.
  package var connectionKey: ConnectionKey {
    get throws(LupineError) {
      var connectionKey = ConnectionKey()
      connectionKey.unixSocket = unixSocket
      connectionKey.connectionCredential = credential
      if let proxy { connectionKey.proxy = try Proxy(proxy) }
      return connectionKey
    }
  }

  package var url: String {
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
