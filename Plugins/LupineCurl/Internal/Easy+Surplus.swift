import CLibcurl
import COpenSSL

/// Bytes behind the end of a response must not become the next one on their connection (RFC 9112 section 9.2). libcurl drops
/// some of them and keeps the connection, so that their rest is read as a response.
extension Easy {
  /// Forbids the connection's reuse where bytes that OpenSSL has decrypted wait behind the end of a response: no poller sees
  /// those.
  func forbidReuseOfUnread() {
    if let connection, SSL_pending(connection) > 0 { forbidReuse() }
  }

  /// Takes what libcurl says about what it does.
  ///
  /// Bytes behind a head without content are mentioned in its words alone, and nowhere else does the content come by of a
  /// challenge that it answers.
  func hear(_ bytes: UnsafeRawBufferPointer, of kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT where bytes.starts(with: Self.excess):
      forbidReuse()
      exchange?.rare?.heldContent?.noteSurplus()
    case CURLINFO_DATA_IN: exchange?.rare?.heldContent?.take(bytes)
    default: break
    }
  }

  private static let excess = Array("Excess found".utf8)
}
