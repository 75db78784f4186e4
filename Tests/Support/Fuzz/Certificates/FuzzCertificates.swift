import FoundationEssentials
import FuzzRunner
import Glibc
import LupineCore
import LupineOpenSSL

/// Fuzzes the parts of a TLS handshake that a server controls: its certificate and its stapled OCSP response.
///
/// The lowest bit of the first byte selects one of them: 0 for a certificate, 1 for a staple. The rest of the input is
/// its content.
@main
struct FuzzCertificates {
  static func main() {
    exit(runFuzzer(testCertificates))
  }
}

private let folder = "Fixtures/Certificates/Trust"
private let chain = Certificates.file("\(folder)/valid.chain.pem").certificates.map(\.der)
private let root = Certificates.file("\(folder)/root.pem").certificates.map(\.der)

private func check(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  precondition(chain.count == 2, "The certificates of \(folder) are missing; run this in the checkout.")
  let rest = Data(bytes.dropFirst())
  let isStaple = first & 1 == 1
  let trust = ServerTrust(
    host: "localhost", port: 443, presentedChain: isStaple ? chain : [rest, chain[1]],
    verifiedChain: isStaple ? chain + root : nil, stapledOCSPResponse: isStaple ? rest : nil,
    certificateAuthorities: "\(folder)/root.pem",
    now: Date(timeIntervalSince1970: 1_830_000_000))
  do {
    try RevocationTrustEvaluator().evaluate(trust)
  } catch {
    precondition(error is TrustFailure, "An evaluator threw what is no verdict: \(error)")
  }
  if !isStaple {
    let read = Certificates(rest)
    for certificate in read.certificates {
      precondition(certificate.names.allSatisfy { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } })
      _ = certificate.matches(host: "localhost")
      _ = certificate.demandsStapledOCSPResponse
    }
  }
}

private func testCertificates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
