#if Terminal
  import ArgumentParser
  import FoundationEssentials
  import LupineCore
  import LupineCurl
  import LupineOpenSSL

  /// `lupine pins`: prints chain, validity and pins of a server, or of a file.
  struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pins", abstract: "Prints the certificates of a server or a file, and the pins of their keys.")

    @Argument(help: "HOST, HOST:PORT, or a file of certificates in PEM, DER or PKCS#7.")
    var source: String

    func run() async throws {
      if FileManager.default.fileExists(atPath: source) {
        let read = Certificates.file(source)
        guard read.problems.isEmpty else { throw ValidationError(read.problems.joined(separator: "\n")) }
        return print(CertificateReport(read.certificates).text)
      }
      let answer = await PresentedChain.ask(source)
      if answer.certificates.isEmpty { throw ValidationError(answer.problem ?? "The server presented no certificate.") }
      print(CertificateReport(answer.certificates).text)
      if let problem = answer.verificationFailure { print("not verified: \(problem)") }
    }
  }
#endif
