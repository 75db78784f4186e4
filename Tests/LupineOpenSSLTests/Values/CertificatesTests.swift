import FoundationEssentials
import LupineCore
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct CertificatesTests {
  @Test(arguments: ["valid.pem", "valid.der"])
  func `PEM and DER are the same certificate`(_ name: String) throws {
    let read = Certificates.file(Pki.path(name))
    #expect(read.problems == [])
    #expect(read.certificates == [try Pki.certificate("valid")])
  }

  @Test(arguments: ["chain.p7b", "chain.pem.p7b", "valid.chain.pem"])
  func `a chain comes from PKCS 7 and from PEM`(_ name: String) throws {
    let read = Certificates.file(Pki.path(name))
    #expect(read.certificates == [try Pki.certificate("valid"), try Pki.certificate("intermediate")])
  }

  @Test func `a folder gives all that is in it`() throws {
    let read = Certificates.folder(Pki.path("."))
    #expect(read.problems == [])
    #expect(read.certificates.contains(try Pki.certificate("valid")))
    #expect(read.certificates.contains(try Pki.certificate("root")))
  }

  @Test func `a certificate has the fields of its content`() throws {
    let certificate = try Pki.certificate("valid")
    #expect(certificate.subject == "CN=valid.test")
    #expect(certificate.issuer == "CN=Lupine Trust Intermediate")
    #expect(certificate.notBefore == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(certificate.names == ["localhost", "valid.test", "127.0.0.1", "::1"])
    #expect(try !certificate.demandsStapledOCSPResponse && Pki.certificate("must-staple").demandsStapledOCSPResponse)
  }

  @Test func `a name with a NUL is ignored`() throws {
    #expect(try Pki.certificate("nul-name").names == [])
  }

  @Test func `a pin is read as OkHttp, HPKP and libcurl write it`() throws {
    let pin = try Pki.certificate("valid").publicKeyPin
    let code = pin.digest.base64EncodedString()
    for text in ["sha256/\(code)", "sha256//\(code)", "pin-sha256=\"\(code)\""] {
      #expect(try PublicKeyPin(text) == pin)
    }
    #expect(PublicKeys(["sha256//\(code);sha256//\(code)"]).pins == [pin])
  }

  @Test(arguments: ["", "sha256/", "sha1/AAAA", "pin-sha256=\"", "sha256/AAAA", "AAAA"])
  func `an invalid pin is an error`(_ text: String) {
    #expect(throws: CertificateError.self) { try PublicKeyPin(text) }
  }

  @Test(arguments: ["valid.public.pem", "valid.public.der"])
  func `a public key has the pin of its certificate`(_ name: String) throws {
    #expect(PublicKeys.keyFile(Pki.path(name)).pins == [try Pki.certificate("valid").publicKeyPin])
  }
}
