import LupineCore
import LupineEventLoop

/// Moves the bytes of a connection, in clear text or in TLS.
protocol Channel: AnyObject {
  /// Sends bytes, at least one.
  ///
  /// After `wouldBlock` the next call must begin with the same bytes.
  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult

  /// Receives bytes into the front of a buffer.
  ///
  /// A call does a limited amount of work. A result that does not fill the buffer has emptied the socket, unless
  /// `holdsInput` is true. `end` means that the peer has ended its direction in the way that its protocol defines.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult

  /// Whether a receive brings something although the socket is empty.
  var holdsInput: Bool { get }

  /// The work of all calls so far, in records; a control message counts as several.
  ///
  /// The bytes of content do not count.
  var work: Int { get }

  /// Whether there is nothing to read: neither bytes nor the end of the connection.
  var isQuiet: Bool { get }

  /// Whether the channel below, such as the connection that carries TLS, has ended.
  ///
  /// Default: `false`, for a channel without another one below.
  var hasSocketEnded: Bool { get }

  /// Whether TLS ended without close_notify: the channel below has ended in order, after a whole record.
  ///
  /// Default: `false`, for a channel without TLS.
  var hasEndedBetweenRecords: Bool { get }

  /// Why the channel has failed, if it knows more than that the connection is lost.
  var failure: LupineError? { get }

  /// Tells the peer that nothing more is sent, if the socket takes it; the channel is not used after this call.
  func close()
}

extension Channel {
  var hasSocketEnded: Bool { false }
  var hasEndedBetweenRecords: Bool { false }
}

/// Moves bytes in clear text through a socket.
final class ClearChannel: Channel {
  let socket: Socket

  init(_ socket: consuming Socket) { self.socket = socket }

  func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult { socket.send(bytes) }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult { socket.receive(into: buffer) }

  var holdsInput: Bool { false }

  var work: Int { 0 }

  var isQuiet: Bool { socket.isQuiet }

  var failure: LupineError? { nil }

  func close() {}
}
