import LupineCore
import LupineEventLoop

/// Uploads of HTTP/2 that wait for the server's window (RFC 9113 section 6.9).
///
/// While an upload waits for a window, libcurl 7.88 asks for a call when the socket has room, and does nothing in that
/// call. Only a frame of the server, or a call for another reason, lets the upload continue.
extension Loop {
  /// Records an idle write: a call for a writable connection in which libcurl passed no data to a callback.
  ///
  /// If libcurl has also sent nothing since the last idle write, the loop stops watching for room in the socket.
  func recordIdleWrite(to descriptor: Int32, _ socket: WatchedSocket) {
    guard !socket.isClosed, socket.multi.route.version == .http2, let sent = Socket.bytesSent(descriptor) else {
      return
    }
    defer { socket.bytesSent = sent }
    guard socket.bytesSent == sent else { return }
    socket.awaitsWindow = true
    socket.multi.awaitsWindow = true
    watch(descriptor, socket, for: socket.requestedEvents & ~Poller.writable)
  }

  /// Watches a connection for room in the socket again.
  func resumeWriting(to descriptor: Int32, _ socket: WatchedSocket) {
    guard socket.awaitsWindow, !socket.isClosed else { return }
    socket.awaitsWindow = false
    socket.bytesSent = nil
    watch(descriptor, socket, for: socket.requestedEvents)
  }

  /// Watches all connections of a multi for room in the socket again, after a call that may let an upload continue.
  func resumeWriting(of multi: Multi) {
    guard multi.awaitsWindow else { return }
    multi.awaitsWindow = false
    for socket in sockets.connections(of: multi) { resumeWriting(to: socket.descriptor, socket) }
  }
}
