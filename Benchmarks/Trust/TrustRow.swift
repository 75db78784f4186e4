import LupineSession
import LupineOpenSSL
import CurlRequests
import Requests
import Row

/// The row of Lupine with the evaluator that `LUPINE_TRUST` names and the pins of the certificates in `LUPINE_PIN`, a
/// file.
///
/// Without `LUPINE_TRUST`, libcurl verifies the chain and the name.
@main enum TrustRow {
  static func main() {
    Work.run { work in
      guard let name = Work.variable("LUPINE_TRUST") else { return try await Requests.measureCurl(work) { $0 } }
      let evaluator = try evaluator(name)
      try await Requests.measureCurl(work) { $0.trust(["localhost": evaluator]) }
    }
  }

  private static func evaluator(_ name: String) throws -> any TrustEvaluator {
    let pinned = Certificates.file(Work.variable("LUPINE_PIN") ?? "")
    switch name {
    case "public-keys": return .publicKeys(.certificates(pinned))
    case "certificates": return .pinnedCertificates(pinned)
    case "default": return .default
    default: throw WorkError("no evaluator is called \(name)")
    }
  }
}
