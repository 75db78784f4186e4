import LupineX509
import Testing
import TrustSupport

@testable import LupineOpenSSL

@Suite struct NameConstraintsTests {
  private func permits(_ authority: String, _ host: String) throws -> Bool {
    let certificate = try Pki.certificate(authority)
    return withExtendedLifetime(certificate) { NameConstraints.permits(host, certificate.handle.pointer) }
  }

  @Test(arguments: [
    ("excluded-name-authority", "bar.wild.test", false), ("excluded-name-authority", "a.bar.wild.test", false),
    ("excluded-name-authority", "foobar.wild.test", true), ("excluded-name-authority", "wild.test", true),
    ("excluded-name-authority", "127.0.0.1", true), ("excluded-below-authority", "bar.wild.test", true),
    ("excluded-below-authority", "a.bar.wild.test", false), ("excluded-below-authority", "foobar.wild.test", true),
    ("permitted-name-authority", "wild.localhost", true), ("permitted-name-authority", "wild.test", false),
    ("permitted-name-authority", "a.wild.test", true), ("permitted-name-authority", "awild.localhost", false),
    ("permitted-name-authority", "example.com", false), ("permitted-name-authority", "::1", true),
    ("root", "example.com", true), ("constrained-root", "bar.wild.localhost", false),
  ])
  func `a name is compared with domains`(_ authority: String, _ host: String, _ isPermitted: Bool) throws {
    #expect(try permits(authority, host) == isPermitted)
    #expect(try permits(authority, host.uppercased()) == isPermitted)
    if !host.contains(":") && host != "127.0.0.1" { #expect(try permits(authority, host + ".") == isPermitted) }
  }

  @Test(arguments: [
    ("excluded-address-authority", "127.0.0.1", false), ("excluded-address-authority", "127.0.0.2", true),
    ("excluded-address-authority", "::1", true), ("excluded-address-authority", "localhost", true),
    ("addresses-authority", "10.1.2.3", true), ("addresses-authority", "10.2.2.3", false),
    ("addresses-authority", "11.0.0.1", false), ("addresses-authority", "fd00::1", true),
    ("addresses-authority", "fd00:2::1", false), ("addresses-authority", "fd00::1%eth0", true),
    ("addresses-authority", "fe80::1%eth0", false), ("addresses-authority", "::1", false),
    ("addresses-authority", "localhost", true),
  ])
  func `an address is compared with blocks`(_ authority: String, _ host: String, _ isPermitted: Bool) throws {
    #expect(try permits(authority, host) == isPermitted)
  }

  @Test func `constraints that cannot be read permit nothing`() throws {
    #expect(try !permits("unreadable-authority", "localhost"))
    #expect(try !permits("unreadable-authority", "127.0.0.1"))
  }

  @Test(arguments: ["", ".", ".com", "a\0b"]) func `a name that is no host is not permitted`(_ host: String) throws {
    #expect(try !permits("excluded-name-authority", host))
  }
}
