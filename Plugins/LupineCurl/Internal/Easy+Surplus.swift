import CLibcurl
import COpenSSL

/// Bytes behind the end of a response must not become the next one on their connection (RFC 9112 section 9.2). libcurl drops
/// some of them and keeps the connection, so that their rest is read as a response.
extension Easy {
  /// Whether bytes that OpenSSL has decrypted wait to be read: no poller sees those.
  var hasDecrypted: Bool {
    guard let connection else { return false }
    return SSL_pending(connection) > 0
  }

  /// Takes what libcurl hands to its debug function.
  ///
  /// Only there does it say what `VerboseText` reads, and show the content of a challenge that it answers by itself.
  func receive(debug bytes: UnsafeRawBufferPointer, _ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT:
      guard let text = VerboseText(bytes) else { return }
      if text == .surplus { forbidReuse() }
      exchange?.hear(text)
    case CURLINFO_DATA_IN: exchange?.rare?.heldContent?.take(bytes)
    default: break
    }
  }
}
