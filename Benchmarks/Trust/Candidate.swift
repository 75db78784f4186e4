import Foundation
import Glibc
import LupineCore
import LupineCurl
import LupineOpenSSL

/// One way to judge a server, with a session of its own.
struct Candidate {
  enum Policy { case library, publicKeys, certificates, `default` }

  let name: String
  private let session: Session
  private let url: String

  init(_ name: String, _ server: Server, path: String, _ policy: Policy) throws {
    self.name = name
    url = server.url + path
    let leaf = Certificates.file(server.certificate)
    let builder = Session.Builder().transport(.curl).certificateAuthorities(server.roots)
    session =
      switch policy {
      case .library: try builder.build()
      case .publicKeys: try builder.trust(["localhost": .publicKeys(.certificates(leaf))]).build()
      case .certificates: try builder.trust(["localhost": .pinnedCertificates(leaf)]).build()
      case .default: try builder.trust(["localhost": .default]).build()
      }
  }

  /// Makes requests one after the other; the result is the processor's time for one of them, in seconds.
  func run(_ count: Int) async throws -> Double {
    let start = Self.processorTime()
    for _ in 0..<count {
      var request = try OutgoingRequest(url)
      request.options.version = .http1_1
      _ = try await session.request(request).validate().serializingData().value
    }
    return (Self.processorTime() - start) / Double(count)
  }

  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }
}
