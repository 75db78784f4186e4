import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing

/// Malformed certificate chains and staples: each is an error in bounded time, and none crashes the process.
@Suite struct HostileCertificateTests {
  private func check(_ chain: [Data], staple: Data? = nil) throws -> TrustFailure.Check? {
    let trust = ServerTrust(
      host: "localhost", port: 443, presentedChain: chain, stapledOCSPResponse: staple,
      certificateAuthorities: Material.root, now: Material.day)
    do { try RevocationTrustEvaluator().evaluate(trust) } catch {
      return (try #require(error as? TrustFailure)).check
    }
    return nil
  }

  @Test func `an empty chain is refused`() throws {
    #expect(try check([]) == .presentation)
    #expect(try check([Data()]) == .presentation)
  }

  @Test func `a certificate cut off anywhere is refused`() throws {
    let chain = try Material.chain()
    for count in 0..<chain[0].count { #expect(try check([chain[0].prefix(count), chain[1]]) == .presentation) }
  }

  @Test func `a certificate with any byte changed is refused, or is another one that does not verify`() throws {
    let chain = try Material.chain()
    for index in chain[0].indices {
      var damaged = chain[0]
      damaged[index] ^= 0xFF
      #expect(try check([damaged, chain[1]]) != nil, "byte \(index)")
    }
  }

  @Test func `an issuer with any byte changed, or cut off anywhere, is refused`() throws {
    let chain = try Material.chain()
    for index in chain[1].indices {
      var damaged = chain[1]
      damaged[index] ^= 0xFF
      #expect(try check([chain[0], damaged]) != nil, "byte \(index)")
      #expect(try check([chain[0], chain[1].prefix(index)]) == .presentation)
    }
  }

  @Test func `bytes behind a certificate are refused`() throws {
    let chain = try Material.chain()
    #expect(try check([chain[0] + Data([0]), chain[1]]) == .presentation)
  }

  @Test func `a certificate of 1 MiB and more is refused`() throws {
    #expect(try check([Data(repeating: 0x30, count: 1 << 20 + 1)]) == .presentation)
    var large = Data([0x30, 0x83, 0x0F, 0xFF, 0xFB])
    large.append(Data(count: 0x0FFFFB))
    #expect(try check([large]) == .presentation)
  }

  @Test func `a chain of 100 is refused`() throws {
    let chain = try Material.chain()
    #expect(try check([chain[0]] + Array(repeating: chain[1], count: 99)) == .presentation)
  }

  @Test func `wrong lengths are refused`() throws {
    for bytes: [UInt8] in [
      [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x80], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] { #expect(try check([Data(bytes)]) == .presentation) }
    #expect(try check([Data(repeating: 0x30, count: 100_000)]) == .presentation)
  }

  @Test func `a staple cut off or changed anywhere clears nothing`() throws {
    let chain = try Material.chain()
    let staple = try Material.staple()
    #expect(try check(chain, staple: staple) == nil)
    for count in 0..<staple.count { #expect(try check(chain, staple: staple.prefix(count)) == .revocation) }
    for index in staple.indices.prefix(200) {
      var damaged = staple
      damaged[index] ^= 0xFF
      #expect(try check(chain, staple: damaged) == .revocation, "byte \(index)")
    }
  }

  @Test func `a staple with bytes behind it, and one of 64 KiB and more, clear nothing`() throws {
    let chain = try Material.chain()
    #expect(try check(chain, staple: Data(repeating: 0x30, count: 64 << 10 + 1)) == .revocation)
    #expect(try check(chain, staple: try Material.staple() + Data([0])) == .revocation)
  }

  @Test func `a host name with a NUL or with nothing is matched by nothing`() throws {
    let certificate = try Material.certificate("valid")
    #expect(!certificate.matches(host: "localhost\0.evil.test"))
    #expect(!certificate.matches(host: "\0"))
    #expect(!certificate.matches(host: ""))
    #expect(!certificate.matches(host: "."))
    #expect(!certificate.matches(host: "localhost.."))
    #expect(certificate.matches(host: "LOCALHOST."))
  }

  @Test func `names with a NUL are ignored`() throws {
    let certificate = try Material.certificate("nul-name")
    #expect(certificate.names.isEmpty)
    for host in ["valid.test", "evil.test", "valid.test.evil.test", "valid.test\0.evil.test"] {
      #expect(!certificate.matches(host: host))
    }
  }
}
