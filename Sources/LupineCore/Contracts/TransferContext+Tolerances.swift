public import HTTPTypes
import LupineSupport

extension TransferContext {
  /// Returns whether the end of a TLS connection without close_notify may end the body of this response.
  ///
  /// True if the session tolerates it of the host, unless the request is a download that could be resumed: one whose
  /// response is a part, or has an entity tag or a `Last-Modified` date. Such a download continues after the loss instead.
  ///
  /// The transport asks only about a body that the end of the connection delimits, and only if the server has closed the
  /// connection (FIN) after a whole record.
  public func mayLackCloseNotify(after head: HTTPResponse) -> Bool {
    guard tolerances.contains(.missingCloseNotify) else { return false }
    let isResumable =
      head.status.code == 206 || head.headerFields.contains(.eTag) || head.headerFields.contains(.lastModified)
    return !keepsPartialBody || !isResumable
  }
}
