import COpenSSL

/// The texts of OpenSSL's errors.
public enum OpenSSLText {
  /// Returns the text of the first error in this thread's queue, and clears the queue.
  public static func takeError() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no reason given" }
    var text = [CChar](repeating: 0, count: 256)
    ERR_error_string_n(code, &text, text.count)
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// Returns the text of a verification code.
  public static func verification(_ code: Int32) -> String {
    X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
  }
}
