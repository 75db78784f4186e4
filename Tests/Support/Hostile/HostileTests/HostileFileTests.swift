import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing

/// Damaged files of certificates, keys and revocation lists: each is a reported problem, and none crashes the process.
@Suite struct HostileFileTests {
  @Test(arguments: ["valid.chain.pem", "chain.p7b", "chain.pem.p7b", "valid.der"])
  func `certificates cut off anywhere never are more than there were`(_ name: String) throws {
    let whole = try Material.data(name)
    let count = Certificates(whole).certificates.count
    for length in 0..<whole.count {
      let read = Certificates(whole.prefix(length))
      #expect(read.certificates.count <= count)
      #expect(!read.certificates.isEmpty || !read.problems.isEmpty, "\(length) bytes")
    }
  }

  @Test(arguments: ["chain.p7b", "valid.der"])
  func `certificates with any byte changed are read or are a problem`(_ name: String) throws {
    let whole = try Material.data(name)
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0xFF
      let read = Certificates(damaged)
      #expect(!read.certificates.isEmpty || !read.problems.isEmpty, "byte \(index)")
      for certificate in read.certificates { _ = (certificate.description, certificate.names) }
    }
  }

  @Test(arguments: ["valid.public.der", "valid.public.pem"])
  func `a key cut off anywhere is a problem`(_ name: String) throws {
    let whole = try Material.data(name)
    // A PEM key is still read without its final line feed and the last dash of its end line, so these cuts are left
    // out.
    for length in 0..<(whole.count - 2) {
      let read = PublicKeys.key(whole.prefix(length))
      #expect(read.pins.isEmpty && !read.problems.isEmpty, "\(length) bytes")
    }
  }

  @Test func `a revocation list with any byte changed clears nothing, or is a problem`() throws {
    let list = try Material.data("intermediate.crl.pem")
    let lines = String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
    let der = try #require(Data(base64Encoded: lines.joined()))
    #expect(throws: Never.self) { try require(der) }
    for index in der.indices {
      var damaged = der
      damaged[index] ^= 0xFF
      #expect(throws: TrustFailure.self, "byte \(index)") { try require(damaged) }
    }
    for length in 0..<der.count {
      #expect(try !Material.withFile(der.prefix(length), RevocationLists.file).problems.isEmpty)
    }
  }

  /// Evaluates the valid chain with `list` as the revocation list of its issuer, and requires a positive answer.
  private func require(_ list: Data) throws {
    let lists =
      try Material.withFile(list, RevocationLists.file)
      + Material.withFile(try Material.data("root.crl.pem"), RevocationLists.file)
    let trust = ServerTrust(
      host: "localhost", port: 443, presentedChain: try Material.chain(), certificateAuthorities: Material.root,
      now: Material.day)
    try RevocationTrustEvaluator(options: [.crl, .requirePositiveResponse], revocationLists: lists).evaluate(trust)
  }

  @Test(arguments: ["", "sha256/", "sha256/\0", "pin-sha256=\"\"", String(repeating: "=", count: 100_000), "sha256/é"])
  func `an invalid pin is an issue`(_ text: String) {
    let read = PublicKeys([text])
    #expect(read.pins.isEmpty && !read.problems.isEmpty)
  }
}
