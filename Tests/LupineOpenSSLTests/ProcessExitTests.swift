import COpenSSL
import Glibc
import Testing

/// The exit of a process that has used OpenSSL.
@Suite struct ProcessExitTests {
  // `exit` calls the functions given to `atexit` in reverse order. Without `COpenSSLSetup`, `SSL_CTX_new` would
  // register OpenSSL's function after the one of this test, so that OpenSSL would be freed first.
  @Test func `OpenSSL can still be used while the process exits`() async {
    await #expect(processExitsWith: .success) {
      atexit { if OPENSSL_init_crypto(0, nil) != 1 { _exit(1) } }
      let context = try #require(SSL_CTX_new(TLS_client_method()))
      SSL_CTX_free(context)
      exit(0)
    }
  }
}
