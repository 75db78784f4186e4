import Foundation
import Glibc
import LupineCore
import LupineFixtures
import LupineTesting

/// `Tests/Peers/flood`: a server, or a proxy, in a process of its own that keeps its clients busy without end.
final class FloodPeer {
  /// What it sends; see the script.
  enum Kind: String, CaseIterable, Sendable {
    case emptyData = "empty-data"
    case smallData = "small-data"
    case unknown, priority
    case windowUpdate = "window-update"
    case ping, settings
    case smallChunks = "small-chunks"
    case interim, tunnel

    var version: ProtocolVersion {
      switch self {
      case .smallChunks, .interim, .tunnel: .http1_1
      default: .http2
      }
    }

    /// Whether it sends a body, slowly, so that only its client ends it.
    var isBody: Bool { self == .smallData || self == .smallChunks }
  }

  let port: Int
  /// Opens once a client is being flooded.
  let isFlooding = Gate()
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let kind: Kind
  private let isSecured: Bool

  init(_ kind: Kind, isSecured: Bool) throws {
    self.kind = kind
    self.isSecured = isSecured
    let certificate = ["localhost.pem", "localhost.key.pem"].map { Fixture.path("Certificates/\($0)") }
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", Fixture.path("../Tests/Peers/flood"), kind.rawValue] + (isSecured ? certificate : [])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let descriptor = output.fileHandleForReading.fileDescriptor
    port = Self.line(from: descriptor).flatMap { Int($0) } ?? 0
    try SystemThread("flood") { [isFlooding] in
      if Self.line(from: descriptor) != nil { isFlooding.open() }
    }.detach()
  }

  deinit { kill(process.processIdentifier, SIGKILL) }

  /// The proxy that it is, if it is one.
  var proxy: String? { kind == .tunnel ? "\(isSecured ? "https" : "http")://localhost:\(port)" : nil }

  var url: String { kind == .tunnel ? "https://a.example/" : "\(isSecured ? "https" : "http")://localhost:\(port)/" }

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
